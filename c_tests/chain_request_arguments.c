/* s2_chain_sample_ex and s2_chain_add_dist_ex with NULL, negative, odd and misaligned arguments: a status, nothing
   written, and the chain as before. */
#include <s2sampler.h>

#include "support/check.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const float row[6] = {1.0F, 2.0F, 3.0F, 2.5F, 0.0F, -1.0F};

static S2Chain *drawing(void) {
    S2Chain *const chain = s2_chain_new();
    CHECK(chain != NULL && s2_chain_add_dist(chain, 7) == 0);
    return chain;
}

/* The status of a request with one thing wrong; nothing is written and no word is used. */
static int32_t refused(S2Chain *chain, const S2ChainRequest *request) {
    S2ChainResult result;
    S2ChainResult before;
    int32_t status;
    memset(&result, 0x5A, sizeof result);
    result.struct_size = sizeof result;
    before = result;
    status = s2_chain_sample_ex(chain, request, &result);
    CHECK(status < 0 && memcmp(&before, &result, sizeof result) == 0);
    CHECK(s2_chain_sample_ex(chain, request, NULL) == status);
    return status;
}

static void requests(void) {
    S2Chain *const chain = drawing();
    S2Chain *const other = drawing();
    S2Chain *const empty = s2_chain_new();
    const int32_t id = 3;
    const S2TokenRange range = {2, 4};
    const S2TokenRange beyond = {6, 9};
    const int32_t bits = 1 << 3;
    const int32_t none = 0;
    const double u = 0.5;
    const double bad[] = {-0.5, 1.5, NAN, INFINITY};
    const float low[2] = {-INFINITY, NAN};
    S2TokenData tokens[2] = {{5, 1.0F, 0.0F}, {-9, 2.0F, 0.0F}};
    S2TokenDataArray array = {NULL, 2, 77, false};
    S2TokenLogProb best[2];
    unsigned char bytes[64];
    S2ChainRequest good;
    S2ChainRequest request;
    S2ChainResult result;
    size_t i;

    array.data = tokens;
    s2_chain_request_init(&good);
    good.logits = row;
    good.vocab_size = 6;

    CHECK(refused(NULL, &good) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_sample_ex(chain, NULL, NULL) == S2_ERROR_NULL_POINTER);
    CHECK(refused(empty, &good) == S2_ERROR_NO_SELECTION);
    s2_chain_request_init(NULL);
    s2_chain_result_init(NULL);

#define WRONG(status, change)                         \
    do {                                              \
        request = good;                               \
        change;                                       \
        CHECK(refused(chain, &request) == (status));  \
    } while (0)
#define BAD(change) WRONG(S2_ERROR_BAD_ARGUMENT, change)
    BAD(request.struct_size = sizeof request - 1);
    BAD(request.struct_size = 0);
    BAD(request.flags = S2_REQUEST_UNIFORM);
    BAD(request.flags = S2_REQUEST_S2_FIRST);
    BAD(request.flags = 128);
    WRONG(S2_ERROR_NULL_POINTER, request.logits = NULL);
    WRONG(S2_ERROR_EMPTY_ROW, request.vocab_size = 0);
    WRONG(S2_ERROR_EMPTY_ROW, request.vocab_size = -1);
    BAD(request.logits = (const float *)(const void *)((const char *)row + 1); request.vocab_size = 5);
    /* An array and a row. */
    BAD(request.array = &array);
    WRONG(S2_ERROR_EMPTY_ROW, request.array = &array; request.vocab_size = 0; array.size = 0);
    array.size = (size_t)INT_MAX + 1;
    BAD(request.array = &array; request.vocab_size = 0);
    array.size = 2;
    array.data = NULL;
    WRONG(S2_ERROR_NULL_POINTER, request.array = &array; request.vocab_size = 0);
    array.data = tokens;
    /* A count without its array, a negative count, an array out of line. */
#define ARRAY(pointer, count, type)                                                                       \
    do {                                                                                                  \
        WRONG(S2_ERROR_NULL_POINTER, request.pointer = NULL; request.count = 1);                          \
        BAD(request.count = -1);                                                                          \
        BAD(request.count = INT_MIN);                                                                     \
        BAD(request.pointer = (type *)(void *)(bytes + 1 + ((size_t)bytes & 1)); request.count = 1);      \
    } while (0)
    ARRAY(uniforms, n_uniforms, double);
    ARRAY(ranges, n_ranges, S2TokenRange);
    ARRAY(allowed_ids, n_allowed, int32_t);
    ARRAY(bitmask, n_bitmask, int32_t);
    ARRAY(banned, n_banned, int32_t);
    ARRAY(best_before, n_best_before, S2TokenLogProb);
    ARRAY(best_after, n_best_after, S2TokenLogProb);
    for (i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        BAD(request.uniforms = &bad[i]; request.n_uniforms = 1);
    }
    WRONG(S2_ERROR_EMPTY_ROW, request.ranges = &beyond; request.n_ranges = 1);
    WRONG(S2_ERROR_EMPTY_ROW, request.bitmask = &none; request.n_bitmask = 1);
    WRONG(S2_ERROR_EMPTY_ROW, request.bitmask = &bits; request.n_bitmask = 1; request.ranges = &range;
          request.n_ranges = 1; request.allowed_ids = &none; request.n_allowed = 1);
    WRONG(S2_ERROR_NO_CANDIDATE, request.logits = low; request.vocab_size = 2);
    WRONG(S2_ERROR_NO_CANDIDATE, request.bitmask = &bits; request.n_bitmask = 1; request.banned = &id;
          request.n_banned = 1);
    CHECK(s2_chain_add_greedy(empty) == 0);
    CHECK(s2_chain_add_xtc(chain, 0.5F, 0.1F, 1, 1) == 1);
    CHECK(s2_chain_add_xtc(other, 0.5F, 0.1F, 1, 1) == 1);

    /* No error used a word. */
    for (i = 0; i < 20; ++i) {
        CHECK(s2_chain_sample_ex(chain, &good, NULL) == s2_chain_sample(other, row, 6));
    }
    /* One id left by all masks, a count of 0 beside any pointer, and the caller's number. */
    request = good;
    request.ranges = &range;
    request.n_ranges = 1;
    request.bitmask = &bits;
    request.n_bitmask = 1;
    request.banned = (const int32_t *)1;
    request.uniforms = &u;
    request.n_uniforms = 1;
    request.best_before = best;
    request.n_best_before = 2;
    request.flags = S2_REQUEST_GROUP;
    request.group_first = 0;
    request.group_last = 2;
    s2_chain_result_init(&result);
    CHECK(s2_chain_sample_ex(chain, &request, &result) == 3);
    CHECK(result.token == 3 && result.words == 0 && result.uniforms == 1 && result.candidates == 6);
    CHECK(result.n_best_before == 2 && best[0].id == 2 && best[1].id == 3 && result.n_best_after == 0);
    CHECK(result.final_probability == 1.0 && result.penalised_probability == 1.0);
    CHECK(result.group_probability == 0.0 && result.group_best_id == -1);
    CHECK(fabs(result.raw_log_probability - (double)best[1].logprob) < 1e-6);
    CHECK(result.watched_raw_log_probability == (double)-INFINITY && result.watched_raw_probability == 0.0);

    /* An array is only read. */
    request = good;
    request.logits = NULL;
    request.vocab_size = 0;
    request.array = &array;
    request.flags = S2_REQUEST_WATCH_ID | S2_REQUEST_NO_ACCEPT;
    request.watched_id = 5;
    CHECK(s2_chain_sample_ex(empty, &request, &result) == 0 && result.token == -9);
    CHECK(fabs(result.watched_final_probability - 1 / (1 + exp(1))) < 1e-6);
    CHECK(array.selected == 77 && array.size == 2 && !array.sorted && tokens[0].id == 5 && tokens[1].p == 0.0F);
    s2_chain_free(chain);
    s2_chain_free(other);
    s2_chain_free(empty);
}

