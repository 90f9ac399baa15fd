/*
 * One start of the program: what was asked for, what was found, what came out. Each stage of
 * main.c fills its part and later stages read it.
 */
#ifndef EFI_SESSION_H
#define EFI_SESSION_H

#include "bench/bench.h"
#include "drivers/ahci/ahci.h"
#include "drivers/null/null.h"
#include "efi/handover.h"
#include "efi/pure/options.h"
#include "efi/volume.h"
#include "pci/walk.h"
#include "report/result.h"

#include <stdbool.h>
#include <stdint.h>

#define SESSION_CONTROLLERS_MAX 32
#define SESSION_FUNCTIONS_MAX   2048
#define SESSION_ROWS_BYTES      (1u << 20) /* of session_files.rows */

/* What the firmware's driver read of one drive, and what it takes the drive for. */
struct session_references {
    uint64_t sectors;
    uint32_t logical_bytes;
    uint32_t crc[PLAN_VERIFY_PLACES];
};

/* One AHCI controller. Its number for the user is its index. */
struct session_target {
    const struct pci_device *device;
    struct handover handover;
    struct ahci_controller *ahci;                          /* NULL: not taken */
    struct hw_dma buffer;                                  /* data of the benchmark */
    struct session_references *references[AHCI_PORTS_MAX]; /* NULL: none */
    struct result_drive *drives[AHCI_PORTS_MAX];           /* NULL: no drive on that port */
    uint32_t rows_saved[AHCI_PORTS_MAX];                   /* samples that are in samples.csv */
};

/* Where the results stand. */
struct session_files {
    struct volume volume;
    bool remembered;         /* `volume` names the one we were started from, or the one chosen */
    bool made;               /* the folder exists */
    enum status status;      /* of the last attempt to save; OK: everything is on the volume */
    enum status rows_status; /* of samples.csv alone */
    bool rows_begun;         /* its header is written */
    bool json_saved;
    char *json; /* buffers, obtained before the first benchmark */
    size_t json_bytes;
    char *table;
    size_t table_bytes;
    char *rows;
};

struct session {
    struct options options;
    bool from_shell;
    bool attended; /* somebody is there to answer a question */
    struct pci_host host;
    struct pci_config config;
    struct pci_tree tree;
    uint32_t target_count;
    struct session_target targets[SESSION_CONTROLLERS_MAX];
    struct result_controller controllers[SESSION_CONTROLLERS_MAX];
    struct result result;
    struct session_files files;
    char firmware_vendor[64];
    char arguments[128];
    struct null_drive null_memory;
    struct drive *null_drive;
};

/* A drive among all that were found; start with {0, 0}. */
struct session_place {
    uint32_t controller; /* index of its target */
    uint32_t port;       /* the next to look at; one beyond the drive that was delivered */
};

/* session.c: the next drive and where it is (*ret_port), in the order of the list; NULL: no more.
 */
struct result_drive *session_next_drive(const struct session *session, struct session_place *place,
                                        uint32_t *ret_port);

/*
 * discover.c: the walk alone; then clock, machine, walk and AHCI controllers together.
 * STATUS_NOT_FOUND: no AHCI controller.
 */
enum status session_walk(struct session *session) MUST_CHECK;
enum status session_discover(struct session *session) MUST_CHECK;

/*
 * claim.c: takes every controller that may be taken, and finds its drives. A controller that cannot
 * be taken is left alone with a reason; that is no failure. STATUS_NOT_FOUND: a drive asked for
 * with -d is not there.
 */
enum status session_claim(struct session *session) MUST_CHECK;

/* claim.c: gives every taken controller back. */
void session_release(struct session *session);

/* list.c: prints what was found. */
void session_list(const struct session *session);

/*
 * measure.c: makes the plan of every chosen drive and obtains its memory; then runs them, one after
 * the other. STATUS_NOT_FOUND: there is no drive to measure. STATUS_ABORTED: the user stopped it.
 */
enum status session_plan(struct session *session) MUST_CHECK;
enum status session_measure(struct session *session) MUST_CHECK;

/*
 * deliver.c: the volume we were started from, remembered before its controller may be taken; the
 * result folder and the writers' memory; the files as they stand now; and at the end, with all
 * controllers given back, everything saved, or handed over in another way.
 */
void session_remember_volume(struct session *session);
enum status session_open_files(struct session *session) MUST_CHECK;
void session_checkpoint(struct session *session);
enum status session_deliver(struct session *session) MUST_CHECK;

/* tree.c: writes pci.txt into the open result folder, through session_files.rows. */
enum status session_save_tree(struct session *session) MUST_CHECK;

/* show.c: walks, and prints the tree of functions and the paths of the storage controllers. */
enum status session_show_tree(struct session *session) MUST_CHECK;

/* menu.c: the countdown and the menu of a program that was booted. */
enum menu_choice {
    MENU_RUN,
    MENU_LIST,
    MENU_QUIT,
    MENU_POWER_OFF,
};
enum menu_choice menu_countdown(struct session *session);
enum menu_choice menu_ask(void);

/* After the run: MENU_QUIT or MENU_POWER_OFF. */
enum menu_choice menu_end(void);

#endif
