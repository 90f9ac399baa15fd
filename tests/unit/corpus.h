/*
 * Files of real machines in the folder that the environment variable BARELANE_CORPUS names; without
 * it the tests are skipped. They are other people's and not part of the project.
 */
#ifndef TESTS_UNIT_CORPUS_H
#define TESTS_UNIT_CORPUS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>

#include <cmocka.h>

static const char *corpus(void)
{
    const char *path = getenv("BARELANE_CORPUS");

    if (path == NULL || *path == '\0')
        skip();
    return path;
}

/* Calls `check` for each file of a folder of the corpus whose name ends so. */
static void check_directory(const char *name, const char *ending,
                            void (*check)(const char *directory, const char *file))
{
    char path[1024];
    struct dirent *entry;
    size_t count = 0;
    DIR *directory;

    snprintf(path, sizeof path, "%s/%s", corpus(), name);
    directory = opendir(path);
    if (directory == NULL)
        fail_msg("cannot open %s", path);
    while ((entry = readdir(directory)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');

        if (dot == NULL || strcmp(dot, ending) != 0)
            continue;
        check(path, entry->d_name);
        count++;
    }
    closedir(directory);
    assert_true(count > 0);
    print_message("# %s: %zu files\n", name, count);
}

#endif
