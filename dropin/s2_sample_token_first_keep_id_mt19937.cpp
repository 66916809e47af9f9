// Defines the form of s2::sample_token that keeps one id and draws with the caller's own std::mt19937.
// Engines that have it are of the first generations, whatever their defaults.
#define S2SAMPLER_DROPIN_FIRST
#ifndef S2SAMPLER_DROPIN_ANY_DEFAULTS
#define S2SAMPLER_DROPIN_ANY_DEFAULTS
#endif
#include "own_generator.hpp"

#include <cstdint>
#include <random>

#ifndef S2SAMPLER_DROPIN_HAS_ENGINE_HEADER
namespace s2 {
int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params,
                     int32_t always_include_id, std::mt19937 * rng);
}
#endif

// NULL selects the library's generator of this thread, which s2_seed_thread() seeds.
int32_t s2::sample_token(const float * logits, int32_t vocab_size, const s2::SamplerParams & params,
                         int32_t always_include_id, std::mt19937 * rng) {
    const ::S2SamplerParams same = s2sampler_dropin::same(params);
    if (rng == nullptr) {
        const int32_t token = s2_sample_token_first(logits, vocab_size, &same, always_include_id);
        return token < 0 ? 0 : token;
    }
    S2SampleRequest request;
    s2_sample_request_init(&request);
    request.logits = logits;
    request.vocab_size = vocab_size;
    request.params = &same;
    request.keep_id = always_include_id;
    request.flags = S2_REQUEST_S2_FIRST | (always_include_id >= 0 ? S2_REQUEST_KEEP_ID : 0);
    const bool one = vocab_size == 1 || same.top_k == 1;
    return s2sampler_dropin::draw(request, *rng, one ? 1 : 2);
}
