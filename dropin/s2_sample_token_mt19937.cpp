// Defines the form of s2::sample_token that draws with the caller's own std::mt19937.

// Before the engine's header, which may use <random> without including it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include "engine_header.hpp"

#ifndef S2SAMPLER_DROPIN_HAS_ENGINE_HEADER
namespace s2 {
int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params,
                     std::mt19937 * rng);
}
#endif

namespace {

// The buffers of this thread's draws. The generator inside is never used.
struct Memory {
    Memory() : sampler(s2_sampler_new(0)) {}
    Memory(const Memory &) = delete;
    Memory & operator=(const Memory &) = delete;
    ~Memory() { s2_sampler_free(sampler); }
    S2Sampler * const sampler;
};

}  // namespace

// The engine's generator advances by two words if at least two candidates are left, and not at all
// otherwise, as with std::discrete_distribution. NULL selects the library's generator of this thread, which
// s2_seed_thread() seeds. An error returns token 0, since engines use the result as an index.
int32_t s2::sample_token(const float * logits, int32_t vocab_size, const s2::SamplerParams & params,
                         std::mt19937 * rng) {
    ::S2SamplerParams same;
    same.temperature = params.temperature;
    same.top_p = params.top_p;
    same.top_k = params.top_k;
    if (rng == nullptr) {
        const int32_t token = s2_sample_token(logits, vocab_size, &same);
        return token < 0 ? 0 : token;
    }
    // Only the draw tells whether it used a number, so the number comes from a copy of the generator.
    std::mt19937 ahead = *rng;
    const double uniform = std::generate_canonical<double, 53>(ahead);

    S2SampleRequest request;
    s2_sample_request_init(&request);
    request.logits = logits;
    request.vocab_size = vocab_size;
    request.params = &same;
    request.flags = S2_REQUEST_UNIFORM | S2_REQUEST_NO_STATS;
    // Some standard libraries return 1 if the sum rounds up to it.
    request.uniform = uniform < 1.0 ? uniform : std::nextafter(1.0, 0.0);
    S2SampleResult result;
    s2_sample_result_init(&result);

    static thread_local const Memory memory;
    const int32_t token = s2_sampler_sample_ex(memory.sampler, &request, &result);
    if (token == S2_ERROR_NO_CANDIDATE) {
        // A row without a logit above -inf: the distribution draws in vain from all that top_k lets through.
        const bool one = vocab_size == 1 || same.top_k == 1 || same.temperature <= 0.0f;
        result.candidates = one ? 1 : 2;
    }
    if (result.candidates > 1) {
        *rng = ahead;
    }
    return token < 0 ? 0 : token;
}
