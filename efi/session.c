/* Going through all drives. */
#include "efi/session.h"

struct result_drive *session_next_drive(const struct session *session, struct session_place *place,
                                        uint32_t *ret_port)
{
    for (; place->controller < session->target_count; place->controller++, place->port = 0) {
        while (place->port < AHCI_PORTS_MAX) {
            uint32_t port = place->port++;

            if (session->targets[place->controller].drives[port] == NULL)
                continue;
            *ret_port = port;
            return session->targets[place->controller].drives[port];
        }
    }
    return NULL;
}
