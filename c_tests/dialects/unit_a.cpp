// The C++ header alone and first, in one of two units of a program.
#include <s2sampler.hpp>
#include <s2sampler.hpp>

std::int32_t token_of_b(const float *logits, std::size_t n);

int main() {
    const float row[3] = {0.0F, 2.0F, 1.0F};
    const s2sampler::Params params{0.0F, 1.0F, 0};
    return s2sampler::sample_token(row, params).token() == 1 && token_of_b(row, 3) == 1 ? 0 : 1;
}