static void options_of_dist(void) {
    S2Chain *const chain = s2_chain_new();
    S2DistOptions good;
    S2DistOptions options;
    s2_dist_options_init(NULL);
    s2_dist_options_init(&good);
    CHECK(good.struct_size == sizeof good && good.seed == 0 && good.method == S2_DIST_INVERSION);
    CHECK(good.order == S2_DIST_LIST_ORDER && good.sums == S2_SUMS_DOUBLE && good.mass == 1.0F);
    CHECK(s2_chain_add_dist_ex(NULL, &good) == S2_ERROR_NULL_POINTER);
    CHECK(s2_chain_add_dist_ex(chain, NULL) == S2_ERROR_NULL_POINTER);
#define REFUSED(change)                                                     \
    do {                                                                    \
        options = good;                                                     \
        change;                                                             \
        CHECK(s2_chain_add_dist_ex(chain, &options) == S2_ERROR_BAD_ARGUMENT); \
        CHECK(s2_chain_count(chain) == 0);                                  \
    } while (0)
    REFUSED(options.struct_size = 23);
    REFUSED(options.struct_size = 4097);
    REFUSED(options.method = 4);
    REFUSED(options.method = -1);
    REFUSED(options.order = 3);
    REFUSED(options.sums = 2);
    REFUSED(options.mass = NAN);
    REFUSED(options.mass = -0.1F);
    REFUSED(options.mass = 0.5F; options.method = S2_DIST_DISCRETE);
    REFUSED(options.sums = S2_SUMS_FLOAT; options.method = S2_DIST_EXPONENTIAL_RACE);
    CHECK(s2_chain_add_dist_ex(chain, &good) == 0);
    CHECK(strcmp(s2_chain_stage_name(chain, 0), "dist") == 0);
    s2_chain_free(chain);
}

int main(void) {
    requests();
    options_of_dist();
    return 0;
}
