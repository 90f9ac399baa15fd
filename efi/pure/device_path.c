/* Device paths as bytes. */
#include "efi/pure/device_path.h"

#include "base/bits.h"

#define TYPE_MESSAGING  0x03
#define TYPE_END        0x7f
#define SUBTYPE_SATA    18
#define NODE_HEADER     4
#define SATA_NODE_BYTES 10
#define PATH_MAX_BYTES  4096

/* SATA node, PortMultiplierPortNumber: directly connected. */
#define SATA_DIRECT 0x8000

size_t device_path_size(const uint8_t *path)
{
    size_t size = 0;

    while (path != NULL && (path[size] & 0x7f) != TYPE_END) {
        size_t node = base_le16(path + size + 2);

        size += node;
        if (node < NODE_HEADER || size > PATH_MAX_BYTES)
            return 0;
    }
    return size;
}

bool device_path_below(const uint8_t *path, const uint8_t *prefix)
{
    size_t path_size = device_path_size(path);
    size_t prefix_size = device_path_size(prefix);

    if (prefix_size == 0 || path_size < prefix_size)
        return false;
    for (size_t i = 0; i < prefix_size; i++) {
        if (path[i] != prefix[i])
            return false;
    }
    return true;
}

int device_path_sata_port(const uint8_t *path, const uint8_t *prefix)
{
    const uint8_t *node;
    uint16_t multiplier;

    if (!device_path_below(path, prefix))
        return -1;
    if (device_path_size(path) != device_path_size(prefix) + SATA_NODE_BYTES)
        return -1;
    node = path + device_path_size(prefix);
    if ((node[0] & 0x7f) != TYPE_MESSAGING || node[1] != SUBTYPE_SATA ||
        base_le16(node + 2) != SATA_NODE_BYTES)
        return -1;
    /* Before UEFI 2.3.1 direct connections were marked by bit 15 only, later by FFFFh. */
    multiplier = base_le16(node + 6);
    if ((multiplier & SATA_DIRECT) == 0 && multiplier != 0)
        return -1;
    return base_le16(node + 4) < 32 ? base_le16(node + 4) : -1;
}
