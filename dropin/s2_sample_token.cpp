// Defines s2::sample_token for an engine that no longer compiles its own sampler.
#include "engine_header.hpp"

#include <cstdint>

#ifndef S2SAMPLER_DROPIN_HAS_ENGINE_HEADER
namespace s2 {
int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params);
}
#endif

// The qualified name makes another signature in the header an error.
int32_t s2::sample_token(const float * logits, int32_t vocab_size, const s2::SamplerParams & params) {
    const ::S2SamplerParams same = s2sampler_dropin::same(params);
    const int32_t token = s2_sample_token(logits, vocab_size, &same);
    // Engines use the result as an index and do not know statuses.
    return token < 0 ? 0 : token;
}
