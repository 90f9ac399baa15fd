/*
 * Device paths as bytes: sizes, prefixes and the SATA node. They come from firmware, so every node
 * length is checked. (UEFI 2.10, sections 10.2 and 10.3.4.6.)
 */
#ifndef EFI_PURE_DEVICE_PATH_H
#define EFI_PURE_DEVICE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of all nodes before the end node. 0 for a path that is empty, or broken: a node shorter
 * than 4 bytes, or no end within 4 KiB.
 */
size_t device_path_size(const uint8_t *path);

/* `path` is `prefix` or lies below it. An empty or broken prefix is above nothing. */
bool device_path_below(const uint8_t *path, const uint8_t *prefix);

/*
 * The controller port in the SATA node that directly follows `prefix`, of a drive itself: no
 * partition behind it, no port multiplier between. -1 if `path` is anything else.
 */
int device_path_sata_port(const uint8_t *path, const uint8_t *prefix);

#endif
