/* Entry points, the list of structures, and the few structures and fields that are used. */
#include "efi/pure/smbios.h"

#include "base/bits.h"
#include "base/text.h"

/* Entry point of version 2.1 on, _SM_ (section 5.2.1). Version 2.1 printed a length one too short.
 */
#define ENTRY2_CHECKED      0x05
#define ENTRY2_INTERMEDIATE 0x10
#define ENTRY2_TABLE_BYTES  0x16
#define ENTRY2_TABLE        0x18
#define ENTRY2_COUNT        0x1c
#define ENTRY2_BYTES        0x1f
#define ENTRY2_BYTES_2_1    0x1e
/* Entry point of version 3.0 on, _SM3_ (section 5.2.2). */
#define ENTRY3_CHECKED     0x06
#define ENTRY3_TABLE_BYTES 0x0c
#define ENTRY3_TABLE       0x10
#define ENTRY3_BYTES       0x18
/* Both may grow, but a wilder length is damage. */
#define ENTRY_BYTES_MAX 0x40
/* Far above any table: _SM3_ gives an upper limit of the size, not the size. */
#define TABLE_BYTES_MAX (16u << 20)

/* Structure header (section 6.1.2). */
#define STRUCTURE_TYPE   0
#define STRUCTURE_LENGTH 1
#define STRUCTURE_HEADER 4

enum structure_type {
    TYPE_BIOS = 0,
    TYPE_SYSTEM = 1,
    TYPE_BOARD = 2,
    TYPE_PROCESSOR = 4,
    TYPE_SLOT = 9,
    TYPE_MEMORY = 17,
    TYPE_END = 127,
};

struct tables {
    const uint8_t *bytes;
    size_t count;      /* of bytes */
    uint32_t promised; /* number of structures; 0: the entry point does not say */
};

/* One whole structure: `bytes` is its formatted part, the strings follow, each with its NUL. */
struct structure {
    const uint8_t *bytes;
    uint8_t length;
    const uint8_t *strings;
    size_t strings_bytes;
};

/* What has to be known of the structures before to read the next. */
struct reader {
    struct result_smbios *facts;
    bool have_bios, have_system, have_board;
    uint64_t memory_kib;
    bool memory_unknown;
    bool full;
};

static bool sums_to_zero(const uint8_t *bytes, size_t count)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum = (uint8_t)(sum + bytes[i]);
    return sum == 0;
}

static bool has_anchor(const uint8_t *bytes, const char *anchor)
{
    while (*anchor != '\0')
        if (*bytes++ != (uint8_t)*anchor++)
            return false;
    return true;
}

static const uint8_t *map(const struct pci_acpi_memory *memory, uint64_t physical, size_t bytes)
{
    if (physical == 0 || bytes == 0 || bytes > TABLE_BYTES_MAX || physical > UINT64_MAX - bytes)
        return NULL;
    return memory->map(memory->context, physical, bytes);
}

/* The entry point if it is a sound one; its length is in its byte `length_at`. NULL otherwise. */
static const uint8_t *map_entry(const struct pci_acpi_memory *memory, uint64_t entry,
                                size_t length_at, size_t least)
{
    const uint8_t *bytes = map(memory, entry, least);
    uint8_t length;

    if (bytes == NULL)
        return NULL;
    length = bytes[length_at];
    if (length < least || length > ENTRY_BYTES_MAX)
        return NULL;
    bytes = map(memory, entry, length);
    return bytes != NULL && sums_to_zero(bytes, length) ? bytes : NULL;
}

static bool find_tables(const struct pci_acpi_memory *memory, uint64_t entry,
                        struct tables *ret_tables)
{
    const uint8_t *bytes = map(memory, entry, 5);
    struct tables tables = {0};
    uint64_t physical;

    if (bytes != NULL && has_anchor(bytes, "_SM3_")) {
        bytes = map_entry(memory, entry, ENTRY3_CHECKED, ENTRY3_BYTES);
        if (bytes == NULL)
            return false;
        physical = base_le64(bytes + ENTRY3_TABLE);
        tables.count = base_le32(bytes + ENTRY3_TABLE_BYTES);
    } else if (bytes != NULL && has_anchor(bytes, "_SM_")) {
        bytes = map_entry(memory, entry, ENTRY2_CHECKED, ENTRY2_BYTES_2_1);
        if (bytes == NULL || !has_anchor(bytes + ENTRY2_INTERMEDIATE, "_DMI_"))
            return false;
        bytes = map(memory, entry, ENTRY2_BYTES);
        if (bytes == NULL ||
            !sums_to_zero(bytes + ENTRY2_INTERMEDIATE, ENTRY2_BYTES - ENTRY2_INTERMEDIATE))
            return false;
        physical = base_le32(bytes + ENTRY2_TABLE);
        tables.count = base_le16(bytes + ENTRY2_TABLE_BYTES);
        tables.promised = base_le16(bytes + ENTRY2_COUNT);
    } else {
        return false;
    }
    tables.bytes = map(memory, physical, tables.count);
    *ret_tables = tables;
    return tables.bytes != NULL;
}

