/*
 * The closed list of outcomes every function of the program reports.
 *
 * A status says what kind of thing happened; the evidence (registers, LBA, times) travels as data
 * in a record of the room that met it, never in the status.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

enum status {
    STATUS_OK = 0,
    STATUS_INVALID,     /* an argument or a table is malformed */
    STATUS_NOT_FOUND,   /* the thing asked for does not exist */
    STATUS_UNSUPPORTED, /* it exists, but this program does not handle it */
    STATUS_TIMEOUT,     /* hardware did not answer within its limit */
    STATUS_DEVICE,      /* hardware reported an error */
    STATUS_GONE,        /* registers read as all ones: the device no longer answers */
    STATUS_NO_MEMORY,   /* memory of the wanted kind or size is not to be had */
    STATUS_ABORTED,     /* the user stopped it */
    STATUS_FULL,        /* a buffer, table or volume has no room left */
    STATUS_READ_ONLY,   /* the volume refuses writes */
    STATUS_MISMATCH,    /* data read twice, or by two ways, differs */
    STATUS_VOID,        /* what was measured cannot be, or its conditions changed meanwhile */
    STATUS_COUNT
};

/* A returned status must be looked at. */
#define MUST_CHECK __attribute__((warn_unused_result))

/* Lower-case name of a status ("time-out"), for people and for result files. Never NULL. */
const char *base_status_name(enum status status);

#endif
