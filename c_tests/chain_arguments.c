/* Every function of a chain with NULL, zero, negative and odd arguments: a status, and the chain as before. */
#include <s2sampler.h>

#include "support/check.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static S2Chain *new_chain(void) {
    S2Chain *const chain = s2_chain_new();
    CHECK(chain != NULL && s2_chain_count(chain) == 0);
    return chain;
}

static void without_a_chain(void) {
    const float row[2] = {1.0F, 2.0F};
    S2TokenData token = {3, 1.0F, 0.5F};
    S2TokenDataArray array = {NULL, 1, 77, true};
    const S2LogitBias bias = {0, 1.0F};
    const int32_t one = 1;
    uint32_t seed = 17;

    array.data = &token;
    CHECK(s2_chain_clone(NULL) == NULL);
    s2_chain_free(NULL);
    s2_chain_reset(NULL);
    CHECK(s2_chain_remove(NULL, 0) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_set_seed(NULL, 0, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_get_seed(NULL, 0, &seed) == S2_ERROR_NULL_POINTER && seed == 17);
    CHECK(s2_chain_state_size(NULL) == 0);
    CHECK(s2_chain_save(NULL, &seed, sizeof seed) == S2_ERROR_NULL_POINTER && seed == 17);
    CHECK(s2_chain_new_restored(NULL, 0) == NULL && s2_new_status() == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_new_restored(&seed, sizeof seed) == NULL && s2_new_status() == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_chain_new_restored(&seed, SIZE_MAX) == NULL && s2_new_status() == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_chain_count(NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_stage_name(NULL, 0) == NULL);
    CHECK(s2_chain_sample(NULL, row, 2) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_sample(NULL, NULL, 0) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_apply(NULL, &array) == S2_ERROR_NULL_POINTER);
    CHECK(array.selected == 77 && array.size == 1 && array.sorted && token.id == 3);
    CHECK(s2_chain_apply(NULL, NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_accept(NULL, 0) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_logit_bias(NULL, &bias, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_penalties(NULL, 1, 1.0F, 0.0F, 0.0F) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_dry(NULL, 1.0F, 2.0F, 2, -1, &one, &one, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_temperature(NULL, 1.0F) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_temperature_ext(NULL, 1.0F, 0.0F, 1.0F) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_top_k(NULL, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_top_p(NULL, 1.0F, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_min_p(NULL, 1.0F, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_typical(NULL, 1.0F, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_top_n_sigma(NULL, 1.0F) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_xtc(NULL, 1.0F, 0.1F, 1, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_s2(NULL, NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_s2_first(NULL, NULL, -1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_softmax(NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_greedy(NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_dist(NULL, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_mirostat_v2(NULL, 1, 5.0F, 0.1F) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_scale(NULL, 1.0F) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_top_k_ties(NULL, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_top_p_exclusive(NULL, 1.0F) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_penalty_each(NULL, 1, 1.0F) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_penalty_run(NULL, 1.0F) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_penalty_decay(NULL, 1, 1, 1.0F) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_no_repeat_ngram(NULL, 1, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_eta_cutoff(NULL, 1.0F, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_top_a(NULL, 1.0F, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_smoothing(NULL, 1.0F, 1.0F) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_mirostat(NULL, 1, 5.0F, 0.1F, 100) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_adaptive_p(NULL, 0.5F, 0.5F, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_sequence_bias(NULL, &one, &one, row, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_min_tokens(NULL, 1, &one, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_bitmask(NULL, &one, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_set_bitmask(NULL, 0, &one, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_xtc_protected(NULL, 1.0F, 0.1F, 1, 1, &one, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_move(NULL, 0, 0) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_replace(NULL, 0, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_describe(NULL, 0, NULL, 0) == S2_ERROR_NULL_POINTER);
}

/* What no stage is made of, one number at a time. */
static void stages_out_of_range(void) {
    const float bad[] = {NAN, -NAN};
    const float not_finite[] = {NAN, INFINITY, -INFINITY};
    const int32_t windows[] = {-2, INT_MIN, 1048577, INT_MAX};
    S2Chain *const chain = new_chain();
    size_t i;

#define REFUSED(call) CHECK((call) == S2_ERROR_BAD_ARGUMENT && s2_chain_count(chain) == 0)
    for (i = 0; i < LENGTH(bad); ++i) {
        REFUSED(s2_chain_add_temperature(chain, bad[i]));
        REFUSED(s2_chain_add_temperature_ext(chain, bad[i], 0.5F, 1.0F));
        REFUSED(s2_chain_add_temperature_ext(chain, 1.0F, bad[i], 1.0F));
        REFUSED(s2_chain_add_top_p(chain, bad[i], 1));
        REFUSED(s2_chain_add_min_p(chain, bad[i], 1));
        REFUSED(s2_chain_add_typical(chain, bad[i], 1));
        REFUSED(s2_chain_add_top_n_sigma(chain, bad[i]));
        REFUSED(s2_chain_add_xtc(chain, bad[i], 0.1F, 1, 1));
        REFUSED(s2_chain_add_xtc(chain, 1.0F, bad[i], 1, 1));
        REFUSED(s2_chain_add_xtc_protected(chain, bad[i], 0.1F, 1, 1, NULL, 0));
        REFUSED(s2_chain_add_xtc_protected(chain, 1.0F, bad[i], 1, 1, NULL, 0));
        REFUSED(s2_chain_add_top_p_exclusive(chain, bad[i]));
        REFUSED(s2_chain_add_eta_cutoff(chain, bad[i], 1));
        REFUSED(s2_chain_add_top_a(chain, bad[i], 1));
        REFUSED(s2_chain_add_adaptive_p(chain, bad[i], 0.5F, 1));
        REFUSED(s2_chain_add_adaptive_p(chain, 0.5F, bad[i], 1));
    }
    for (i = 0; i < LENGTH(not_finite); ++i) {
        REFUSED(s2_chain_add_temperature_ext(chain, 1.0F, 0.5F, not_finite[i]));
        REFUSED(s2_chain_add_penalties(chain, 64, not_finite[i], 0.0F, 0.0F));
        REFUSED(s2_chain_add_penalties(chain, 64, 1.0F, not_finite[i], 0.0F));
        REFUSED(s2_chain_add_penalties(chain, 64, 1.0F, 0.0F, not_finite[i]));
        REFUSED(s2_chain_add_dry(chain, not_finite[i], 2.0F, 2, -1, NULL, NULL, 0));
        REFUSED(s2_chain_add_dry(chain, 1.0F, not_finite[i], 2, -1, NULL, NULL, 0));
        REFUSED(s2_chain_add_mirostat_v2(chain, 1, not_finite[i], 0.1F));
        REFUSED(s2_chain_add_mirostat_v2(chain, 1, 5.0F, not_finite[i]));
        REFUSED(s2_chain_add_mirostat(chain, 1, not_finite[i], 0.1F, 100));
        REFUSED(s2_chain_add_mirostat(chain, 1, 5.0F, not_finite[i], 100));
        REFUSED(s2_chain_add_scale(chain, not_finite[i]));
        REFUSED(s2_chain_add_penalty_each(chain, 64, not_finite[i]));
        REFUSED(s2_chain_add_penalty_run(chain, not_finite[i]));
        REFUSED(s2_chain_add_penalty_decay(chain, 64, 1, not_finite[i]));
        REFUSED(s2_chain_add_smoothing(chain, not_finite[i], 1.0F));
        REFUSED(s2_chain_add_smoothing(chain, 0.5F, not_finite[i]));
    }
    REFUSED(s2_chain_add_penalties(chain, 64, 0.0F, 0.0F, 0.0F));
    REFUSED(s2_chain_add_penalties(chain, 64, -1.0F, 0.0F, 0.0F));
    for (i = 0; i < LENGTH(windows); ++i) {
        REFUSED(s2_chain_add_penalties(chain, windows[i], 1.1F, 0.0F, 0.0F));
        REFUSED(s2_chain_add_dry(chain, 1.0F, 2.0F, 2, windows[i], NULL, NULL, 0));
        REFUSED(s2_chain_add_penalty_each(chain, windows[i], 1.1F));
        REFUSED(s2_chain_add_penalty_decay(chain, windows[i], 1, 1.1F));
        REFUSED(s2_chain_add_penalty_decay(chain, 1, windows[i], 1.1F));
        REFUSED(s2_chain_add_no_repeat_ngram(chain, 2, windows[i]));
    }
    REFUSED(s2_chain_add_scale(chain, 0.0F));
    REFUSED(s2_chain_add_penalty_each(chain, 64, 0.0F));
    REFUSED(s2_chain_add_penalty_run(chain, -1.0F));
    REFUSED(s2_chain_add_penalty_decay(chain, 64, 64, 0.0F));
    REFUSED(s2_chain_add_no_repeat_ngram(chain, -1, -1));
    REFUSED(s2_chain_add_mirostat(chain, 1, 5.0F, 0.1F, 1));
    REFUSED(s2_chain_add_mirostat(chain, 1, 5.0F, 0.1F, INT_MIN));
    REFUSED(s2_chain_add_adaptive_p(chain, 1.5F, 0.5F, 1));
    REFUSED(s2_chain_add_adaptive_p(chain, 0.5F, -0.5F, 1));
    REFUSED(s2_chain_add_min_tokens(chain, -1, NULL, 0));
    REFUSED(s2_chain_add_dry(chain, 1.0F, 2.0F, -1, -1, NULL, NULL, 0));
    REFUSED(s2_chain_add_dry(chain, 1.0F, 2.0F, INT_MIN, -1, NULL, NULL, 0));
    s2_chain_free(chain);
}

/* Lists of ids: biases, and the breakers of dry. */
static void lists(void) {
    const S2LogitBias biases[] = {{1, 2.0F}, {1, -INFINITY}, {INT_MAX, 0.0F}};
    const S2LogitBias negative[] = {{1, 2.0F}, {-1, 2.0F}};
    const S2LogitBias no_number[] = {{1, 2.0F}, {2, NAN}};
    const int32_t counts[] = {-1, INT_MIN};
    const int32_t tokens[] = {1, 2, 3};
    const int32_t lengths[] = {1, 0, 2};
    const int32_t nothing[] = {0, 0};
    const int32_t below[] = {2, -1};
    const int32_t beyond[] = {INT_MAX, 1};
    const int32_t both[] = {1, 2};
    const float numbers[] = {1.0F, -INFINITY, 2.0F};
    const float no_numbers[] = {1.0F, NAN};
    S2Chain *const chain = new_chain();
    size_t i;

    for (i = 0; i < LENGTH(counts); ++i) {
        REFUSED(s2_chain_add_logit_bias(chain, biases, counts[i]));
        REFUSED(s2_chain_add_logit_bias(chain, NULL, counts[i]));
        REFUSED(s2_chain_add_dry(chain, 1.0F, 2.0F, 2, -1, tokens, lengths, counts[i]));
        REFUSED(s2_chain_add_dry(chain, 1.0F, 2.0F, 2, -1, NULL, NULL, counts[i]));
    }
    REFUSED(s2_chain_add_logit_bias(chain, negative, 2));
    REFUSED(s2_chain_add_logit_bias(chain, no_number, 2));
    REFUSED(s2_chain_add_logit_bias(
        chain, (const S2LogitBias *)(const void *)((const char *)biases + 1), 1));
    CHECK(s2_chain_add_logit_bias(chain, NULL, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_dry(chain, 1.0F, 2.0F, 2, -1, tokens, NULL, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_dry(chain, 1.0F, 2.0F, 2, -1, NULL, lengths, 3) == S2_ERROR_NULL_POINTER);
    REFUSED(s2_chain_add_dry(chain, 1.0F, 2.0F, 2, -1, tokens, below, 2));
    REFUSED(s2_chain_add_dry(chain, 1.0F, 2.0F, 2, -1, tokens, beyond, 2));
    REFUSED(s2_chain_add_dry(chain, 1.0F, 2.0F, 2, -1,
                             (const int32_t *)(const void *)((const char *)tokens + 2), lengths, 1));
    REFUSED(s2_chain_add_dry(chain, 1.0F, 2.0F, 2, -1, tokens,
                             (const int32_t *)(const void *)((const char *)lengths + 2), 1));

    for (i = 0; i < LENGTH(counts); ++i) {
        REFUSED(s2_chain_add_bitmask(chain, tokens, counts[i]));
        REFUSED(s2_chain_add_min_tokens(chain, 1, tokens, counts[i]));
        REFUSED(s2_chain_add_xtc_protected(chain, 1.0F, 0.1F, 1, 1, tokens, counts[i]));
        REFUSED(s2_chain_add_sequence_bias(chain, tokens, lengths, numbers, counts[i]));
    }
    CHECK(s2_chain_add_bitmask(chain, NULL, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_min_tokens(chain, 1, NULL, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_xtc_protected(chain, 1.0F, 0.1F, 1, 1, NULL, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_sequence_bias(chain, tokens, both, NULL, 2) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_sequence_bias(chain, tokens, NULL, numbers, 2) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_sequence_bias(chain, NULL, both, numbers, 2) == S2_ERROR_NULL_POINTER);
    REFUSED(s2_chain_add_sequence_bias(chain, tokens, lengths, numbers, 3));
    REFUSED(s2_chain_add_sequence_bias(chain, tokens, below, numbers, 2));
    REFUSED(s2_chain_add_sequence_bias(chain, tokens, beyond, numbers, 2));
    REFUSED(s2_chain_add_sequence_bias(chain, tokens, both, no_numbers, 2));
    REFUSED(s2_chain_add_bitmask(chain, (const int32_t *)(const void *)((const char *)tokens + 2), 1));

    CHECK(s2_chain_add_logit_bias(chain, NULL, 0) == 0);
    CHECK(s2_chain_add_logit_bias(chain, biases, 3) == 1);
    CHECK(s2_chain_add_dry(chain, 1.0F, 2.0F, 2, -1, NULL, NULL, 0) == 2);
    CHECK(s2_chain_add_dry(chain, 1.0F, 2.0F, 2, -1, NULL, nothing, 2) == 3);
    CHECK(s2_chain_add_dry(chain, 1.0F, 2.0F, 2, -1, tokens, lengths, 3) == 4);
    CHECK(s2_chain_add_sequence_bias(chain, NULL, NULL, NULL, 0) == 5);
    CHECK(s2_chain_add_sequence_bias(chain, tokens, both, numbers, 2) == 6);
    CHECK(s2_chain_add_min_tokens(chain, INT_MAX, tokens, 3) == 7);
    CHECK(s2_chain_add_bitmask(chain, NULL, 0) == 8);
    CHECK(s2_chain_add_xtc_protected(chain, 1.0F, 0.1F, 1, 1, NULL, 0) == 9);
    CHECK(s2_chain_set_bitmask(chain, 8, tokens, 3) == 0);
    CHECK(s2_chain_set_bitmask(chain, 8, NULL, 0) == 0);
    CHECK(s2_chain_set_bitmask(chain, 8, NULL, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_set_bitmask(chain, 8, tokens, -1) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_chain_set_bitmask(chain, 7, tokens, 1) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_chain_set_bitmask(chain, -1, tokens, 1) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_chain_set_bitmask(chain, 10, tokens, 1) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_chain_count(chain) == 10);
    s2_chain_free(chain);
}

/* One stage of each kind, at the ends of what is allowed, and the indices of each. */
static void names_and_places(void) {
    const char *const names[] = {"logit_bias",  "penalties", "dry",   "temperature",
                                 "temperature_ext", "top_k", "top_p", "min_p",
                                 "typical",     "top_n_sigma", "xtc", "s2",
                                 "softmax",     "greedy",    "dist",  "mirostat_v2",
                                 "s2_first"};
    const int32_t no_place[] = {-1, INT_MIN, (int32_t)LENGTH(names), INT_MAX};
    const float row[2] = {1.0F, 2.0F};
    S2Chain *const chain = new_chain();
    uint32_t seed = 17;
    int32_t i;

    CHECK(s2_chain_stage_name(chain, 0) == NULL && s2_chain_remove(chain, 0) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_chain_add_logit_bias(chain, NULL, 0) == 0);
    CHECK(s2_chain_add_penalties(chain, 1048576, 1e-38F, -1e38F, 1e38F) == 1);
    CHECK(s2_chain_add_dry(chain, -1.0F, 2.0F, INT_MAX, 1048576, NULL, NULL, 0) == 2);
    CHECK(s2_chain_add_temperature(chain, INFINITY) == 3);
    CHECK(s2_chain_add_temperature_ext(chain, -INFINITY, INFINITY, -1.0F) == 4);
    CHECK(s2_chain_add_top_k(chain, INT_MIN) == 5);
    CHECK(s2_chain_add_top_p(chain, -INFINITY, SIZE_MAX) == 6);
    CHECK(s2_chain_add_min_p(chain, INFINITY, 0) == 7);
    CHECK(s2_chain_add_typical(chain, -1.0F, SIZE_MAX) == 8);
    CHECK(s2_chain_add_top_n_sigma(chain, INFINITY) == 9);
    CHECK(s2_chain_add_xtc(chain, INFINITY, 1e-45F, SIZE_MAX, UINT32_MAX) == 10);
    CHECK(s2_chain_add_s2(chain, NULL) == 11);
    CHECK(s2_chain_add_softmax(chain) == 12);
    CHECK(s2_chain_add_greedy(chain) == 13);
    CHECK(s2_chain_add_dist(chain, UINT32_MAX) == 14);
    CHECK(s2_chain_add_mirostat_v2(chain, 0, -1.0F, -1.0F) == 15);
    CHECK(s2_chain_add_s2_first(chain, NULL, INT_MIN) == 16);
    CHECK(s2_chain_count(chain) == (int32_t)LENGTH(names));
    for (i = 0; i < (int32_t)LENGTH(names); ++i) {
        CHECK_CASE(strcmp(s2_chain_stage_name(chain, i), names[i]) == 0, "stage %d", (int)i);
    }
    for (i = 0; i < (int32_t)LENGTH(no_place); ++i) {
        CHECK(s2_chain_stage_name(chain, no_place[i]) == NULL);
        CHECK(s2_chain_remove(chain, no_place[i]) == S2_ERROR_BAD_ARGUMENT);
        CHECK(s2_chain_set_seed(chain, no_place[i], 1) == S2_ERROR_BAD_ARGUMENT);
        CHECK(s2_chain_get_seed(chain, no_place[i], &seed) == S2_ERROR_BAD_ARGUMENT);
    }
    for (i = 0; i < (int32_t)LENGTH(names); ++i) {
        const bool draws = strcmp(names[i], "dist") == 0 || strcmp(names[i], "xtc") == 0 ||
                           strcmp(names[i], "mirostat_v2") == 0;
        seed = 17;
        CHECK_CASE((s2_chain_get_seed(chain, i, &seed) == 0) == draws, "stage %d", (int)i);
        CHECK(draws || (seed == 17 && s2_chain_set_seed(chain, i, 1) == S2_ERROR_BAD_ARGUMENT));
    }
    CHECK(s2_chain_get_seed(chain, 14, &seed) == 0 && seed == UINT32_MAX);
    CHECK(s2_chain_get_seed(chain, 14, NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_set_seed(chain, 14, 0) == 0 && s2_chain_get_seed(chain, 14, &seed) == 0 && seed == 0);
    CHECK(s2_chain_count(chain) == (int32_t)LENGTH(names));
    CHECK(s2_chain_sample(chain, row, 2) >= 0);

    /* Removing moves those after it up. */
    CHECK(s2_chain_remove(chain, 1) == 0 && s2_chain_remove(chain, 14) == 0);
    CHECK(s2_chain_count(chain) == 15 && strcmp(s2_chain_stage_name(chain, 1), "dry") == 0);
    CHECK(strcmp(s2_chain_stage_name(chain, 13), "dist") == 0);
    CHECK(strcmp(s2_chain_stage_name(chain, 14), "s2_first") == 0);
    CHECK(s2_chain_stage_name(chain, 15) == NULL);
    CHECK(s2_chain_add_top_k(chain, 1) == 15);
    while (s2_chain_count(chain) > 0) {
        CHECK(s2_chain_remove(chain, 0) == 0);
    }
    CHECK(s2_chain_sample(chain, row, 2) == S2_ERROR_NO_SELECTION);
    s2_chain_free(chain);
}

/* Stages change places, and show their parameters. */
static void places_and_texts(void) {
    const int32_t no_place[] = {-1, 3, INT_MIN, INT_MAX};
    char text[32];
    size_t size;
    S2Chain *const chain = new_chain();
    size_t i;

    CHECK(s2_chain_move(chain, 0, 0) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_chain_add_top_k(chain, 40) == 0 && s2_chain_add_top_p(chain, 0.5F, 2) == 1);
    CHECK(s2_chain_add_greedy(chain) == 2);
    for (i = 0; i < LENGTH(no_place); ++i) {
        CHECK(s2_chain_move(chain, no_place[i], 0) == S2_ERROR_BAD_ARGUMENT);
        CHECK(s2_chain_move(chain, 0, no_place[i]) == S2_ERROR_BAD_ARGUMENT);
        CHECK(s2_chain_replace(chain, no_place[i], 0) == S2_ERROR_BAD_ARGUMENT);
        CHECK(s2_chain_replace(chain, 0, no_place[i]) == S2_ERROR_BAD_ARGUMENT);
        CHECK(s2_chain_describe(chain, no_place[i], text, sizeof text) == S2_ERROR_BAD_ARGUMENT);
    }
    CHECK(s2_chain_replace(chain, 1, 1) == S2_ERROR_BAD_ARGUMENT && s2_chain_count(chain) == 3);

    CHECK(s2_chain_describe(chain, 0, text, sizeof text) == 4 && strcmp(text, "k 40") == 0);
    CHECK(s2_chain_describe(chain, 1, text, sizeof text) == 17);
    CHECK(strcmp(text, "p 0.5, min_keep 2") == 0);
    CHECK(s2_chain_describe(chain, 2, text, sizeof text) == 0 && strcmp(text, "") == 0);
    CHECK(s2_chain_describe(chain, 1, NULL, 0) == 17);
    CHECK(s2_chain_describe(chain, 1, NULL, 1) == S2_ERROR_NULL_POINTER);
    for (size = 1; size <= 18; ++size) {
        memset(text, 'x', sizeof text);
        CHECK(s2_chain_describe(chain, 1, text, size) == 17);
        CHECK(strlen(text) == size - 1 && strncmp(text, "p 0.5, min_keep 2", size - 1) == 0);
        CHECK(text[size] == 'x');
    }

    CHECK(s2_chain_move(chain, 2, 0) == 0 && strcmp(s2_chain_stage_name(chain, 0), "greedy") == 0);
    CHECK(s2_chain_move(chain, 0, 2) == 0 && strcmp(s2_chain_stage_name(chain, 0), "top_k") == 0);
    CHECK(s2_chain_add_min_p(chain, 0.5F, 1) == 3 && s2_chain_replace(chain, 3, 1) == 0);
    CHECK(s2_chain_count(chain) == 3 && strcmp(s2_chain_stage_name(chain, 1), "min_p") == 0);
    s2_chain_free(chain);
}

static void rows(void) {
    const float row[3] = {1.0F, 3.0F, 2.0F};
    const int32_t lengths[] = {0, -1, INT_MIN};
    int32_t tokens[3] = {-77, -77, -77};
    S2Chain *const chain = new_chain();
    S2Chain *chains[3];
    size_t i;

    chains[0] = chains[2] = chain;
    chains[1] = NULL;
    /* A chain that selects nothing ends nothing. */
    CHECK(s2_chain_sample(chain, row, 3) == S2_ERROR_NO_SELECTION);
    CHECK(s2_chain_add_top_k(chain, 2) == 0);
    CHECK(s2_chain_sample(chain, row, 3) == S2_ERROR_NO_SELECTION);
    CHECK(s2_chain_add_greedy(chain) == 1);
    CHECK(s2_chain_sample(chain, row, 3) == 1);
    for (i = 0; i < LENGTH(lengths); ++i) {
        CHECK(s2_chain_sample(chain, row, lengths[i]) == S2_ERROR_EMPTY_ROW);
        CHECK(s2_chain_sample(chain, NULL, lengths[i]) == S2_ERROR_EMPTY_ROW);
        CHECK(s2_chain_sample_rows(NULL, NULL, lengths[i], 3, 3, NULL) == 0);
    }
    CHECK(s2_chain_sample(chain, NULL, 1) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_sample(chain, (const float *)(const void *)((const char *)row + 1), 2) ==
          S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_chain_accept(chain, -1) == 0 && s2_chain_accept(chain, INT_MIN) == 0 &&
          s2_chain_accept(chain, INT_MAX) == 0);

    CHECK(s2_chain_sample_rows(NULL, row, 1, 3, 3, tokens) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_sample_rows(chains, NULL, 1, 3, 3, tokens) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_sample_rows(chains, row, 1, 3, 3, NULL) == S2_ERROR_NULL_POINTER);
    CHECK(tokens[0] == -77 && tokens[1] == -77 && tokens[2] == -77);
    /* A row without a token does not keep the others from theirs. */
    CHECK(s2_chain_sample_rows(chains, row, 3, 1, 1, tokens) == 2);
    CHECK(tokens[0] == 0 && tokens[1] == S2_ERROR_NULL_POINTER && tokens[2] == 0);
    CHECK(s2_chain_sample_rows(chains, row, 3, 1, 0, tokens) == 0);
    CHECK(tokens[1] == S2_ERROR_NULL_POINTER && tokens[2] == S2_ERROR_EMPTY_ROW);
    s2_chain_free(chain);
}

static void arrays(void) {
    S2TokenData tokens[3] = {{5, 1.0F, 0.25F}, {-6, NAN, 0.5F}, {5, 2.0F, 0.75F}};
    S2TokenData before[3];
    S2TokenDataArray array = {NULL, 3, 77, true};
    S2Chain *const chain = new_chain();
    size_t size;

    CHECK(s2_chain_add_top_k(chain, 1) == 0);
    memcpy(before, tokens, sizeof tokens);
    CHECK(s2_chain_apply(chain, NULL) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_apply(chain, &array) == S2_ERROR_NULL_POINTER);
    CHECK(array.size == 3 && array.selected == 77 && array.sorted);
    array.data = (S2TokenData *)(void *)((char *)tokens + 1);
    array.size = 2;
    CHECK(s2_chain_apply(chain, &array) == S2_ERROR_BAD_ARGUMENT);
    CHECK(array.size == 2 && array.selected == 77 && array.sorted);
    array.data = tokens;
    for (size = (size_t)INT_MAX + 1; size > INT_MAX; size *= 2) {
        array.size = size;
        CHECK(s2_chain_apply(chain, &array) == S2_ERROR_BAD_ARGUMENT);
        CHECK(array.size == size && array.selected == 77 && array.sorted);
    }
    array.size = SIZE_MAX;
    CHECK(s2_chain_apply(chain, &array) == S2_ERROR_BAD_ARGUMENT && array.selected == 77);
    array.size = 0;
    CHECK(s2_chain_apply(chain, &array) == S2_ERROR_EMPTY_ROW);
    CHECK(array.data == tokens && array.size == 0 && array.selected == -1 && array.sorted);
    array.data = NULL;
    array.selected = 77;
    CHECK(s2_chain_apply(chain, &array) == S2_ERROR_EMPTY_ROW && array.selected == -1);
    CHECK(memcmp(before, tokens, sizeof tokens) == 0);

    /* Any byte is a bool, and an address of any alignment a pointer to the struct. */
    {
        unsigned char bytes[sizeof(S2TokenDataArray) + 1];
        S2TokenDataArray read;
        tokens[0] = before[2];
        tokens[1] = before[0];
        tokens[2] = before[1];
        array.data = tokens;
        array.size = 3;
        array.selected = 77;
        memcpy(bytes + 1, &array, sizeof array);
        bytes[1 + offsetof(S2TokenDataArray, sorted)] = 0xAA;
        CHECK(s2_chain_apply(chain, (S2TokenDataArray *)(void *)(bytes + 1)) == 0);
        memcpy(&read, bytes + 1, sizeof read);
        CHECK(read.data == tokens && read.size == 1 && read.selected == -1 && read.sorted);
        CHECK(tokens[0].id == 5 && tokens[0].logit == 2.0F && tokens[0].p == 0.75F);
    }
    s2_chain_free(chain);
}

static void presets(void) {
    const int32_t no_preset[] = {-1, 5, INT_MIN, INT_MAX};
    S2PresetParams params;
    S2PresetParams before;
    S2Chain *chain;
    int32_t which;
    size_t i;

    memset(&params, 0x5A, sizeof params);
    before = params;
    for (i = 0; i < LENGTH(no_preset); ++i) {
        CHECK(s2_preset_params_init(&params, no_preset[i]) == S2_ERROR_BAD_ARGUMENT);
        CHECK(s2_preset_params_init(NULL, no_preset[i]) == S2_ERROR_NULL_POINTER);
        CHECK(memcmp(&params, &before, sizeof params) == 0);
        CHECK(s2_chain_new_preset(no_preset[i], 1, NULL) == NULL);
    }
    CHECK(s2_preset_params_init(NULL, 0) == S2_ERROR_NULL_POINTER);
    for (which = S2_PRESET_S2; which <= S2_PRESET_S2_FIRST; ++which) {
        CHECK(s2_preset_params_init(&params, which) == 0 && params.struct_size == sizeof params);
        chain = s2_chain_new_preset(which, 9, &params);
        CHECK(chain != NULL && s2_chain_count(chain) >= 2);
        s2_chain_free(chain);
    }
    /* A parameter out of range, but not for the stage of the S2 rule, which has none. */
    CHECK(s2_preset_params_init(&params, S2_PRESET_LLAMA) == 0);
    params.temperature = NAN;
    CHECK(s2_chain_new_preset(S2_PRESET_LLAMA, 9, &params) == NULL);
    chain = s2_chain_new_preset(S2_PRESET_S2, 9, &params);
    CHECK(chain != NULL);
    s2_chain_free(chain);
}

int main(void) {
    without_a_chain();
    stages_out_of_range();
    lists();
    names_and_places();
    places_and_texts();
    rows();
    arrays();
    presets();
    return 0;
}
