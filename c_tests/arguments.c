/* Every export with NULL, zero and negative arguments, and the texts and numbers of every status.
   (Several rows in a call: rows.cpp.) */
#include <s2sampler.h>

#include "support/check.h"

#include <limits.h>
#include <stddef.h>
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

static void handles(void) {
    const float row[4] = {1.0F, 2.0F, 3.0F, 2.9F};
    const SamplerParams greedy = {0.0F, 1.0F, 0};
    const S2TokenRange all = {0, 3};
    const S2TokenRange one = {1, 1};
    const S2TokenRange none[] = {{-5, -1}, {4, INT_MAX}, {3, 2}, {INT_MAX, INT_MIN}};
    const int32_t lengths[] = {0, -1, INT_MIN};
    const float *const odd_row = (const float *)(const void *)((const char *)row + 1);
    const S2TokenRange *const odd_ranges =
        (const S2TokenRange *)(const void *)((const char *)none + 2);
    unsigned char state[4096];
    const size_t size = s2_sampler_state_size();
    S2Sampler *const sampler = s2_sampler_new(7);
    size_t i;

    CHECK(sampler != NULL && s2_sampler_get_seed(sampler) == 7);
    CHECK(size > 0 && size <= sizeof state);

    /* Without a handle. */
    CHECK(s2_sampler_clone(NULL) == NULL);
    s2_sampler_free(NULL);
    s2_sampler_seed(NULL, 1);
    CHECK(s2_sampler_get_seed(NULL) == 0);
    CHECK(s2_sampler_sample(NULL, row, 4, &greedy) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_sample(NULL, NULL, 0, NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_sample_ranges(NULL, row, 4, &all, 1, &greedy) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_save(NULL, state, size) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_save(sampler, state, size) == 0);
    CHECK(s2_sampler_restore(NULL, state, size) == S2_ERROR_NULL_POINTER);

    /* An empty row is an error here. */
    for (i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        CHECK(s2_sampler_sample(sampler, row, lengths[i], &greedy) == S2_ERROR_EMPTY_ROW);
        CHECK(s2_sampler_sample(sampler, NULL, lengths[i], NULL) == S2_ERROR_EMPTY_ROW);
        CHECK(s2_sampler_sample_ranges(sampler, NULL, lengths[i], &all, 1, NULL) ==
              S2_ERROR_EMPTY_ROW);
        CHECK(s2_sampler_sample_ranges(sampler, row, 4, &all, lengths[i], NULL) ==
              S2_ERROR_EMPTY_ROW);
        CHECK(s2_sampler_sample_ranges(sampler, row, 4, NULL, lengths[i], NULL) ==
              S2_ERROR_EMPTY_ROW);
    }
    CHECK(s2_sampler_sample(sampler, NULL, 1, NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_sample(sampler, odd_row, 2, NULL) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_sampler_sample(sampler, row, 4, &greedy) == 2);
    CHECK(s2_sampler_sample_ranges(sampler, NULL, 1, &all, 1, NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_sample_ranges(sampler, row, 4, NULL, 1, NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_sample_ranges(sampler, odd_row, 2, &all, 1, NULL) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_sampler_sample_ranges(sampler, row, 4, odd_ranges, 1, NULL) ==
          S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_sampler_sample_ranges(sampler, row, 4, none, 4, &greedy) == S2_ERROR_EMPTY_ROW);
    CHECK(s2_sampler_sample_ranges(sampler, row, 4, &one, 1, &greedy) == 1);
    CHECK(s2_sampler_sample_ranges(sampler, row, 4, &all, 1, NULL) >= 0);

    CHECK(s2_sampler_save(sampler, NULL, size) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_save(sampler, state, 0) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_sampler_save(sampler, state, size - 1) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_sampler_save(sampler, state, sizeof state) == 0);
    CHECK(s2_sampler_restore(sampler, NULL, size) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_restore(sampler, NULL, 0) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_restore(sampler, state, 0) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_sampler_restore(sampler, state, sizeof state) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_sampler_restore(sampler, state, size) == 0);
    s2_sampler_free(sampler);

    /* NULL parameters are the defaults. */
    for (i = 0; i < 100; ++i) {
        const SamplerParams defaults = s2_sampler_params_default();
        S2Sampler *const first = s2_sampler_new((uint32_t)i);
        S2Sampler *const second = s2_sampler_clone(first);
        CHECK(s2_sampler_sample(first, row, 4, NULL) ==
              s2_sampler_sample(second, row, 4, &defaults));
        CHECK(s2_sampler_sample_ranges(first, row, 4, &all, 1, NULL) ==
              s2_sampler_sample_ranges(second, row, 4, &all, 1, &defaults));
        s2_sampler_free(first);
        s2_sampler_free(second);
    }
}

static int makes_a_stream(const S2StreamConfig *config) {
    S2Stream *const seeded = s2_stream_new(1, config);
    S2Stream *const random = s2_stream_new_random(config);
    const int made = seeded != NULL;
    CHECK(made == (random != NULL));
    s2_stream_free(seeded);
    s2_stream_free(random);
    return made;
}

/* A configuration that is valid, for one field to be made invalid. */
static S2StreamConfig valid_config(void) {
    S2StreamConfig config;
    s2_stream_config_init(&config);
    config.semantic_last = 3;
    return config;
}

static void stream_configs(void) {
    const int32_t bad_windows[] = {-1, INT_MIN, (1 << 20) + 1, INT_MAX};
    const int32_t bad_modes[] = {-1, 3, INT_MAX, INT_MIN};
    S2StreamConfig config;
    size_t i;

    s2_stream_config_init(NULL);
    memset(&config, 0xA5, sizeof config);
    s2_stream_config_init(&config);
    CHECK(config.struct_size == sizeof config);
    CHECK(config.semantic_first == 0 && config.semantic_last == -1 && config.end_id == -1);
    CHECK(config.ras_window == 10 && config.ras_mode == S2_RAS_ANY_HIT);
    CHECK(config.ras_temperature == 1.0F && config.ras_top_p == 0.9F && config.ras_tau == 0.1F);
    CHECK(config.ras_end == S2_RAS_END_STOPS && config.ras_always == 0 && config.ras_bans == 0);
    CHECK(S2_RAS_OFF == 0 && S2_RAS_ANY_HIT == 1 && S2_RAS_SHARE == 2); /* pinned, for ever */

    CHECK(!makes_a_stream(NULL));
    CHECK(!makes_a_stream(&config)); /* no semantic tokens */
    config = valid_config();
    CHECK(makes_a_stream(&config));
    config.semantic_first = 4;
    CHECK(!makes_a_stream(&config));
    config.semantic_first = -1;
    CHECK(!makes_a_stream(&config));
    config = valid_config();
    config.semantic_first = config.semantic_last = INT_MAX;
    CHECK(makes_a_stream(&config));
    for (i = 0; i < 4; ++i) {
        config = valid_config();
        config.ras_window = bad_windows[i];
        CHECK(!makes_a_stream(&config));
        config = valid_config();
        config.ras_mode = bad_modes[i];
        CHECK(!makes_a_stream(&config));
        config = valid_config();
        config.ras_end = bad_modes[i] == 3 ? 2 : bad_modes[i];
        CHECK(!makes_a_stream(&config));
        config = valid_config();
        config.ras_always = bad_modes[i] == 3 ? 2 : bad_modes[i];
        CHECK(!makes_a_stream(&config));
        config = valid_config();
        config.ras_bans = bad_modes[i] == 3 ? 2 : bad_modes[i];
        CHECK(!makes_a_stream(&config));
    }
    config = valid_config();
    config.end_id = INT_MIN;
    config.ras_window = 1 << 20;
    config.ras_mode = S2_RAS_SHARE;
    memset(&config.ras_temperature, 0xFF, sizeof(float)); /* NaN */
    config.ras_top_p = config.ras_tau = config.ras_temperature;
    CHECK(makes_a_stream(&config));
}

static void streams(void) {
    const float row[4] = {1.0F, 2.0F, 3.0F, 2.9F};
    const SamplerParams greedy = {0.0F, 1.0F, 0};
    const int32_t lengths[] = {0, -1, INT_MIN};
    const float *const odd_row = (const float *)(const void *)((const char *)row + 1);
    const int32_t any[] = {1, 2, -1, 256, INT_MIN, INT_MAX};
    const S2StreamConfig config = valid_config();
    S2Stream *const stream = s2_stream_new(7, &config);
    char any_bytes[4];
    size_t i;

    CHECK(stream != NULL && s2_stream_get_seed(stream) == 7 && s2_stream_ended(stream) == 0);

    /* Without a handle. */
    CHECK(s2_stream_clone(NULL) == NULL);
    CHECK(s2_stream_state_size(NULL) == 0);
    CHECK(s2_stream_save(NULL, any_bytes, sizeof any_bytes) == S2_ERROR_NULL_POINTER);
    CHECK(s2_stream_new_restored(NULL, 0) == NULL && s2_new_status() == S2_ERROR_NULL_POINTER);
    CHECK(s2_stream_new_restored("S2ST", 4) == NULL && s2_new_status() == S2_ERROR_BAD_ARGUMENT);
    s2_stream_free(NULL);
    s2_stream_reset(NULL, 1);
    CHECK(s2_stream_get_seed(NULL) == 0);
    CHECK(s2_stream_slow(NULL, row, 4, &greedy, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_stream_fast(NULL, row, 4, &greedy) == S2_ERROR_NULL_POINTER);
    CHECK(s2_stream_code(NULL, 1, 4) == S2_ERROR_NULL_POINTER);
    CHECK(s2_stream_ended(NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_stream_redrawn(NULL) == S2_ERROR_NULL_POINTER);

    for (i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        CHECK(s2_stream_slow(stream, row, lengths[i], &greedy, 1) == S2_ERROR_EMPTY_ROW);
        CHECK(s2_stream_slow(stream, NULL, lengths[i], NULL, 0) == S2_ERROR_EMPTY_ROW);
        CHECK(s2_stream_fast(stream, row, lengths[i], &greedy) == S2_ERROR_EMPTY_ROW);
        CHECK(s2_stream_fast(stream, NULL, lengths[i], NULL) == S2_ERROR_EMPTY_ROW);
        CHECK(s2_stream_code(stream, 1, lengths[i]) == S2_ERROR_BAD_ARGUMENT);
    }
    CHECK(s2_stream_slow(stream, NULL, 1, NULL, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_stream_fast(stream, NULL, 1, NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_stream_slow(stream, odd_row, 2, NULL, 1) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_stream_fast(stream, odd_row, 2, NULL) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_stream_slow(stream, row, 4, &greedy, 0) == 2);
    CHECK(s2_stream_fast(stream, row, 4, &greedy) == 2);
    CHECK(s2_stream_slow(stream, row, 4, NULL, 0) >= 0 && s2_stream_fast(stream, row, 4, NULL) >= 0);
    CHECK(s2_stream_code(stream, -1, 4) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_stream_code(stream, INT_MIN, 4) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_stream_code(stream, 2, 4) == 2);
    s2_stream_free(stream);

    /* Anything but 0 allows the end. */
    for (i = 0; i < sizeof any / sizeof any[0]; ++i) {
        S2StreamConfig with_end = valid_config();
        S2Stream *ending;
        with_end.semantic_last = 1;
        with_end.end_id = 2;
        ending = s2_stream_new(7, &with_end);
        CHECK(s2_stream_slow(ending, row, 4, &greedy, 0) == 1 && s2_stream_ended(ending) == 0);
        CHECK(s2_stream_slow(ending, row, 4, &greedy, any[i]) == 2 && s2_stream_ended(ending) == 1);
        s2_stream_free(ending);
    }
}

static void defaults(void) {
    const SamplerParams params = s2_sampler_params_default();
    const SamplerParams expected = {0.8F, 0.8F, 30};
    CHECK(memcmp(&params, &expected, sizeof params) == 0);
}

static void status_strings(void) {
    const int32_t known[] = {S2_ERROR_NULL_POINTER,  S2_ERROR_BAD_ARGUMENT, S2_ERROR_EMPTY_ROW,
                             S2_ERROR_OUT_OF_MEMORY, S2_ERROR_INTERNAL,     S2_ERROR_NO_ENTROPY,
                             S2_ERROR_NO_SELECTION,  S2_ERROR_NO_CANDIDATE, S2_ERROR_BUSY};
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
    handles();
    stream_configs();
    streams();
    defaults();
    status_strings();
    simd_level();
    return 0;
}
