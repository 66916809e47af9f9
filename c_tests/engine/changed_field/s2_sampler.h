// An engine header whose struct has grown: the drop-in must not compile against it.
#pragma once

#include <cstdint>

namespace s2 {

struct SamplerParams {
    float temperature = 0.8f;
    float top_p = 0.8f;
    int32_t top_k = 30;
    float min_p = 0.0f;
};

int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params);

}
