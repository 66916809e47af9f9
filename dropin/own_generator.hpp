// A draw with the engine's own std::mt19937, for the forms that have one.
#pragma once

// Before the engine's header, which may use <random> without including it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include "engine_header.hpp"

namespace s2sampler_dropin {

// The buffers of this thread's draws. The generator inside is never used.
struct Memory {
    Memory() : sampler(s2_sampler_new(0)) {}
    Memory(const Memory &) = delete;
    Memory & operator=(const Memory &) = delete;
    ~Memory() { s2_sampler_free(sampler); }
    S2Sampler * const sampler;
};

// Draws as the request says. The engine's generator advances by two words if at least two candidates are
// left, and not at all otherwise, as with std::discrete_distribution. A row without a logit above -inf gives
// token 0, and the distribution draws in vain from `if_none` candidates. Any other error is token 0 as well,
// since engines use the result as an index.
inline int32_t draw(S2SampleRequest & request, std::mt19937 & rng, int32_t if_none) {
    // Only the draw tells whether it used a number, so the number comes from a copy of the generator.
    std::mt19937 ahead = rng;
    const double uniform = std::generate_canonical<double, 53>(ahead);
    request.flags |= S2_REQUEST_UNIFORM | S2_REQUEST_NO_STATS;
    // Some standard libraries return 1 if the sum rounds up to it.
    request.uniform = uniform < 1.0 ? uniform : std::nextafter(1.0, 0.0);
    S2SampleResult result;
    s2_sample_result_init(&result);

    static thread_local const Memory memory;
    const int32_t token = s2_sampler_sample_ex(memory.sampler, &request, &result);
    if (token == S2_ERROR_NO_CANDIDATE) {
        result.candidates = if_none;
    }
    if (result.candidates > 1) {
        rng = ahead;
    }
    return token < 0 ? 0 : token;
}

}  // namespace s2sampler_dropin
