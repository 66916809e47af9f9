// Ends a test before main() if the library does not run at the level that the test is there for.
//
// Linked into every program that is run at each level, so that none can forget to look: a level that was
// named and ignored would repeat the tests of another and pass.
#include <s2sampler.h>

#include "check.h"

#include <cstdlib>
#include <string>

namespace {

// The level that S2SAMPLER_SIMD names, or else the best of this CPU as the build file found it.
bool check_level() {
    const char *const named = std::getenv("S2SAMPLER_SIMD");
    const std::string expected = named != nullptr ? named : S2_BEST_LEVEL;
    CHECK_CASE(expected == s2_simd_level(), "a test at level %s: the library runs at %s", expected.c_str(),
               s2_simd_level());
    std::printf("level: %s\n", s2_simd_level());
    return true;
}

const bool checked = check_level();

}  // namespace