/* The structure at *at, which is moved behind it. False: no whole structure is there. */
static bool next_structure(const struct tables *tables, size_t *at, struct structure *ret)
{
    const uint8_t *bytes = tables->bytes + *at;
    size_t left = tables->count - *at;
    size_t end;

    if (left < STRUCTURE_HEADER)
        return false;
    ret->length = bytes[STRUCTURE_LENGTH];
    if (ret->length < STRUCTURE_HEADER || ret->length > left)
        return false;
    /* Two NULs end the strings, and stand there even if there are none. */
    for (end = ret->length; end + 1 < left; end++)
        if (bytes[end] == 0 && bytes[end + 1] == 0)
            break;
    if (end + 1 >= left)
        return false;
    ret->bytes = bytes;
    ret->strings = bytes + ret->length;
    ret->strings_bytes = end + 1 - ret->length;
    *at += end + 2;
    return true;
}

/* A field, or 0 if the structure is of a version that did not have it. */
static uint32_t field(const struct structure *structure, size_t offset, size_t bytes)
{
    if (offset + bytes > structure->length)
        return 0;
    if (bytes == 1)
        return structure->bytes[offset];
    return bytes == 2 ? base_le16(structure->bytes + offset) : base_le32(structure->bytes + offset);
}

/* The string whose number is in the byte at `offset`. "": there is none. */
static void read_string(const struct structure *structure, size_t offset,
                        char ret_string[RESULT_TEXT_BYTES])
{
    uint32_t number = field(structure, offset, 1);
    size_t begin = 0, end;
    struct text text;

    text_init(&text, ret_string, RESULT_TEXT_BYTES);
    if (number == 0)
        return;
    for (; number > 1 && begin < structure->strings_bytes; number--) {
        while (structure->strings[begin] != 0)
            begin++;
        begin++;
    }
    /* The last string has its NUL within strings_bytes; beyond it is no further one. */
    if (begin >= structure->strings_bytes)
        return;
    for (end = begin; structure->strings[end] != 0; end++) {
    }
    text_trimmed(&text, structure->strings + begin, end - begin);
}

static void read_product(const struct structure *structure, struct result_product *product)
{
    read_string(structure, 0x04, product->vendor);
    read_string(structure, 0x05, product->product);
    read_string(structure, 0x06, product->version);
}

static void read_bios(const struct structure *structure, struct result_bios *bios)
{
    read_string(structure, 0x04, bios->vendor);
    read_string(structure, 0x05, bios->version);
    read_string(structure, 0x08, bios->date);
}

/* Processor information (section 7.5): of the first socket with something in it. */
static void read_processor(const struct structure *structure, struct result_smbios *facts)
{
    bool populated = (field(structure, 0x18, 1) & BIT32(6)) != 0;

    if (populated && facts->cpu[0] == '\0')
        read_string(structure, 0x10, facts->cpu);
}

/* Bus address of a slot, from version 2.6 on (section 7.10.8). */
static bool read_address(const struct structure *structure, struct pci_address *ret_address)
{
    uint32_t segment = field(structure, 0x0d, 2);
    uint32_t bus = field(structure, 0x0f, 1);
    uint32_t function = field(structure, 0x10, 1);

    if (structure->length < 0x11)
        return false;
    /* All ones say that the slot has none. All zeros are the host bridge, never a slot: left out.
     */
    if (segment == 0xffff || (bus == 0xff && function == 0xff))
        return false;
    if (segment == 0 && bus == 0 && function == 0)
        return false;
    *ret_address = (struct pci_address){.segment = (uint16_t)segment,
                                        .bus = (uint8_t)bus,
                                        .device = (uint8_t)(function >> 3),
                                        .function = function & 7};
    return true;
}

