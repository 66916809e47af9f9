// The header of an engine whose sample_token has the form that FORM_dropin... names.
#pragma once

#include <cstdint>
#include <random>

namespace s2 {

struct SamplerParams {
#if defined(FORM_dropin_first) || defined(FORM_dropin_first_keep_id)
    float temperature = 0.7f;
    float top_p = 0.7f;
#else
    float temperature = 0.8f;
    float top_p = 0.8f;
#endif
    int32_t top_k = 30;
};

#if defined(FORM_dropin) || defined(FORM_dropin_first)
int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params);
#elif defined(FORM_dropin_mt19937)
int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params,
                     std::mt19937 * rng);
#elif defined(FORM_dropin_first_keep_id)
int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params,
                     int32_t always_include_id);
#elif defined(FORM_dropin_first_keep_id_mt19937)
int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params,
                     int32_t always_include_id, std::mt19937 * rng);
#endif

}
