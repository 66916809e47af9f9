/* Every export with NULL, zero and negative arguments, and the texts and numbers of every status. */
#include <s2sampler.h>

#include "support/check.h"

#include <limits.h>
#include <string.h>

static void sample_token(void) {
    const float row[4] = {1.0F, 2.0F, 3.0F, 2.9F};
    const SamplerParams greedy = {0.0F, 1.0F, 0};
    const int32_t lengths[] = {0, -1, INT_MIN};
    SamplerParams odd;
    size_t i;
    int draw;

    for (i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        CHECK(s2_sample_token(row, lengths[i], &greedy) == 0);
        CHECK(s2_sample_token(row, lengths[i], NULL) == 0);
        CHECK(s2_sample_token(NULL, lengths[i], &greedy) == 0);
        CHECK(s2_sample_token(NULL, lengths[i], NULL) == 0);
    }
    CHECK(s2_sample_token(NULL, 1, NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sample_token(NULL, 1, &greedy) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sample_token(NULL, INT_MAX, &greedy) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sample_token((const float *)(const void *)((const char *)row + 1), 2, &greedy) ==
          S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_sample_token(row, 4, &greedy) == 2);
    CHECK(s2_sample_token(row + 3, 1, NULL) == 0);

    memset(&odd, 0, sizeof odd); /* temperature 0 */
    CHECK(s2_sample_token(row, 4, &odd) == 2);
    odd.temperature = 1.0F; /* top_p 0, top_k 0 */
    CHECK(s2_sample_token(row, 4, &odd) == 2);
    odd.top_p = -1.0F;
    odd.top_k = INT_MIN;
    CHECK(s2_sample_token(row, 4, &odd) == 2);
    odd.temperature = -1.0F;
    CHECK(s2_sample_token(row, 4, &odd) == 2);

    /* NULL parameters are the defaults. */
    for (draw = 0; draw < 100; ++draw) {
        const SamplerParams defaults = s2_sampler_params_default();
        int32_t with_null;
        s2_seed_thread((uint32_t)draw);
        with_null = s2_sample_token(row, 4, NULL);
        s2_seed_thread((uint32_t)draw);
        CHECK(s2_sample_token(row, 4, &defaults) == with_null);
    }
}

static void defaults(void) {
    const SamplerParams params = s2_sampler_params_default();
    const SamplerParams expected = {0.8F, 0.8F, 30};
    CHECK(memcmp(&params, &expected, sizeof params) == 0);
}

static void status_strings(void) {
    const int32_t known[] = {S2_ERROR_NULL_POINTER,  S2_ERROR_BAD_ARGUMENT, S2_ERROR_EMPTY_ROW,
                             S2_ERROR_OUT_OF_MEMORY, S2_ERROR_INTERNAL,     S2_ERROR_NO_ENTROPY};
    const char *const unknown = s2_status_string(INT_MIN);
    const char *const success = s2_status_string(0);
    size_t i;
    size_t j;

    CHECK(strcmp(unknown, success) != 0 && unknown[0] != '\0' && success[0] != '\0');
    CHECK(strcmp(s2_status_string(1), success) == 0);
    CHECK(strcmp(s2_status_string(INT_MAX), success) == 0);
    for (i = 0; i < sizeof known / sizeof known[0]; ++i) {
        const char *const text = s2_status_string(known[i]);
        CHECK(known[i] == -1 - (int32_t)i); /* pinned, for ever */
        CHECK(text != NULL && text[0] != '\0');
        CHECK(strcmp(text, unknown) != 0 && strcmp(text, success) != 0);
        for (j = 0; j < i; ++j) {
            CHECK(strcmp(text, s2_status_string(known[j])) != 0);
        }
    }
    CHECK(strcmp(s2_status_string(-1 - (int32_t)i), unknown) == 0);
}

/* The name is one of the header's, and the same at every call. */
static void simd_level(void) {
    const char *const names[] = {"baseline", "avx2", "avx512", "neon"};
    const char *const level = s2_simd_level();
    size_t matches = 0;
    size_t i;

    CHECK(level != NULL);
    for (i = 0; i < sizeof names / sizeof names[0]; ++i) {
        matches += strcmp(level, names[i]) == 0;
    }
    CHECK(matches == 1);
    CHECK(s2_simd_level() == level);
}

int main(void) {
    sample_token();
    defaults();
    status_strings();
    simd_level();
    return 0;
}