/* Slots (section 7.10). */
static void read_slot(struct reader *reader, const struct structure *structure)
{
    struct result_smbios *facts = reader->facts;
    struct result_slot *slot;
    uint32_t type = field(structure, 0x05, 1);
    uint32_t width = field(structure, 0x06, 1);

    if (facts->slot_count == RESULT_SLOTS_MAX) {
        reader->full = true;
        return;
    }
    slot = &facts->slots[facts->slot_count++];
    *slot = (struct result_slot){.addressed = false};
    read_string(structure, 0x04, slot->designation);
    /* 2 is "unknown" in both. */
    slot->type = (uint8_t)(type == 2 ? 0 : type);
    slot->width = (uint8_t)(width == 2 ? 0 : width);
    slot->addressed = read_address(structure, &slot->address);
}

/* Memory device (section 7.18). */
static void read_memory(struct reader *reader, const struct structure *structure)
{
    uint32_t size = field(structure, 0x0c, 2);
    uint32_t type = field(structure, 0x12, 1);
    uint64_t kib;

    if (structure->length < 0x0e || size == 0xffff) {
        reader->memory_unknown = true;
        return;
    }
    /* ROM, flash and the PROMs: some firmware lists the chip that it is in. */
    if (type >= 0x08 && type <= 0x0c)
        return;
    if (size == 0x7fff) {
        kib = (uint64_t)(field(structure, 0x1c, 4) & 0x7fffffff) * 1024;
        reader->memory_unknown |= kib == 0;
    } else if ((size & 0x8000) != 0) {
        kib = size & 0x7fff;
    } else {
        kib = (uint64_t)size * 1024;
    }
    reader->memory_kib += kib;
}

static void read_structure(struct reader *reader, const struct structure *structure)
{
    struct result_smbios *facts = reader->facts;

    switch (structure->bytes[STRUCTURE_TYPE]) {
    case TYPE_BIOS:
        if (!reader->have_bios)
            read_bios(structure, &facts->bios);
        reader->have_bios = true;
        break;
    case TYPE_SYSTEM:
        if (!reader->have_system)
            read_product(structure, &facts->system);
        reader->have_system = true;
        break;
    case TYPE_BOARD:
        /* The first is the one that the others are plugged into. */
        if (!reader->have_board)
            read_product(structure, &facts->board);
        reader->have_board = true;
        break;
    case TYPE_PROCESSOR:
        read_processor(structure, facts);
        break;
    case TYPE_SLOT:
        read_slot(reader, structure);
        break;
    case TYPE_MEMORY:
        read_memory(reader, structure);
        break;
    default:
        break;
    }
}

enum status smbios_read(const struct pci_acpi_memory *memory, uint64_t entry,
                        struct result_smbios *facts)
{
    struct reader reader = {.facts = facts};
    struct structure structure;
    struct tables tables;
    size_t at = 0;
    uint32_t read = 0;

    *facts = (struct result_smbios){.slot_count = 0};
    if (!find_tables(memory, entry, &tables))
        return STATUS_INVALID;
    /* An end mark, the promised number, or the very end of the bytes: each is an end. */
    while (at < tables.count && (tables.promised == 0 || read < tables.promised)) {
        if (!next_structure(&tables, &at, &structure))
            return STATUS_INVALID;
        if (structure.bytes[STRUCTURE_TYPE] == TYPE_END)
            break;
        read_structure(&reader, &structure);
        read++;
    }
    if (!reader.memory_unknown)
        facts->memory_mib = reader.memory_kib / 1024;
    return reader.full ? STATUS_FULL : STATUS_OK;
}

/*
 * Whether the slot is at the device's address. The functions of a card share its slot, so of the
 * card itself any will do; bridges, and devices of the root bus, are single functions.
 */
static bool slot_bears(const struct result_slot *slot, const struct pci_device *device,
                       bool any_function)
{
    const struct pci_address *a = &slot->address;
    const struct pci_address *b = &device->address;

    return slot->addressed && a->segment == b->segment && a->bus == b->bus &&
           a->device == b->device && (any_function || a->function == b->function);
}

const struct result_slot *smbios_slot_of(const struct result_smbios *facts,
                                         const struct pci_device *devices, uint32_t index)
{
    bool card = devices[index].parent != PCI_NO_PARENT;

    for (;;) {
        const struct pci_device *device = &devices[index];
        const struct result_slot *found = NULL;

        for (uint32_t i = 0; i < facts->slot_count; i++) {
            if (!slot_bears(&facts->slots[i], device, card))
                continue;
            if (found != NULL)
                return NULL;
            found = &facts->slots[i];
        }
        if (found != NULL)
            return found;
        /* A child comes after its parent in the list; anything else would be a loop. */
        if (device->parent < 0 || (uint32_t)device->parent >= index)
            return NULL;
        index = (uint32_t)device->parent;
        card = false;
    }
}
