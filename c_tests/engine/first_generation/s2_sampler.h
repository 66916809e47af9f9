// The header of an engine of the first generation: the same signature, other defaults and another rule.
#pragma once

#include <cstdint>

namespace s2 {

struct SamplerParams {
    float temperature = 0.7f;
    float top_p = 0.7f;
    int32_t top_k = 30;
};

int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params);

}
