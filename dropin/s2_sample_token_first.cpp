// Defines s2::sample_token by the rule of the engines' first generation.
#define S2SAMPLER_DROPIN_FIRST
#include "engine_header.hpp"

#include <cstdint>

#ifndef S2SAMPLER_DROPIN_HAS_ENGINE_HEADER
namespace s2 {
int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params);
}
#endif

int32_t s2::sample_token(const float * logits, int32_t vocab_size, const s2::SamplerParams & params) {
    const ::S2SamplerParams same = s2sampler_dropin::same(params);
    const int32_t token = s2_sample_token_first(logits, vocab_size, &same, -1);
    return token < 0 ? 0 : token;
}
