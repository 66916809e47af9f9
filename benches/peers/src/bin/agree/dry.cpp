// A C name for the one way to llama.cpp's dry stage with breakers that are token sequences.
#include <cstddef>
#include <cstdint>
#include <vector>

struct llama_sampler;

llama_sampler * llama_sampler_init_dry_testing(float multiplier, float base, int32_t allowed_length,
                                               int32_t last_n,
                                               const std::vector<std::vector<int32_t>> & breakers);

// `tokens` holds the breakers one after the other, `lengths` how long each is.
extern "C" llama_sampler * s2_agree_dry(float multiplier, float base, int32_t allowed_length,
                                        int32_t last_n, const int32_t * tokens,
                                        const size_t * lengths, size_t count) {
    std::vector<std::vector<int32_t>> breakers;
    for (size_t i = 0; i < count; ++i) {
        breakers.emplace_back(tokens, tokens + lengths[i]);
        tokens += lengths[i];
    }
    return llama_sampler_init_dry_testing(multiplier, base, allowed_length, last_n, breakers);
}
