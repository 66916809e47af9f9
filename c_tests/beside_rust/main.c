/* A program with this library and another Rust library, both static: both work, panics included. */
#include <s2sampler.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t other_library(uint32_t number);

int main(int argc, char **argv) {
    const float logits[4] = {1.0f, 3.0f, 2.5f, 2.0f};
    const int32_t expected[5] = {2, 1, 2, 2, 1}; /* what README's first program prints */
    SamplerParams params = s2_sampler_params_default();
    int i;
    (void)argv;
    params.top_p = 0.95f;
    s2_seed_thread(42);
    for (i = 0; i < 5; ++i) {
        if (s2_sample_token(logits, 4, &params) != expected[i]) {
            return 1;
        }
    }
    if (other_library(20) != 7) {
        return 2;
    }
    /* With an argument: a panic that the other library catches, which one built to abort cannot. */
    return argc > 1 && other_library(13) != 99 ? 3 : 0;
}
