/* CHECK: says which condition failed, and where, and ends the program. For C and C++.
 *
 * It ends at once, without the program's destructors: on Windows exit() waits for ever in a thread that ends. */
#ifndef S2_TESTS_CHECK_H
#define S2_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

static inline void s2_test_failed(void) {
    fflush(NULL);
    _Exit(1);
}

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);       \
            s2_test_failed();                                                             \
        }                                                                                 \
    } while (0)

/* As CHECK, with a line that says which of many cases it was. */
#define CHECK_CASE(condition, ...)                                                        \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: failed: %s\n  in ", __FILE__, __LINE__, #condition);  \
            fprintf(stderr, __VA_ARGS__);                                                 \
            fputc('\n', stderr);                                                          \
            s2_test_failed();                                                             \
        }                                                                                 \
    } while (0)

#endif
