// The other unit.
#include <s2sampler.hpp>

std::int32_t token_of_b(const float *logits, std::size_t n);

std::int32_t token_of_b(const float *logits, std::size_t n) {
    return s2sampler::sample_token(logits, n, {0.0F, 1.0F, 1}).value_or(-1);
}
