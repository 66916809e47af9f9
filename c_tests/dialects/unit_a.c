/* The header alone and first, in one of two units of a program. Compiled as C and as C++. */
#include <s2sampler.h>
#include <s2sampler.h> /* twice is as good as once */

#ifdef __cplusplus
extern "C"
#endif
int32_t token_of_b(const float *logits, int32_t n);

int main(void) {
    const float row[3] = {0.0F, 2.0F, 1.0F};
    SamplerParams params = s2_sampler_params_default();
    params.temperature = 0.0F;
    s2_seed_thread(1);
    return s2_sample_token(row, 3, &params) == 1 && token_of_b(row, 3) == 1 ? 0 : 1;
}
