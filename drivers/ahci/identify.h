/* What a drive says about itself: IDENTIFY DEVICE data (ATA/ATAPI Command Set-4, section 7.12). */
#ifndef DRIVERS_AHCI_IDENTIFY_H
#define DRIVERS_AHCI_IDENTIFY_H

#include "base/status.h"
#include "drivers/drive.h"

#include <stdint.h>

#define AHCI_IDENTIFY_WORDS 256

/*
 * Judges 256 words that may hold anything. Fills everything of *ret_info but link_speed and array;
 * command_sectors_max and queue_depth are the drive's own, not cut to the controller. Of a drive
 * in standby only the names and its state are filled.
 * STATUS_INVALID: not plausible, *ret_reason (static) says why and *ret_info is all zero.
 * STATUS_UNSUPPORTED: the data of a packet device; *ret_info has the names.
 */
enum status ahci_identify_parse(const uint16_t *words, struct drive_info *ret_info,
                                const char **ret_reason) MUST_CHECK;

/* Model and firmware of IDENTIFY PACKET DEVICE data, which differ from a drive's in nothing else
 * that is of interest here. *ret_info is zero but for the names. */
void ahci_identify_names(const uint16_t *words, struct drive_info *ret_info);

/* Blanks what identifies a single specimen: serial numbers (words 10-19, 176-205 for media) and
 * the world wide name (108-111). Nothing of it is kept anywhere. */
void ahci_identify_blank(uint16_t *words);

#endif
