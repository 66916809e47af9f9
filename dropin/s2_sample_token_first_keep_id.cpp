// Defines the form of s2::sample_token that keeps one id, the end token for example, among the candidates.
// Engines that have it are of the first generations, whatever their defaults.
#define S2SAMPLER_DROPIN_FIRST
#ifndef S2SAMPLER_DROPIN_ANY_DEFAULTS
#define S2SAMPLER_DROPIN_ANY_DEFAULTS
#endif
#include "engine_header.hpp"

#include <cstdint>

#ifndef S2SAMPLER_DROPIN_HAS_ENGINE_HEADER
namespace s2 {
int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params,
                     int32_t always_include_id);
}
#endif

int32_t s2::sample_token(const float * logits, int32_t vocab_size, const s2::SamplerParams & params,
                         int32_t always_include_id) {
    const ::S2SamplerParams same = s2sampler_dropin::same(params);
    const int32_t token = s2_sample_token_first(logits, vocab_size, &same, always_include_id);
    return token < 0 ? 0 : token;
}
