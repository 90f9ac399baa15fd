/*
 * Every fact of a run, for the writers. Fixed bounds; the large parts are the caller's arrays.
 *
 * Only what this header has a field for can reach a result file: no serial numbers, no world wide
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
#include "pci/link.h"

#include <stdbool.h>
#include <stdint.h>

#define RESULT_PORTS_MAX  32
#define RESULT_NOTES_MAX  32
#define RESULT_NOTE_BYTES 160

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

struct result_machine {
    const char *firmware_vendor;
    uint32_t firmware_revision;
    uint32_t uefi_revision; /* of the system table: 0x00020046 is 2.70 */
    enum result_known secure_boot;
    bool hypervisor; /* CPUID 1 ECX bit 31 */
};

/* A drive that was identified. */
struct result_drive {
    struct drive_info info;
    bool planned;                 /* `run` holds a run: also one that failed or was aborted */
    const char *left_alone;       /* why it was not measured, "" otherwise */
    struct bench_run *run;        /* NULL unless planned */
    const struct sample *samples; /* run->sample_count entries */
};

struct result_port {
    uint8_t number;
    const char *kind;           /* "drive", "empty", ... */
    const char *reason;         /* why it is not a drive; "" for one, and for an empty port */
    struct result_drive *drive; /* NULL: none */
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
    struct pci_link link;
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
 * Status of the whole run: OK, or the first of ABORTED, MISMATCH and any other failure of a drive's
 * run, or NOT_FOUND if no drive was measured.
 */
enum status result_judge(const struct result *result);

/* Number of drives with a run. */
uint32_t result_drives_measured(const struct result *result);

/* "0000:00:1f.2" */
#define RESULT_ADDRESS_BYTES 13
void result_address(const struct pci_address *address, char ret_name[RESULT_ADDRESS_BYTES]);

/* bytes in ticks as bytes per second; 0 only if there is nothing to divide. */
uint64_t result_rate(uint64_t bytes, uint64_t ticks, const struct hw_clock *clock);

#endif
