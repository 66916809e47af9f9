// Seeds the drop-in's generator from inside the engine, for the tests.
//
// It must be inside: an engine that is a shared library around the static s2sampler has a copy of the
// library, and a generator, that no s2_seed_thread of the program reaches.
#include <s2sampler.h>

namespace s2 {

void seed_sampler(uint32_t seed) {
    s2_seed_thread(seed);
}

}
