/* The other unit. */
#include <s2sampler.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t token_of_b(const float *logits, int32_t n);

int32_t token_of_b(const float *logits, int32_t n) {
    const SamplerParams params = {0.0F, 1.0F, S2_ABI_VERSION};
    return s2_sample_token(logits, n, &params);
}
