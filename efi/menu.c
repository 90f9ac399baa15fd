/* The countdown and the menu of a program that was booted. */
#include "base/text.h"
#include "efi/console.h"
#include "efi/session.h"

#define COUNTDOWN_SECONDS 10

static bool choice_of(char key, enum menu_choice *ret_choice)
{
    switch (key) {
    case 'r':
    case CONSOLE_ENTER:
        *ret_choice = MENU_RUN;
        return true;
    case 'l':
        *ret_choice = MENU_LIST;
        return true;
    case 'q':
        *ret_choice = MENU_QUIT;
        return true;
    case 'p':
        *ret_choice = MENU_POWER_OFF;
        return true;
    default:
        return false;
    }
}

enum menu_choice menu_ask(void)
{
    enum menu_choice choice = MENU_QUIT;

    console_drain();
    console_print("\n  r  run the benchmark    l  list again    q  quit to firmware    "
                  "p  power off\n");
    while (!choice_of(console_wait_key(1000), &choice))
        ;
    return choice;
}

enum menu_choice menu_end(void)
{
    enum menu_choice choice = MENU_RUN;

    console_drain();
    console_print("\n  q  quit to firmware    p  power off\n");
    while (choice != MENU_QUIT && choice != MENU_POWER_OFF) {
        char key = console_wait_key(1000);

        if (key != CONSOLE_ENTER && !choice_of(key, &choice))
            choice = MENU_RUN;
    }
    return choice;
}

enum menu_choice menu_countdown(struct session *session)
{
    console_drain();
    for (int left = COUNTDOWN_SECONDS; left > 0; left--) {
        char line[80];
        struct text text;

        text_init(&text, line, sizeof line);
        text_printf(&text, "The benchmark starts in %d s; any key stops the countdown.", left);
        console_status(line);
        if (console_wait_key(1000) != CONSOLE_NO_KEY) {
            console_status("");
            session->attended = true;
            return menu_ask();
        }
    }
    console_status("");
    return MENU_RUN;
}
