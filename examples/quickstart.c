#include <s2sampler.h>

#include <stdio.h>

int main(void) {
    const float logits[4] = {1.0f, 3.0f, 2.5f, 2.0f};
    SamplerParams params = s2_sampler_params_default(); /* 0.8, 0.8, 30 */
    params.top_p = 0.95f;

    s2_seed_thread(42); /* left out: seeded by the operating system */
    printf("tokens:");
    for (int i = 0; i < 5; ++i) {
        const int32_t token = s2_sample_token(logits, 4, &params);
        if (token < 0) {
            fprintf(stderr, "%s\n", s2_status_string(token));
            return 1;
        }
        printf(" %d", (int)token);
    }
    printf("\n");
    return 0;
}
