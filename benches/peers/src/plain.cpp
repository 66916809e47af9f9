// C names for the plain full-sort sampler.
#include "../../../c_tests/engine/include/s2_sampler.h"

namespace s2 {
void seed_sampler(uint32_t seed);
}

extern "C" void s2_bench_plain_seed(uint32_t seed) {
    s2::seed_sampler(seed);
}

extern "C" int32_t s2_bench_plain(const float * logits, int32_t n, float temperature, float top_p,
                                  int32_t top_k) {
    s2::SamplerParams params;
    params.temperature = temperature;
    params.top_p = top_p;
    params.top_k = top_k;
    return s2::sample_token(logits, n, params);
}
