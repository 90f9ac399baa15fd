/*
 * usage: NAME_test [FILE...]
 *
 * A fuzz target as an ordinary test: runs the target it is linked with on each file of
 * tests/fuzz/corpus/NAME/, or on the files named.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define FILE_BYTES_MAX (1u << 20)

static char folder[256];
static char **files;
static int file_count;

static void run_file(const char *path)
{
    static uint8_t buffer[FILE_BYTES_MAX];
    FILE *file = fopen(path, "rb");
    uint8_t *exact;
    size_t size;

    if (file == NULL)
        fail_msg("cannot open %s", path);
    size = fread(buffer, 1, sizeof buffer, file);
    assert_int_equal(ferror(file), 0);
    fclose(file);
    /* Behind its last byte must be nothing, so that reading there is seen. */
    exact = malloc(size > 0 ? size : 1);
    assert_non_null(exact);
    memcpy(exact, buffer, size);
    /* A failure ends the program: this is the last that is heard of it. */
    fprintf(stderr, "# %s\n", path);
    assert_int_equal(LLVMFuzzerTestOneInput(exact, size), 0);
    free(exact);
}

static void corpus_is_survived(void **state)
{
    char path[1024];
    unsigned count = 0;
    DIR *dir;

    (void)state;
    for (int i = 0; i < file_count; i++)
        run_file(files[i]);
    if (file_count > 0)
        return;
    dir = opendir(folder);
    if (dir == NULL)
        fail_msg("cannot open %s", folder);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        run_file(path);
        count++;
    }
    closedir(dir);
    assert_true(count > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(corpus_is_survived)};
    const char *slash = strrchr(argv[0], '/');
    const char *name = slash == NULL ? argv[0] : slash + 1;
    const char *end = strstr(name, "_test");

    if (end == NULL)
        return 2;
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%.*s", (int)(end - name), name);
    files = argv + 1;
    file_count = argc - 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
