/* The SATA link's state in words. */
#include "report/sata.h"

#include "base/bits.h"

/*
 * All of ERR, and of DIAG all but PhyRdy Change and Comm Wake: links that sleep and wake set those.
 * (Serial ATA 3.1, section 14.1.2.)
 */
#define SATA_ERRORS UINT32_C(0x07fa0f03)

unsigned sata_generation(const struct result_drive *drive)
{
    unsigned generation =
        drive->sata_before.known ? drive->sata_before.speed : drive->info.link_speed;

    return generation <= 3 ? generation : 0;
}

unsigned sata_drive_max(const struct drive_info *info)
{
    unsigned most = 0;

    for (unsigned generation = 1; generation <= 3; generation++)
        if ((info->sata_speeds >> generation & 1) != 0)
            most = generation;
    return most;
}

bool sata_changed(const struct result_drive *drive)
{
    return drive->sata_before.known && drive->sata_after.known &&
           drive->sata_before.speed != drive->sata_after.speed;
}

uint32_t sata_errors(const struct result_drive *drive)
{
    return drive->sata_after.known ? drive->sata_after.errors & SATA_ERRORS : 0;
}

void sata_error_words(struct text *text, uint32_t errors)
{
    static const struct {
        uint8_t bit;
        const char *name;
    } names[] = {
        {0, "recovered data error"},
        {1, "recovered communication error"},
        {8, "data error"},
        {9, "communication error"},
        {10, "protocol error"},
        {11, "internal error"},
        {17, "PHY internal error"},
        {19, "10b/8b decode error"},
        {20, "disparity error"},
        {21, "CRC error"},
        {22, "handshake error"},
        {23, "link sequence error"},
        {24, "transport state error"},
        {25, "unknown FIS"},
        {26, "device exchanged"},
    };
    bool first = true;

    for (unsigned i = 0; i < COUNT_OF(names); i++)
        if ((errors >> names[i].bit & 1) != 0) {
            text_printf(text, "%s%s", first ? "" : ", ", names[i].name);
            first = false;
        }
}

const char *sata_speed(unsigned generation)
{
    static const char *const speeds[] = {"?", "1.5", "3", "6"};

    return speeds[generation < COUNT_OF(speeds) ? generation : 0];
}
