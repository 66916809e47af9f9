// What the engine's function does where the library has no token to give.
//
// It takes the function from the engine alone, which shows that the drop-in's symbol is in there.
#include "include/s2_sampler.h"

#include <cstdio>

#include <s2sampler.h>

namespace s2 {
void seed_sampler(uint32_t seed); // of src/s2_seed.cpp
}

static int failures = 0;

static void expect(const char * what, int32_t got, int32_t want) {
    if (got != want) {
        std::printf("%s: %d instead of %d\n", what, got, want);
        ++failures;
    }
}

int main() {
    const float row[] = {0.0f, 1.0f, 2.0f};
    s2::SamplerParams greedy;
    greedy.temperature = 0.0f;

    // The case below is only worth its name while the library itself reports an error.
    if (s2_sample_token(nullptr, 3, nullptr) >= 0) {
        std::printf("NULL logits are no longer an error of the library\n");
        ++failures;
    }
    expect("NULL logits", s2::sample_token(nullptr, 3, greedy), 0);
    expect("NULL logits, empty row", s2::sample_token(nullptr, 0, greedy), 0);
    expect("empty row", s2::sample_token(row, 0, greedy), 0);
    expect("negative size", s2::sample_token(row, -5, greedy), 0);

    // Each parameter arrives: greedy by each of them, against a temperature that would spread.
    expect("temperature", s2::sample_token(row, 3, greedy), 2);
    s2::SamplerParams hot;
    hot.temperature = 1e6f;
    s2::SamplerParams first = hot;
    first.top_k = 1;
    s2::SamplerParams narrow = hot;
    narrow.top_p = 0.0f;
    for (int i = 0; i < 50; ++i) {
        expect("top_k", s2::sample_token(row, 3, first), 2);
        expect("top_p", s2::sample_token(row, 3, narrow), 2);
    }

    // The defaults are the engine's, and the same stream as the library's own.
    const SamplerParams defaults = s2_sampler_params_default();
    for (uint32_t seed = 0; seed < 50; ++seed) {
        s2::seed_sampler(seed);
        const int32_t engine = s2::sample_token(row, 3, s2::SamplerParams());
        s2_seed_thread(seed);
        expect("defaults", engine, s2_sample_token(row, 3, &defaults));
    }
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
