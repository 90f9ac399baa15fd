/*
 * What the looks at the SATA link of a drive say together. (Serial ATA 3.1, section 14; AHCI 1.3.1,
 * sections 3.3.10 to 3.3.12.)
 */
#ifndef REPORT_SATA_H
#define REPORT_SATA_H

#include "base/text.h"
#include "report/result.h"

#include <stdbool.h>
#include <stdint.h>

/* Generation of the link: before the run, else as found when the drive was identified; 0: unknown.
 */
unsigned sata_generation(const struct result_drive *drive);

/* Highest generation that the drive can do, by IDENTIFY; 0: it does not say. */
unsigned sata_drive_max(const struct drive_info *info);

/* The link went down or had another speed after the run than before. */
bool sata_changed(const struct result_drive *drive);

/* Bits of PxSERR during the run that are errors; 0: none, or nothing is known. */
uint32_t sata_errors(const struct result_drive *drive);

/* "CRC error, handshake error" for bits of PxSERR. */
void sata_error_words(struct text *text, uint32_t errors);

/* "1.5", "3", "6" for a generation, "?" for none. In Gb/s. */
const char *sata_speed(unsigned generation);

#endif
