// Draws through the engine's library and through the C++ header.
#include <s2sampler.hpp>

extern "C" int engine_token(const float *logits, int n);

int main() {
    const float row[3] = {0.0F, 50.0F, 1.0F};
    return engine_token(row, 3) == 1 && s2sampler::sample_token(row).value_or(-1) == 1 ? 0 : 1;
}
