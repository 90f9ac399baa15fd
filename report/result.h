/*
 * Every fact of a run, for the writers. Fixed bounds; the large parts are the caller's arrays.
 *
 * Only what this header has a field for can reach these files: no serial numbers, no world wide
 * names, no UUIDs, no MAC addresses, no device paths.
 */
#ifndef REPORT_RESULT_H
#define REPORT_RESULT_H

#include "base/status.h"
#include "bench/run.h"
#include "bench/sample.h"
#include "drivers/drive.h"
#include "hw/clock.h"
#include "pci/device.h"
#include "pci/iommu.h"
#include "pci/path.h"
#include "pci/watch.h"

#include <stdbool.h>
#include <stdint.h>

#define RESULT_PORTS_MAX  32
#define RESULT_NOTES_MAX  32
#define RESULT_NOTE_BYTES 160
#define RESULT_TEXT_BYTES 65 /* of a string that SMBIOS gives */
#define RESULT_SLOTS_MAX  32

enum result_known {
    RESULT_UNKNOWN,
    RESULT_NO,
    RESULT_YES,
};

struct result_tool {
    char id[33];  /* of this run: 32 hexadecimal digits, random */
    char rtc[20]; /* "2026-11-30T23:12:45" as the machine's clock says; "": no clock */
    bool rtc_zone_known;
    int16_t rtc_zone_minutes; /* local time - UTC, if known */
    const char *version;      /* BARELANE_VERSION */
    const char *started_by;   /* "boot" or "shell" */
    const char *arguments;    /* as they were given, "" for none */
};

/* Board or system. Every string: "" if SMBIOS does not say; placeholders stand as they are. */
struct result_product {
    char vendor[RESULT_TEXT_BYTES];
    char product[RESULT_TEXT_BYTES];
    char version[RESULT_TEXT_BYTES];
};

struct result_bios {
    char vendor[RESULT_TEXT_BYTES];
    char version[RESULT_TEXT_BYTES];
    char date[RESULT_TEXT_BYTES]; /* as the firmware writes it: mm/dd/yyyy */
};

struct result_slot {
    char designation[RESULT_TEXT_BYTES]; /* as printed on the board, in the best case */
    uint8_t type;                        /* SMBIOS's codes; 0: not known */
    uint8_t width;
    bool addressed; /* `address` is meaningful: the slot's device or the port above it */
    struct pci_address address;
};

/* What SMBIOS says of the machine, serial numbers, UUIDs and asset tags apart. */
struct result_smbios {
    struct result_bios bios;
    struct result_product system;
    struct result_product board;
    char cpu[RESULT_TEXT_BYTES]; /* name of the first processor, "": unknown */
    uint64_t memory_mib;         /* of all modules, 0: unknown */
    uint32_t slot_count;
    struct result_slot slots[RESULT_SLOTS_MAX];
};

/* What CPUID says of the processor. */
struct result_cpu {
    char name[49];   /* "": it does not say */
    char vendor[13]; /* "GenuineIntel" */
    uint32_t family; /* with the extended bits; 0: unknown, and then so are the next two */
    uint32_t model;
    uint32_t stepping;
};

struct result_machine {
    const char *firmware_vendor;
    uint32_t firmware_revision;
    uint32_t uefi_revision; /* of the system table: 0x00020046 is 2.70 */
    enum result_known secure_boot;
    bool hypervisor; /* CPUID 1 ECX bit 31 */
    struct result_cpu cpu;
    struct result_smbios smbios;
    struct pci_iommu iommu;
};

/* A drive that was identified. */
struct result_drive {
    struct drive_info info;
    bool planned;                 /* `run` holds a run: also one that failed or was aborted */
    const char *left_alone;       /* why it was not measured, "" otherwise */
    struct bench_run *run;        /* NULL unless planned */
    const struct sample *samples; /* run->sample_count entries */
    /* The path of its controller and its own link before, during and after the run. */
    struct pci_watch watch;
    struct drive_link sata_before; /* its errors are those since the port was taken */
    struct drive_link sata_after;  /* its errors are those during the run */
};

struct result_port {
    uint8_t number;
    const char *kind;           /* "drive", "empty", ... */
    const char *reason;         /* why it is not a drive; "" for one, and for an empty port */
    struct result_drive *drive; /* NULL: none */
    char model[41];             /* of a packet device that told its name; "" otherwise */
};

/* What became of a controller after the measurement. */
struct result_restored {
    bool known;              /* the hand-back has taken place */
    uint32_t ports_restored; /* mask: registers read back as found */
    uint32_t ports_differ;   /* mask: some register reads differently */
    bool memory_abandoned;
    enum result_known firmware_back; /* the firmware's driver was connected again */
    enum result_known volumes_back;  /* its volumes are there again; UNKNOWN: there were none */
    const char *reason;              /* "" or what could not be given back */
};

struct result_controller {
    struct pci_device pci;
    bool has_path;
    struct pci_path path;   /* as found, before the controller was taken */
    uint16_t header_bytes;  /* of its memory requests: see struct pci_packets */
    const char *slot;       /* designation of the slot it is in; "": unknown */
    bool taken;             /* the fields below `left_alone` are meaningful */
    const char *left_alone; /* why it was not touched, or why the take-over failed; "" otherwise */
    uint32_t cap, cap2, vs, pi;
    struct result_restored restored;
    uint32_t port_count;
    struct result_port ports[RESULT_PORTS_MAX]; /* implemented ports only */
};

struct result {
    struct result_tool tool;
    struct result_machine machine;
    struct hw_clock clock;
    uint32_t controller_count;
    struct result_controller *controllers;
    uint32_t note_count;
    uint32_t notes_dropped;
    char notes[RESULT_NOTES_MAX][RESULT_NOTE_BYTES];
    enum status status; /* of the whole run, see result_judge */
    bool finished;      /* false in files written while the run goes on */
};

/* Adds a line for the reader, cut to RESULT_NOTE_BYTES; dropped (and counted) if there is no room.
 */
void result_note(struct result *result, const char *note);

/*
 * Status of the whole run: OK, or the first of ABORTED, MISMATCH or VOID, and any other failure of
 * a drive's run, or NOT_FOUND if no drive was measured.
 */
enum status result_judge(const struct result *result);

/*
 * The lanes of a slot of this width code, 0 if it does not say lanes. (SMBIOS 3.6, section 7.10.2.)
 */
unsigned result_slot_lanes(uint8_t width);

/* NULL, "", or what a firmware's vendor left in place of a name: "To Be Filled By O.E.M.". */
bool result_placeholder(const char *name);

/* Number of drives with a run. */
uint32_t result_drives_measured(const struct result *result);

/* Whether an IOMMU of the machine is known to translate. */
bool result_iommu_translates(const struct result_machine *machine);

/* "0000:00:1f.2" */
#define RESULT_ADDRESS_BYTES 13
void result_address(const struct pci_address *address, char ret_name[RESULT_ADDRESS_BYTES]);

/* bytes in ticks as bytes per second; 0 only if there is nothing to divide. */
uint64_t result_rate(uint64_t bytes, uint64_t ticks, const struct hw_clock *clock);

#endif
