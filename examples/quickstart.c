#include <s2sampler.h>
#include <stdio.h>

int main(void) {
    const float logits[4] = {1.0f, 3.0f, 2.5f, 2.0f};
    SamplerParams params = s2_sampler_params_default(); /* temperature 0.8, top_p 0.8, top_k 30 */
    params.top_p = 0.95f;
    s2_seed_thread(42); /* without this call the operating system seeds the thread */
    printf("tokens:");
    for (int i = 0; i < 5; ++i) printf(" %d", (int)s2_sample_token(logits, 4, &params));
    printf("\n");
    return 0;
}
