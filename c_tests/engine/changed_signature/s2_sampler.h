// An engine header whose function has another signature: the drop-in must not compile against it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace s2 {

struct SamplerParams {
    float temperature = 0.8f;
    float top_p = 0.8f;
    int32_t top_k = 30;
};

int32_t sample_token(const float * logits, size_t vocab_size, const SamplerParams & params);

}
