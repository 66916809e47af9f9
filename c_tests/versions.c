/* The header's version macros agree with each other and with the library. argv[1]: the version that
   the build file read in Cargo.toml. */
#include <s2sampler.h>

#include "support/check.h"

#include <string.h>

#if S2_VERSION_NUMBER != S2_VERSION_MAJOR * 10000 + S2_VERSION_MINOR * 100 + S2_VERSION_PATCH
#error "S2_VERSION_NUMBER is not made of the three parts"
#endif
#if S2_ABI_VERSION < 1
#error "S2_ABI_VERSION starts at 1"
#endif

int main(int argc, char **argv) {
    char parts[64];
    snprintf(parts, sizeof parts, "%d.%d.%d", S2_VERSION_MAJOR, S2_VERSION_MINOR, S2_VERSION_PATCH);
    CHECK(argc == 2);
    CHECK(strcmp(argv[1], S2_VERSION_STRING) == 0);
    CHECK(strcmp(parts, S2_VERSION_STRING) == 0);
    CHECK(strcmp(s2_version(), S2_VERSION_STRING) == 0);
    CHECK(s2_abi_version() == S2_ABI_VERSION);
    return 0;
}
