/* LLVM's thread sanitizer gives the copies in instrumented code names of its own, which gcc's runtime lacks
 * (gcc 12): they are the intercepted functions. Weak, for a runtime that has them. */
#include <string.h>

#define WEAK __attribute__((weak))

WEAK void *__tsan_memcpy(void *to, const void *from, size_t size);
WEAK void *__tsan_memmove(void *to, const void *from, size_t size);
WEAK void *__tsan_memset(void *to, int byte, size_t size);

void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
void *__tsan_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
void *__tsan_memset(void *to, int byte, size_t size) { return memset(to, byte, size); }
