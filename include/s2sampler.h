/*
 * s2sampler: picks the next token from a row of logits.
 *
 * Licence: MIT OR Apache-2.0. This file is generated: the text between the declarations is
 * include/manual.txt, the rest comes from the library's sources. `make header` regenerates it.
 *
 * PAGE ONE
 * ========
 *
 *     #include <s2sampler.h>
 *
 *     s2_seed_thread(42);                                 (optional; else the system seeds)
 *     SamplerParams params = s2_sampler_params_default(); (temperature 0.8, top_p 0.8, top_k 30)
 *     params.top_k = 50;
 *     for (;;) {
 *         int32_t token = s2_sample_token(logits, vocab_size, &params);
 *         if (token < 0) { fputs(s2_status_string(token), stderr); break; }
 *         if (token == end_of_text) break;
 *         logits = next_logits(token);                    (your model)
 *     }
 *
 * s2_sample_token() ranks the tokens by logit, keeps the best top_k of them and of these the
 * nucleus of top_p, divides by the temperature, and draws. It returns the tokens of a sampler that
 * sorts the whole row, at about the cost of reading it. It may be called from any thread; each
 * thread has its own generator.
 */
#ifndef S2SAMPLER_H
#define S2SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* S2_MUST_USE warns where a result is dropped; it is empty for a compiler without such a warning.
   Define it before the first include to replace it. (gcc warns in C even after a cast to void.) */
#ifndef S2_MUST_USE
#if defined(__cplusplus) && __cplusplus >= 201703L
#define S2_MUST_USE [[nodiscard]]
#elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L
#define S2_MUST_USE [[nodiscard]]
#elif defined(__GNUC__)
#define S2_MUST_USE __attribute__((warn_unused_result))
#else
#define S2_MUST_USE
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * How to draw one token: temperature, top_p and top_k.
 *
 * 12 bytes without padding, which never changes: engines keep a struct of this name and layout.
 * Every bit pattern is allowed in every field; no value is an error.
 */
typedef struct S2SamplerParams {
    /**
     * Divides the logits of the candidates, after top_k and top_p chose them. Useful from about
     * 0.1 to 2; default 0.8. <= 0: the highest logit, without a random word. +inf: all candidates
     * above -inf are equally likely. NaN: only candidates equal to the maximum. A stream's second
     * draw (RAS) uses its own temperature, even if this one is <= 0.
     */
    float temperature;
    /**
     * Nucleus: the largest total probability of the candidates, in the whole row at temperature 1.
     * 0 to 1, values outside are clamped; default 0.8. The token that takes the running sum above
     * it is dropped; rank 0 always stays. Off: NaN. 1 is not off, because rounding can take the
     * sum above 1.
     */
    float top_p;
    /**
     * The largest number of candidates, best ranks first; default 30. Off: <= 0, or >= the row's
     * length.
     */
    int32_t top_k;
} S2SamplerParams;

/* SamplerParams is the only name here without the prefix s2_, S2 or S2_. If your program has its
   own SamplerParams, define S2_NO_BARE_NAMES before the first include: then S2SamplerParams is the
   only name. */
#ifndef S2_NO_BARE_NAMES
typedef S2SamplerParams SamplerParams;
#endif

/**
 * Returns the defaults: temperature 0.8, top_p 0.8, top_k 30. They are part of the ABI and never
 * change.
 *
 * A NULL `params` means the same values, so this is for callers that change one field.
 */
S2_MUST_USE S2SamplerParams s2_sampler_params_default(void);

/**
 * Draws one token from a row of logits with the calling thread's generator.
 *
 * `logits`: the row, one float for each token; a token's id is its index. Natural-log units with
 * any offset: the row need not be normalised. Masked tokens are -inf. Every bit pattern is
 * allowed.
 *
 * `vocab_size`: the number of logits. <= 0 is not an error here: the result is 0, because the
 * engines whose sampler this call replaces rely on it. `logits` is then not read.
 *
 * `params`: temperature, top_p and top_k. NULL: the defaults.
 *
 * Returns the id of the token, 0 <= id < `vocab_size`, or a status (< 0), and then no random word
 * was used. Check it before it is an index. The statuses here: S2_ERROR_NULL_POINTER,
 * S2_ERROR_BAD_ARGUMENT (`logits` is not aligned like a float), S2_ERROR_OUT_OF_MEMORY,
 * S2_ERROR_NO_ENTROPY (the thread has no seed and the operating system gave none; s2_seed_thread()
 * helps), S2_ERROR_INTERNAL (also in a signal handler that interrupted another draw of this
 * thread).
 */
S2_MUST_USE
int32_t s2_sample_token(const float *logits,
                        int32_t vocab_size,
                        const S2SamplerParams *params);

/**
 * Puts the calling thread's generator in the state of `std::mt19937(seed)`.
 *
 * From here on this thread's tokens depend only on `seed` and on the rows and parameters of its
 * calls. Without this call the operating system seeds a thread at its first draw. No value of
 * `seed` is special: 0 and 4294967295 do not mean "random". In a signal handler that interrupted a
 * draw of this thread the call does nothing.
 */
void s2_seed_thread(uint32_t seed);

/* Statuses. A result >= 0 is a token or success, a result < 0 is one of these. The numbers are
   pinned: none is ever changed or reused. Later versions may add some, so treat every negative
   number as an error. */

/** A pointer that must not be NULL is NULL. Nothing changed. */
#define S2_ERROR_NULL_POINTER -1

/** An argument is outside the range that its function states. Nothing changed. */
#define S2_ERROR_BAD_ARGUMENT -2

/**
 * The row has no tokens, or none that is allowed. Never from s2_sample_token(): an empty row is
 * token 0 there.
 */
#define S2_ERROR_EMPTY_ROW -3

/** An allocation failed. A later call may succeed. */
#define S2_ERROR_OUT_OF_MEMORY -4

/**
 * A defect of the library, caught at its boundary; please report it. It spoils the handle: every
 * later call with it returns this status, until it is freed.
 */
#define S2_ERROR_INTERNAL -5

/** The operating system gave no randomness for a seed. Give a seed to go on. */
#define S2_ERROR_NO_ENTROPY -6

/** No stage of the chain selects a token. Nothing changed. */
#define S2_ERROR_NO_SELECTION -7

/**
 * No allowed token has a logit above -inf. No random word was used and nothing changed, except for
 * the array of s2_chain_apply(). Never from s2_sample_token(): such a row is token 0 there.
 */
#define S2_ERROR_NO_CANDIDATE -8

/**
 * Another call, of another thread or interrupted by this signal handler, is using the handle.
 * Nothing changed.
 */
#define S2_ERROR_BUSY -9

/**
 * Returns a short English text for `status`, for a log.
 *
 * A `status` of zero or more gives "success", an unknown negative number "unknown status". The
 * text is static and never NULL. Compare the number, not the text: the wording may change in any
 * release.
 */
S2_MUST_USE const char *s2_status_string(int32_t status);

/*
 * This is all you need for a drop-in. Stop here, or go on:
 *
 * CONTENTS
 * ========
 *
 *  1. One draw    the steps with their arithmetic, special values, random words; the rule of the
 *                 engines' first generations; seeds
 *  2. Samplers    a generator for each request; part of a row; several rows; saved states
 *  3. Requests    a draw with penalties, masks, min_p or your own random number; probabilities
 *  4. Streams     one utterance of a speech engine: mask, RAS, end, codes; saved states
 *  5. Chains      stages in any order, those of llama.cpp and your own among them; requests for
 *                 chains; presets; saved states
 *  6. Reports     what each parameter did to a row
 *  7. Versions    and diagnostics
 *  8. What holds for all functions    threads, fork, memory, pointers, errors, structs that may
 *                                     grow, bit identity, ABI
 *
 * A function states only what is specific to it. Chapter 8 states what holds for all of them: NULL,
 * alignment, busy handles, failed allocations.
 */

/* ================================================================================================
 * 1. ONE DRAW
 * ================================================================================================
 *
 * All arithmetic is IEEE binary32 in the order given, unless it says double. n is the length of the
 * row, l[i] the logit of rank i, m = l[0] the highest logit. expf has one definition on every
 * platform: glibc's results (2.27 and later) on a CPU with FMA.
 *
 *  1. Rank. Tokens are ranked by logit, highest first. Ties go to the lower id; -0.0 equals +0.0.
 *  2. Probability. e[i] = expf(l[i] - m). S is the sum of the e of the whole row, added one by one
 *     in rank order. q[i] = e[i] / S. The temperature has no part in this.
 *  3. top_k. Only the first top_k ranks may stay; all if top_k <= 0 or top_k >= n.
 *  4. top_p. c is the running sum of the q in rank order. The first rank i > 0 with c > top_p is
 *     dropped, with all that follow; a sum equal to top_p is not above it. Rank 0 always stays. The
 *     ranks left are the candidates.
 *  5. Greedy. A temperature <= 0 returns rank 0, without a random word.
 *  6. Temperature. w[i] = expf((l[i] - m) / temperature) for each candidate. The w are divided by
 *     their sum, and the quotients once more by theirs; both sums are added in rank order. If the
 *     second sum is not > 0, rank 0 is returned.
 *  7. Draw. A single candidate is returned without a random word. Otherwise the w become doubles,
 *     are divided by their double sum and added up, in rank order; the last running sum counts as
 *     1. g0 and g1 are the next two words of the generator, in this order, and in double
 *
 *         u = (g0 + g1 * 2^32) / 2^64
 *
 *     A u that rounds to 1 becomes the largest double below 1. The token is the first candidate
 *     whose running sum is >= u; if that has weight 0, the last candidate of weight > 0.
 *
 * These are the tokens of libstdc++'s std::discrete_distribution over the w with std::mt19937.
 *
 * top_p = 1 is not "off": the running sum is rounded at every step and can pass 1 before the row
 * ends, and then a few of the last ranks are dropped. Of ten equal logits the tenth is never drawn.
 * Pass NaN to filter nothing.
 *
 * Other samplers use the same names for other rules:
 *
 *                        this library             llama.cpp               Hugging Face
 *  order                 top_k, top_p at          as the chain says;      temperature, top_k,
 *                        temperature 1, then      temperature mostly      top_p
 *                        temperature              last
 *  probabilities for     softmax of the           softmax of the          softmax of what top_k
 *  top_p                 whole row                candidates left so far  left, with temperature
 *  token that reaches    dropped, unless it is    kept                    kept
 *  top_p                 rank 0 or the sum is
 *                        exactly top_p
 *  top_p >= 1            may drop the last ranks  off                     off
 *
 * Special values. No value of a logit or a parameter is an error, and the token is always in the
 * row.
 *
 *  NaN logit           counts as -inf.
 *  -inf logit          is never drawn while there is a larger one. It is still a rank: with
 *                      top_p = 1 and no top_k, the row {5, -inf, -inf} has three candidates
 *                      and uses two words, although only one token can come out.
 *  +inf logit          the lowest id among the +inf is the token.
 *  all -inf or NaN     the token is id 0; every call with a handle returns S2_ERROR_NO_CANDIDATE
 *                      instead, and uses no word.
 *  temperature NaN     w is 1 for candidates equal to m and 0 for the others.
 *  temperature +inf    w is 1 for all candidates above -inf.
 *  top_p, top_k        see SamplerParams.
 *
 * Random words. A word is one 32-bit output of a generator. A draw uses two words if at least two
 * candidates are left and the temperature is above 0 or NaN. Otherwise it uses none. With a +inf
 * logit, and in s2_sample_token() for a row without a logit above -inf, the candidates that count
 * here are the ranks that top_k keeps. A call that returns a status uses no word, unless it says
 * otherwise. So a caller knows the position in the stream after every call.
 *
 * The first generations. Before s2.cpp's commit 0e543f0 (2026-03-22) the engines had another rule;
 * the later ones of these versions also keep an id as a candidate. s2_sample_token_first(), the
 * stage s2_first and S2_REQUEST_S2_FIRST follow that rule, with the same random words:
 *
 *  1. The first top_k ranks stay, as in step 3. If keep_id is not among them and its logit is above
 *     -1e30, it joins them at its rank, which is the last.
 *  2. w[i] = expf((l[i] - m) / T), with T the temperature. If T is <= 0 or NaN, w is 1 where l[i]
 *     equals m and 0 elsewhere. W is the sum of the w of these ranks, added one by one in rank
 *     order; the w are divided by W.
 *  3. The first rank at which the running sum of the w is >= top_p is the last that stays; if there
 *     is none, all stay. If keep_id ranks later, the ranks up to and including it stay.
 *  4. The w left are divided by their sum, in rank order, and step 7 draws.
 *
 * T <= 0 is no shortcut: with two candidates it uses two words. A keep_id at -inf that top_k leaves
 * also makes all ranks before it stay; so does one that a mask or a ban puts there. With a +inf
 * logit, a keep_id that joins is a candidate that counts. Special values and random words are
 * otherwise as above.
 */

/**
 * Draws one token by the rule of the S2 engines' first generations, with the calling thread's
 * generator; "The first generations" states it. The drop-ins for these engines call this.
 *
 * `logits`, `vocab_size`: as for s2_sample_token(). `params`: NULL: 0.7, 0.7, 30. `keep_id`: the
 * id that stays a candidate, with all that rank before it; < 0, or not in the row: none.
 *
 * Returns as s2_sample_token().
 */
S2_MUST_USE
int32_t s2_sample_token_first(const float *logits,
                              int32_t vocab_size,
                              const S2SamplerParams *params,
                              int32_t keep_id);

/**
 * Gets a seed from the operating system, to use and to log.
 *
 * `seed`: written if the result is 0. Returns 0, S2_ERROR_NULL_POINTER or S2_ERROR_NO_ENTROPY.
 */
S2_MUST_USE int32_t s2_random_seed(uint32_t *seed);

/**
 * Counts the NaN and +inf of a row, to notice a broken model. Use it beside any kind of draw. It
 * costs one pass over the row, which a plain draw does without.
 *
 * `logits`, `n`: the row; `n` <= 0 counts nothing. `nans`, `infinities`: where to write the number
 * of NaN and of +inf; NULL for a number that you do not need. (-inf is not counted: masks put it
 * there.)
 *
 * Returns the sum of the two numbers, or S2_ERROR_NULL_POINTER or S2_ERROR_BAD_ARGUMENT for
 * `logits`.
 */
S2_MUST_USE
int32_t s2_count_special(const float *logits,
                         int32_t n,
                         int32_t *nans,
                         int32_t *infinities);

/* ================================================================================================
 * 2. SAMPLERS
 * ================================================================================================
 *
 * An S2Sampler is a generator that belongs to a request, not to a thread:
 *
 *     S2Sampler *sampler = s2_sampler_new(42);
 *     int32_t token = s2_sampler_sample(sampler, logits, n, &params);
 *     s2_sampler_free(sampler);
 */

/**
 * A generator with the working memory of its draws, for a request or an utterance instead of a
 * thread.
 *
 * Its tokens depend on its seed and on the calls made with it, in order. So requests that take
 * turns on a thread, or move between threads, do not disturb each other. It takes about 2.5 KB and
 * the working memory of its draws.
 */
typedef struct S2Sampler S2Sampler;

/**
 * A range of token ids, both ends included.
 *
 * No value is an error: ids outside the row are ignored, and a range with first > last is empty.
 */
typedef struct S2TokenRange {
    /** The first id of the range. */
    int32_t first;
    /** The last id of the range. It is in the range, unlike the end of a C++ iterator range. */
    int32_t last;
} S2TokenRange;

/** Makes a generator in the state of `std::mt19937(seed)`. No value of `seed` is special. */
S2_MUST_USE S2Sampler *s2_sampler_new(uint32_t seed);

/**
 * Makes a generator that the operating system seeds; s2_sampler_get_seed() returns the seed.
 *
 * NULL also with S2_ERROR_NO_ENTROPY. In the child of a fork the handle gets a new seed: see
 * "Fork".
 */
S2_MUST_USE S2Sampler *s2_sampler_new_random(void);

/**
 * Makes a second generator in the same state: both continue identically. Working memory is not
 * copied.
 */
S2_MUST_USE S2Sampler *s2_sampler_clone(const S2Sampler *sampler);

/** Frees a generator. */
void s2_sampler_free(S2Sampler *sampler);

/**
 * Puts a generator in the state of `std::mt19937(seed)`, for any `seed`. Does nothing where a
 * status would be returned: see "Errors".
 */
void s2_sampler_seed(S2Sampler *sampler, uint32_t seed);

/**
 * Returns the seed of a generator, for the log and for a replay.
 *
 * It is the seed that the caller gave, that the operating system gave, or that a restored state
 * contains. In the child of a fork a handle of s2_sampler_new_random() has its new seed from its
 * first draw on. 0 where a status would be returned.
 */
S2_MUST_USE uint32_t s2_sampler_get_seed(const S2Sampler *sampler);

/**
 * Draws one token, as s2_sample_token() does, with this generator.
 *
 * Two differences: `vocab_size` <= 0 is S2_ERROR_EMPTY_ROW, and a row without a logit above -inf
 * is S2_ERROR_NO_CANDIDATE. S2_ERROR_NO_ENTROPY is possible only in the child of a fork.
 */
S2_MUST_USE
int32_t s2_sampler_sample(S2Sampler *sampler,
                          const float *logits,
                          int32_t vocab_size,
                          const S2SamplerParams *params);

/**
 * Draws one token from the allowed ids of a row, without a masked copy of the row.
 *
 * Token and random words are those of s2_sampler_sample() for the row with -inf at every other id.
 * Nothing outside the ranges is read; the cost follows the number of allowed ids. If they are not
 * consecutive, their logits are copied to working memory.
 *
 * `ranges`, `n_ranges`: the allowed ids, in any order, overlaps allowed. `n_ranges` <= 0 allows
 * none.
 *
 * Returns the id in the whole row, or a status: S2_ERROR_EMPTY_ROW if no id of the row is allowed,
 * S2_ERROR_NO_CANDIDATE if no allowed logit is above -inf.
 */
S2_MUST_USE
int32_t s2_sampler_sample_ranges(S2Sampler *sampler,
                                 const float *logits,
                                 int32_t vocab_size,
                                 const S2TokenRange *ranges,
                                 int32_t n_ranges,
                                 const S2SamplerParams *params);

/**
 * Draws one token from each of several rows, each with its own generator, from the first row to
 * the last: for the heads of several codebooks, requests that are served together, the rows of a
 * draft.
 *
 * `samplers`: a handle for each row. A handle may be given for several rows: they use it in turn.
 *
 * `logits`, `rows`, `row_stride`, `vocab_size`: row i begins at `logits` + i * `row_stride`,
 * counted in floats, and has `vocab_size` of them. Any stride: padded, 0 for one shared row,
 * negative. With `rows` <= 0 the call does nothing and looks at no other argument.
 *
 * `params`, `n_params`: one for all rows (`n_params` 1) or one for each (`n_params` == `rows`).
 * NULL: the defaults, whatever `n_params` is.
 *
 * `tokens`: for each row its token, or its status as of s2_sampler_sample().
 *
 * Returns the number of rows that have a token, 0 to `rows`: below `rows`, look for the statuses
 * in `tokens`. Or a status, and then nothing was drawn or written: S2_ERROR_NULL_POINTER
 * (`samplers`, `logits` or `tokens`), S2_ERROR_BAD_ARGUMENT (`n_params`, or the last row begins
 * outside the address space). A NULL among the samplers is S2_ERROR_NULL_POINTER in `tokens`.
 */
S2_MUST_USE
int32_t s2_sampler_sample_rows(S2Sampler *const *samplers,
                               const float *logits,
                               int32_t rows,
                               ptrdiff_t row_stride,
                               int32_t vocab_size,
                               const S2SamplerParams *params,
                               int32_t n_params,
                               int32_t *tokens);

/**
 * Returns the size of a saved state in bytes, about 2.5 KB: the same for every handle of one
 * release.
 */
S2_MUST_USE size_t s2_sampler_state_size(void);

/**
 * Writes the state of a generator as bytes, to continue from it later, elsewhere, or twice.
 *
 * The bytes carry a version, the seed, the position in the stream and a checksum, and are the same
 * on every machine; the rest of the format is unspecified. Anyone who has them can predict all
 * later words.
 *
 * `state`, `size`: a buffer for s2_sampler_state_size() bytes, at any alignment, and its size.
 * Returns 0, or S2_ERROR_BAD_ARGUMENT if `size` is too small, and then nothing is written.
 */
S2_MUST_USE
int32_t s2_sampler_save(const S2Sampler *sampler,
                        void *state,
                        size_t size);

/**
 * Puts a generator in a saved state. It then counts as explicitly seeded: a fork does not change
 * it.
 *
 * `state`, `size`: what s2_sampler_save() wrote, at any alignment, and exactly the number of bytes
 * that s2_sampler_state_size() returned there. Returns 0, or S2_ERROR_BAD_ARGUMENT if the bytes
 * are not a saved state, were changed, or have a version that this library does not know; then
 * nothing changes.
 */
S2_MUST_USE
int32_t s2_sampler_restore(S2Sampler *sampler,
                           const void *state,
                           size_t size);

/* ================================================================================================
 * 3. REQUESTS
 * ================================================================================================
 *
 * s2_sampler_sample_ex() adds steps to those of chapter 1. Each added step is off by default.
 *
 *  a. Penalties. Let c be the number of times a token occurs in the last penalty_window tokens of
 *     the history. If c > 0, its logit l becomes l / repetition_penalty if l > 0, else l *
 *     repetition_penalty; then l - (c * frequency_penalty + presence_penalty). NaN becomes -inf.
 *  b. Masks. The logits of banned ids, and of ids that the ranges, the allowed ids or the bitmask
 *     do not allow, become -inf. If several of these three are given, each must allow an id. The
 *     bitmask is that of xgrammar, llguidance and Outlines.
 *  c. Steps 1 to 4 on the changed row.
 *  d. min_p. The first rank i > 0 with l[i] < m + ln(min_p), in binary32, is dropped, with all that
 *     follow.
 *  e. keep_id. If that token is not among the candidates and its logit is > -inf, it becomes the
 *     last candidate. The ranks between stay out. The sums of steps 6 and 7 add it last.
 *  f. Steps 5 to 7. The caller's uniform takes the place of u.
 *
 * If the highest logit is +inf, d and e have no effect.
 *
 *     S2SampleRequest request = {0};
 *     S2SampleResult result = {0};
 *     request.struct_size = sizeof request;
 *     request.logits = logits;
 *     request.vocab_size = n;
 *     request.history = tokens;                     (the text so far)
 *     request.n_history = n_tokens;
 *     request.penalty_window = 64;                  (0, the default, turns the penalties off)
 *     request.repetition_penalty = 1.1f;
 *     request.watched_id = end_id;
 *     request.flags = S2_REQUEST_WATCH_ID;
 *     result.struct_size = sizeof result;
 *     int32_t token = s2_sampler_sample_ex(sampler, &request, &result);
 *     if (result.nans > 0) complain();              (watched_raw_probability is that of end_id)
 */

/** Flag: draw with S2SampleRequest.uniform; the generator is not used. Samplers only. */
#define S2_REQUEST_UNIFORM 1

/** Flag: the request's keep_id stays a candidate. */
#define S2_REQUEST_KEEP_ID 2

/** Flag: the result states the probabilities of the request's watched_id. */
#define S2_REQUEST_WATCH_ID 4

/**
 * Flag: the result has only the fields before nans. Those from nans on are 0, which saves a pass
 * over the row. A chain then writes no best tokens either.
 */
#define S2_REQUEST_NO_STATS 8

/**
 * Flag: draw by the rule of "The first generations" instead of steps c to f. keep_id is then that
 * rule's, and a min_p above 0 is S2_ERROR_BAD_ARGUMENT. Samplers only.
 */
#define S2_REQUEST_S2_FIRST 16

/** Flag: the stages do not accept the token. Chains only. */
#define S2_REQUEST_NO_ACCEPT 32

/**
 * Flag: the result states the probability of the ids from S2ChainRequest.group_first to
 * group_last. Chains only.
 */
#define S2_REQUEST_GROUP 64

/**
 * A draw with options. If all bytes but those of struct_size, logits and vocab_size are zero, it
 * is the draw of s2_sampler_sample() with the default parameters.
 *
 * Ids are the index in `logits` plus `id_offset`. An id outside the row is ignored in every field.
 * The arrays are only read, and only during the call.
 */
typedef struct S2SampleRequest {
    /** sizeof(S2SampleRequest): see "Structs that may grow". */
    uint32_t struct_size;
    /**
     * S2_REQUEST_* flags, joined by |. 0: none. Unknown bits and flags of chains only are
     * S2_ERROR_BAD_ARGUMENT.
     */
    uint32_t flags;
    /** The row, as for s2_sample_token(). */
    const float *logits;
    /** The number of logits. <= 0 is S2_ERROR_EMPTY_ROW. */
    int32_t vocab_size;
    /**
     * The id of the first logit, for a row that holds a part of the vocabulary. >= 0, and the last
     * id is <= 2147483647.
     */
    int32_t id_offset;
    /**
     * Temperature, top_p and top_k. NULL: 0.8, 0.8, 30, or with S2_REQUEST_S2_FIRST 0.7, 0.7,
     * 30.
     */
    const S2SamplerParams *params;
    /** The allowed ids, as for s2_sampler_sample_ranges(). n_ranges 0: all are allowed. */
    const S2TokenRange *ranges;
    /** The allowed ids, in any order. n_allowed 0: all are allowed. */
    const int32_t *allowed_ids;
    /**
     * The allowed ids: bit i % 32 of word i / 32 is 1 if id i is allowed; ids beyond the words are
     * not. n_bitmask 0: all are allowed.
     */
    const int32_t *bitmask;
    /** Ids that count as -inf, in any order. */
    const int32_t *banned;
    /** The latest tokens, oldest first, for the three penalties. */
    const int32_t *history;
    /** The number of ranges. >= 0, like the four counts after it. */
    int32_t n_ranges;
    /** The number of allowed ids. */
    int32_t n_allowed;
    /** The number of words of the bitmask. */
    int32_t n_bitmask;
    /** The number of banned ids. */
    int32_t n_banned;
    /** The number of tokens in `history`. */
    int32_t n_history;
    /**
     * How many of the latest tokens of `history` the penalties look at. 0: none, which turns the
     * penalties off. -1: all. Below -1 is S2_ERROR_BAD_ARGUMENT.
     */
    int32_t penalty_window;
    /**
     * Divides the logit of a token in the window if it is > 0, otherwise multiplies it; once,
     * however often the token occurs. So the result depends on the offset of the row. > 0 and
     * finite. Off: 0, 1.
     */
    float repetition_penalty;
    /**
     * Subtracted from the logit of a token in the window, once for each occurrence. Finite; < 0
     * favours such tokens. Off: 0.
     */
    float frequency_penalty;
    /**
     * Subtracted once from the logit of a token in the window. Finite; < 0 favours such tokens.
     * Off: 0.
     */
    float presence_penalty;
    /**
     * Drops candidates whose probability at temperature 1 is below this share of the best one's.
     * Off: <= 0, NaN.
     */
    float min_p;
    /**
     * With S2_REQUEST_KEEP_ID: the id that stays a candidate whatever its rank, if its logit is >
     * -inf.
     */
    int32_t keep_id;
    /** With S2_REQUEST_WATCH_ID: the id whose probabilities the result states. */
    int32_t watched_id;
    /**
     * With S2_REQUEST_UNIFORM: the u of step 7, for callers that have their own generator. 0 <=
     * uniform < 1; -0.0 is 0. Anything else is S2_ERROR_BAD_ARGUMENT.
     */
    double uniform;
} S2SampleRequest;

/**
 * The result of a draw with options. Set struct_size before the draw, by hand or by
 * s2_sample_result_init(); the draw writes all other fields.
 *
 * "Raw" is the probability in the softmax of the row as it was passed, at temperature 1, to about
 * five digits. If there are +inf logits, they share it equally and the others have 0. "Final" is
 * the probability with which this request draws the token; 1 if the draw had no choice. Logarithms
 * are natural and tell small probabilities apart; that of 0 is -inf.
 */
typedef struct S2SampleResult {
    /** sizeof(S2SampleResult): see "Structs that may grow". */
    uint32_t struct_size;
    /** The token, as returned. */
    int32_t token;
    /**
     * The number of candidates, including those with logit -inf. 1 for a temperature <= 0 and for
     * top_k 1. A u was used if and only if this is >= 2.
     */
    int32_t candidates;
    /** The words taken from the generator: 0 or 2. */
    uint32_t words;
    /** The number of NaN in the row, allowed or not. */
    int32_t nans;
    /** The number of +inf in the row, allowed or not. */
    int32_t infinities;
    /** The token's raw probability. */
    double raw_probability;
    /** Its logarithm. */
    double raw_log_probability;
    /** The token's final probability. */
    double final_probability;
    /** Its logarithm. */
    double final_log_probability;
    /** The watched id's raw probability; 0 without one, or if it is not in the row. */
    double watched_raw_probability;
    /** Its logarithm. */
    double watched_raw_log_probability;
    /** The watched id's final probability; 0 also if it is no candidate. */
    double watched_final_probability;
    /** Its logarithm. */
    double watched_final_log_probability;
} S2SampleResult;

/** Sets `request` to all zero but struct_size. */
void s2_sample_request_init(S2SampleRequest *request);

/** Sets `result` to all zero but struct_size. Once is enough for many draws. */
void s2_sample_result_init(S2SampleResult *result);

/**
 * Draws one token as a request says.
 *
 * `request`: the row and the options. `result`: where to write the result, with struct_size set.
 * NULL writes nothing, which saves the same pass over the row as S2_REQUEST_NO_STATS. It may not
 * overlap the request.
 *
 * Returns the id of the token, allowed and not banned, or a status, and then `result` is not
 * written: S2_ERROR_BAD_ARGUMENT if a field is outside the range it states or a pointer is not
 * aligned, S2_ERROR_NULL_POINTER also for a pointer in the request whose count is positive,
 * S2_ERROR_EMPTY_ROW if no id of the row is allowed, bans aside, S2_ERROR_NO_CANDIDATE if no
 * logit is above -inf after the penalties, bans and masks.
 */
S2_MUST_USE
int32_t s2_sampler_sample_ex(S2Sampler *sampler,
                             const S2SampleRequest *request,
                             S2SampleResult *result);

/* ================================================================================================
 * 4. STREAMS
 * ================================================================================================
 *
 * A dual-autoregressive speech engine draws, for each frame, a main token with its large model (the
 * Slow-AR draw: a range of semantic tokens and one end token are allowed) and then a token for each
 * further codebook with its small model (the Fast-AR draws). s2_stream_slow() and s2_stream_fast()
 * are named after these models. A stream does everything between the logits and the codes:
 *
 *     S2StreamConfig config;
 *     s2_stream_config_init(&config);
 *     config.semantic_first = 151678;
 *     config.semantic_last = 155773;                         (inclusive)
 *     config.end_id = 151645;
 *     S2Stream *stream = s2_stream_new(42, &config);
 *     for (frame = 0;; ++frame) {
 *         int32_t token = s2_stream_slow(stream, logits, n, &params, frame >= min_frames);
 *         if (token < 0 || s2_stream_ended(stream)) break;
 *         code[0] = s2_stream_code(stream, token, codebook_size);
 *         for (c = 1; c < codebooks; ++c)
 *             code[c] = s2_stream_fast(stream, fast_logits(c), codebook_size, &params);
 *     }
 *     s2_stream_free(stream);
 *
 * RAS (repetition-aware sampling) draws a main token once more if it was drawn lately. Let h be the
 * number of times the token occurs in the window of the last ras_window main tokens. A semantic
 * token is drawn again
 *
 *  S2_RAS_ANY_HIT   if h >= 1, with ras_temperature, ras_top_p and the caller's top_k
 *  S2_RAS_SHARE     if h >= ras_window * ras_tau, with ras_temperature, without top_k and top_p
 *
 * from the same allowed ids. The second token counts, even if it is the same; there is no third
 * draw. The token returned enters the window, even an end token, and the oldest leaves. The second
 * draw ignores the caller's temperature: with temperature 0 it still draws at ras_temperature.
 *
 * Loops of engines differ in three independent points. Each has a field:
 *
 *  ras_end      where the second draw gives the end token, s2.cpp goes on: the frame has code 0,
 *               as s2_stream_code() gives it, and only a first draw ends the utterance
 *  ras_always   audio.cpp draws twice for every frame and uses the second token only on a hit
 *  ras_bans     CrispASR's cosyvoice3 takes the repeated token out of the second draw, with
 *               S2_RAS_SHARE
 *
 * The loop above is s2.cpp's with ras_end S2_RAS_END_CONTINUES and everything else at its default.
 */

/** RAS mode: no second draw. */
#define S2_RAS_OFF 0

/**
 * RAS mode of the S2 engines, the default: a semantic token that occurs in the window is drawn
 * again.
 */
#define S2_RAS_ANY_HIT 1

/**
 * RAS mode of CosyVoice: a semantic token that occurs in the window at least ras_window * ras_tau
 * times is drawn again.
 */
#define S2_RAS_SHARE 2

/** An end token from the second draw ends the utterance, the default. */
#define S2_RAS_END_STOPS 0

/**
 * An end token from the second draw does not end the utterance: the loop goes on, with code 0, as
 * that of the original S2 engine does.
 */
#define S2_RAS_END_CONTINUES 1

/** The configuration of a stream. Fill it with s2_stream_config_init(), then change fields. */
typedef struct S2StreamConfig {
    /** sizeof(S2StreamConfig): see "Structs that may grow". */
    uint32_t struct_size;
    /** The id of the first semantic token, >= 0. Default 0. */
    int32_t semantic_first;
    /**
     * The id of the last semantic token (inclusive), >= semantic_first. Default -1, which is not
     * valid: the range must be given.
     */
    int32_t semantic_last;
    /**
     * The id of the token that ends the utterance. Default -1: none, as every negative id. An end
     * token in the semantic range is a semantic token, too.
     */
    int32_t end_id;
    /** How many of the latest main tokens RAS looks at, 0 to 1048576. Default 10. Off: 0. */
    int32_t ras_window;
    /**
     * The temperature of the second draw, as in SamplerParams. Default 1. The second draw has this
     * temperature even if the first was greedy.
     */
    float ras_temperature;
    /** The top_p of the second draw in mode S2_RAS_ANY_HIT, as in SamplerParams. Default 0.9. */
    float ras_top_p;
    /** S2_RAS_OFF, S2_RAS_ANY_HIT or S2_RAS_SHARE. Default S2_RAS_ANY_HIT. */
    int32_t ras_mode;
    /**
     * In mode S2_RAS_SHARE: the share of the window at which a token is drawn again. <= 0: every
     * semantic token; NaN: none. Default 0.1.
     */
    float ras_tau;
    /** S2_RAS_END_STOPS or S2_RAS_END_CONTINUES. Default S2_RAS_END_STOPS. */
    int32_t ras_end;
    /**
     * 1: the second draw is made for every main token, as audio.cpp does, and its token is used
     * only where ras_mode says so; a main token then takes the words of two draws. 0: it is made
     * only where its token is used. Default 0. Without effect in mode S2_RAS_OFF and with
     * ras_window 0.
     */
    int32_t ras_always;
    /**
     * 1: the second draw leaves out the token of the first, as CrispASR does. If no other allowed
     * logit is above -inf, there is no second draw. 0: it may give the same token again. Default
     * 0.
     */
    int32_t ras_bans;
} S2StreamConfig;

/**
 * One utterance: a generator, the window of main tokens that RAS looks at, and the rules of the
 * loop.
 *
 * Two streams with the same seed, configuration and rows give the same tokens, whatever else runs,
 * on any threads.
 */
typedef struct S2Stream S2Stream;

/** Sets `config` to the defaults, and struct_size. */
void s2_stream_config_init(S2StreamConfig *config);

/**
 * Begins an utterance whose generator is in the state of `std::mt19937(seed)`. No value of `seed`
 * is special.
 *
 * `config`: copied. NULL also with S2_ERROR_NULL_POINTER if `config` is NULL, and
 * S2_ERROR_BAD_ARGUMENT if a field of it is out of range.
 */
S2_MUST_USE
S2Stream *s2_stream_new(uint32_t seed,
                               const S2StreamConfig *config);

/**
 * As s2_stream_new() with `config`, seeded by the operating system; s2_stream_get_seed() returns
 * the seed.
 *
 * NULL also with S2_ERROR_NO_ENTROPY. In the child of a fork the handle gets a new seed: see
 * "Fork".
 */
S2_MUST_USE S2Stream *s2_stream_new_random(const S2StreamConfig *config);

/** Makes a second stream in the same state, window included: both continue identically. */
S2_MUST_USE S2Stream *s2_stream_clone(const S2Stream *stream);

/**
 * Returns the number of bytes that s2_stream_save() writes for the stream as it is, or 0 where a
 * status would be returned.
 */
S2_MUST_USE size_t s2_stream_state_size(const S2Stream *stream);

/**
 * Writes the stream as bytes, to continue from it later, elsewhere, or twice: its configuration,
 * generator and window. For the bytes see s2_chain_save().
 *
 * `state`, `size`: a buffer for s2_stream_state_size() bytes and its size. Returns 0, or
 * S2_ERROR_BAD_ARGUMENT if `size` is too small, and then nothing is written.
 */
S2_MUST_USE
int32_t s2_stream_save(const S2Stream *stream,
                       void *state,
                       size_t size);

/**
 * Makes a stream in a saved state, which continues identically. Its generator counts as explicitly
 * seeded: a fork does not change it.
 *
 * `state`, `size`: as for s2_chain_new_restored(), of s2_stream_save(). NULL also with
 * S2_ERROR_BAD_ARGUMENT if the bytes are not a saved stream, were changed, or have a version that
 * this library does not know.
 */
S2_MUST_USE
S2Stream *s2_stream_new_restored(const void *state,
                                        size_t size);

/** Frees a stream. */
void s2_stream_free(S2Stream *stream);

/**
 * Begins another utterance with the same configuration and memory: the generator in the state of
 * `std::mt19937(seed)` for any `seed`, the window empty, not ended. Returns 0 or a status.
 */
int32_t s2_stream_reset(S2Stream *stream,
                        uint32_t seed);

/** Returns the seed of a stream, as s2_sampler_get_seed(). */
S2_MUST_USE uint32_t s2_stream_get_seed(const S2Stream *stream);

/**
 * The Slow-AR draw: the main token of a frame.
 *
 * Draws as s2_sampler_sample_ranges() from the semantic tokens, and from the end token if it is
 * allowed; then, if RAS says so, once more from the same tokens. The token returned enters the
 * window.
 *
 * `logits`, `vocab_size`: the whole row, unmasked. Its length may differ from frame to frame.
 *
 * `allow_end`: 0 bans the end token, in both draws and also from the semantic range; otherwise it
 * is allowed.
 *
 * Returns the id in the whole row; ask s2_stream_ended() whether the utterance has ended. Or a
 * status, and then window and end are as before: S2_ERROR_EMPTY_ROW if no allowed id is in the
 * row, S2_ERROR_NO_CANDIDATE if no allowed logit is above -inf. Only with S2_ERROR_OUT_OF_MEMORY
 * may the first of two draws have used its words.
 */
S2_MUST_USE
int32_t s2_stream_slow(S2Stream *stream,
                       const float *logits,
                       int32_t vocab_size,
                       const S2SamplerParams *params,
                       int32_t allow_end);

/**
 * The Fast-AR draw: a further codebook token of a frame, by s2_sampler_sample() with the stream's
 * generator. RAS and the window have no part in it.
 *
 * `logits`, `n`: the row; `n` is the size of the codebook, and the token returned is the code.
 */
S2_MUST_USE
int32_t s2_stream_fast(S2Stream *stream,
                       const float *logits,
                       int32_t n,
                       const S2SamplerParams *params);

/**
 * Returns the semantic code of a main token: `token` - semantic_first, clamped to 0 ...
 * `codebook_size` - 1.
 *
 * S2_ERROR_BAD_ARGUMENT if `token` < 0, such as an unchecked status, or `codebook_size` <= 0. The
 * configuration never changes, so this call may overlap any other.
 */
S2_MUST_USE
int32_t s2_stream_code(const S2Stream *stream,
                       int32_t token,
                       int32_t codebook_size);

/**
 * Returns 1 if the last main token ended the utterance, 0 if it did not or there is none, or a
 * status. With S2_RAS_END_CONTINUES only an end token of the first draw ends it.
 */
S2_MUST_USE int32_t s2_stream_ended(const S2Stream *stream);

/**
 * Returns 1 if the last main token is that of the second draw, 0 if it is that of the first or
 * there is none, or a status.
 */
S2_MUST_USE int32_t s2_stream_redrawn(const S2Stream *stream);

/* ================================================================================================
 * 5. CHAINS
 * ================================================================================================
 *
 * A chain applies stages in the order you add them, as llama.cpp's samplers do. Each
 * s2_chain_add_*() appends one; s2_chain_new_preset() makes a chain of a known order.
 *
 *     S2Chain *chain = s2_chain_new();
 *     if (s2_chain_add_penalties(chain, 64, 1.1f, 0.0f, 0.0f) < 0 ||
 *         s2_chain_add_top_k(chain, 40) < 0 || s2_chain_add_top_p(chain, 0.95f, 1) < 0 ||
 *         s2_chain_add_temperature(chain, 0.8f) < 0 || s2_chain_add_dist(chain, 42) < 0) fail();
 *     int32_t token = s2_chain_sample(chain, logits, n);     (applies, selects, accepts)
 *     s2_chain_free(chain);
 *
 * The stages work on candidates: an id, a logit l and a probability p. At first these are all
 * tokens of the row by rising id, or the array of s2_chain_apply() as it comes. A NaN logit counts
 * as -inf. A stage changes logits, drops candidates, or selects one. The next stage works on the
 * candidates left; there is always at least one. The first stage that selects ends the pass; greedy
 * and dist leave the list as it is, and `selected` is an index into it.
 *
 * s2_chain_sample() accepts the selected token by itself; histories contain accepted tokens only,
 * so accept the tokens of a prompt one by one. A stage whose parameters are "off" keeps its index
 * and costs nothing.
 *
 * Terms of the table:
 *
 *  sorts      puts the candidates in the order of step 1 (rank order) and drops those at -inf;
 *             if all are, rank 0 alone stays
 *  softmax    e = expf(l - m), m the largest logit; E[i] the sum of the e, added in double, one by
 *             one in rank order; S the last E; p = e / S, divided in double, then rounded to
 *             binary32. If m is +inf, e is 1 at +inf and 0 elsewhere. If m is -inf, e is 1 for the
 *             first in rank order and 0 for the others.
 *  float softmax  as softmax, with a binary32 sum in the order of the list
 *  H          the last last_n accepted tokens (last_n -1: all), oldest first
 *  min_keep   at least this many candidates stay, all if there are fewer; 0 counts as 1
 *
 * Unless the table says otherwise, arithmetic is binary32 and the order of the candidates stays. A
 * NaN that arithmetic makes, such as inf - inf, becomes -inf.
 *
 *  stage            rule                                                          off
 *  dist             selects: e as in softmax; the first candidate in the order    never
 *                   of the list whose running double sum of e is >= u * S, u as
 *                   in step 7; for options, and after s2 or s2_first, see below
 *  greedy           selects the first candidate in rank order                     never
 *  temperature      l / t; t <= 0, or an m / t that is not finite, sorts and      t = 1
 *                   keeps the first; t = +inf makes all l > -inf equal
 *  scale            l * factor; an m * factor that is not finite sorts and keeps  factor = 1
 *                   the first
 *  smoothing        with d = l - m finite, k = (3 - curve) / 2 * factor, s =      factor <= 0
 *                   (curve - 1) / 2 * factor: s * d * d * d - k * d * d + m
 *  top_k            sorts; keeps the first k                                      k <= 0
 *  top_k_ties       keeps l > -inf that are at least the k-th largest l; if       k <= 0
 *                   there is none, the first in rank order
 *  top_p            sorts; softmax; keeps ranks up to and including the first     p >= 1
 *                   with E[i] >= p * S in double; min_keep
 *  top_p_exclusive  sorts; softmax; drops all ranks i > 0 from the first on       p > 1
 *                   where the running double sum of p[i] is > p
 *  min_p            keeps l >= m + logf(min_p); if these are < min_keep, sorts    p <= 0
 *                   and keeps the first min_keep
 *  penalties        a token c > 0 times in H: l * repeat if l <= 0, else          last_n 0; repeat
 *                   l / repeat; then l - (c * frequency + presence)               1 with the
 *                                                                                 others 0
 *  penalty_each     a token in H, once for each of its places: l * repeat if      last_n 0;
 *                   l <= 0, else l / repeat, rounded each time                    repeat 1
 *  penalty_run      the last accepted token, the last c >= 1 times in a row: l /  repeat 1
 *                   pow(repeat, c) in double, rounded; whatever the sign of l
 *  penalty_decay    a token in H, H the last sustain + decay accepted tokens,     repeat 1;
 *                   whose last place has j tokens after it: as the repeat of      sustain and
 *                   penalties, with repeat + (1 - repeat) * (max(0, j - sustain)  decay 0
 *                   / decay); with repeat if sustain is -1, and H all tokens
 *  no_repeat_ngram  -inf for each token that came in H after the last n - 1       n 0; last_n 0
 *                   tokens of H; if n is 1, for each token in H
 *  logit_bias       l + bias, for each bias in the order given; ids that are      no biases
 *                   not among the candidates are ignored
 *  sequence_bias    for each sequence, in the order given: l + bias of its last   no sequences
 *                   token if the accepted tokens end with the others before it,
 *                   and always if there are none
 *  min_tokens       -inf for the ids while fewer than count tokens are accepted   count 0; no ids
 *  bitmask          -inf for an id whose bit is not 1, or beyond the words        no words
 *  s2               steps 1 to 6 of "One draw" over the candidates; see below     never
 *  s2_first         steps 1 to 3 of "The first generations"; see below            never
 *  softmax          softmax, for later stages: see below                          never
 *  epsilon_cutoff   sorts; softmax; keeps p[i] >= epsilon; min_keep               epsilon <= 0
 *  eta_cutoff       sorts; softmax; keeps p[i] >= min(eta, sqrt(eta) *            eta <= 0
 *                   exp(-entropy)) in double; min_keep
 *  top_a            sorts; softmax; keeps p[i] >= a * p[0]^2 in double; min_keep  a <= 0
 *  typical          sorts; softmax; s = |-ln p - entropy| in double, p ln p = 0   p >= 1
 *                   and s = +inf for p = 0; keeps by rising s, ties by rank, up
 *                   to and including the first where the running double sum of
 *                   their e is > p * S; min_keep; leaves this order
 *  top_n_sigma      keeps l >= m - n * sigma, sigma the population standard       n <= 0
 *                   deviation of the finite l, in double; drops nothing if no l
 *                   is finite or n * sigma is NaN
 *  xtc              with >= 2 candidates (-inf counts) takes a word g. If g/2^32, probability <= 0;
 *                   rounded to binary32 but below 1, is <= probability: sorts;    threshold > 0.5
 *                   softmax; of the ranks with p[i] >= threshold drops all but
 *                   the last, unless fewer than min_keep would be left
 *  xtc_protected    takes a word and compares it as xtc does. If it acts: sorts;  as xtc
 *                   softmax; of the ranks with p[i] > threshold drops those whose
 *                   p is above the least p of these and whose id is not
 *                   protected, unless fewer than min_keep would be left
 *  dry              see below                                                     multiplier 0;
 *                                                                                 base < 1;
 *                                                                                 last_n 0
 *  temperature_ext  delta <= 0: temperature(t). Else with >= 2 candidates:        delta <= 0 with
 *                   sorts; softmax; v = entropy / ln(count) in double;            t = 1
 *                   low = max(0, t - delta), high = t + delta;
 *                   temperature(low + (high - low) * powf(v, exponent)), where 0
 *                   times +inf is 0, and temperature(+inf) if t = +inf
 *  mirostat_v2      mu is 2 tau at first. Sorts; softmax; drops all ranks i > 0   never
 *                   from the first with -log2f(p[i]) > mu on; softmax; selects
 *                   as in step 7 with the p as weights; then
 *                   mu = mu - eta * (-log2f(p of the selected) - tau), in every
 *                   pass, not when a token is accepted
 *  mirostat         mu is 2 tau at first. Sorts; float softmax; over the first m  never
 *                   ranks, with t[i] = logf((i + 2) / (i + 1)) and b[i] =
 *                   logf(p[i] / p[i + 1]): s = sum of t b / sum of t t; keeps
 *                   ((s - 1) * powf(2, mu) / (1 - powf(N, 1 - s))) to the power
 *                   of 1 / s, rounded down, but at least 1; 1 also if that is NaN
 *                   or above 2147483647. N is the number of candidates at first;
 *                   float softmax; selects as in step 7 with the p as weights; mu
 *                   as in mirostat_v2
 *  adaptive_p       float softmax; if target < 0, selects as in step 7 with the   never
 *                   p as weights. Else a = 2 target - A / B, at least 0, at most
 *                   1; d = |p - a| * (1 / 0.3); l = 5 - 10 d d / (1 + d) if l >
 *                   -inf; float softmax; selects likewise; when that token is
 *                   accepted next, A = its first p + decay * A, B = 1 + decay *
 *                   B. At first A = target / (1 - decay), B = 1 / (1 - decay)
 *  custom           what your functions do: see S2CustomStage                     never
 *
 * softmax: the e and S of stage softmax stay in force for later top_p stages, and its p for
 * top_p_exclusive and a dist with a `mass`. They end with a stage that is not off and edits logits
 * (even if none changes), scales them, computes new p, or is custom. E[i] then adds these e of the
 * candidates still there. min_tokens edits while fewer than count tokens are accepted. A
 * temperature <= 0 divides nothing.
 *
 * s2 drops candidates at -inf, but they still count for the random words. It sorts the others and
 * sets l to (l - m) / temperature and p to q of step 2. A temperature <= 0, or a +inf logit, leaves
 * one candidate with l 0. A temperature of NaN sets l to 0 where l = m, else to -inf. A dist
 * anywhere after s2 draws by step 7 over the present logits, whatever stands between, and writes
 * its weights as p. If no stage between dropped a candidate, it uses the number of words that
 * "Random words" states.
 *
 * s2_first does the same by its own rule: l becomes the exponent of w, p becomes w / W, and a dist
 * after it divides the exps of the present l by W before it divides them by their own sum.
 *
 * dist with options (s2_chain_add_dist_ex): e, S and l are those of the table's dist, added up and
 * given their u in the order chosen. Candidates at -inf count where they are in the list: with
 * S2_DIST_DISCRETE a list of one finite logit and one -inf takes two words, and in a race each of
 * the two takes its u. A candidate with e = 0 is never selected. In a race the first of equal
 * scores in the order wins, and candidates at +inf have l = 0. p becomes e / S.
 *
 * With a `mass` < 1 the p of an earlier stage softmax take the place of e if they are still in
 * force, otherwise those of softmax here. They are not divided again: the first candidate whose
 * running sum is >= u * min(mass, S) is selected, S being the sum of these p.
 *
 * After s2 or s2_first, S2_DIST_INVERSION and S2_DIST_DISCRETE draw as a dist without options if
 * order, sums and mass have their defaults. Other options draw by their own rule from the list that
 * is left.
 *
 * dry, for a history H:
 *
 *  1. Find the breaker whose newest occurrence in H begins last; if several begin there, take the
 *     longest. limit is the number of tokens after that occurrence; without one, the length of H.
 *  2. Stop if limit < allowed_length, or H is not longer than allowed_length.
 *  3. For each place j in H but the last, let r be the number of tokens that end at j and equal the
 *     tokens at the end of H, at most limit.
 *  4. If r >= allowed_length, the token after j would continue a repetition of length r. For each
 *     such token the largest r counts.
 *  5. Its l becomes l - multiplier * base^(r - allowed_length): the power and the product in
 *     double, the product rounded to binary32, then subtracted. If base > 1.000001 the exponent is
 *     at most floor(88.7228391 / ln base).
 *  6. A token that is itself a breaker of one token is not penalised.
 *
 *     Example: multiplier 0.8, base 1.75, allowed_length 2, no breakers, H = 5 6 7 9 5 6 7. The end
 *     "5 6 7" equals tokens 0 to 2, so r = 3 there, and token 9 follows: its l falls by
 *     0.8 * 1.75^(3 - 2) = 1.4. With the breaker 6, limit is 1 < allowed_length: nothing happens.
 *
 * Random words: dist takes two at every draw, however few the candidates are (after s2 and
 * s2_first, and with options: see there); mirostat, mirostat_v2 and adaptive_p take two if at least
 * two candidates are left, else none; xtc and xtc_protected take one if they are not off and have
 * at least two candidates. Other stages take none. Each of these has its own generator, seeded by
 * its parameter; a chain itself has no seed. Stages with the same seed draw the same words, so give
 * each a different one.
 *
 * Validation: parameters that make a formula undefined are S2_ERROR_BAD_ARGUMENT when the stage is
 * added. Not checked: whether a probability is between 0 and 1, an id is in the row, the order
 * makes sense. A stage may be added twice. A stage after one that selects never runs; it only
 * accepts tokens.
 *
 * Sources, and differences from llama.cpp (as in llama-cpp-sys-2 0.1.161) and from Hugging Face's
 * generate:
 *
 *  top_p            Holtzman et al. 2020, arXiv:1904.09751. Hugging Face: the same, but for equal
 *                   logits. llama.cpp: also, but its sums are binary32 and lose the tail of a long
 *                   row. (Step 4 and stage s2 drop the token that reaches top_p.)
 *  top_k            llama.cpp: the order of equal logits is unspecified. Hugging Face: candidates
 *                   equal to the k-th stay, too.
 *  top_k_ties       Hugging Face's top_k, and that of audio.cpp and qwentts.cpp.
 *  top_p_exclusive  exllamav3's top_p, and that of audio.cpp's fish_audio.
 *  min_p            Nguyen et al. 2024, arXiv:2407.01082. llama.cpp: the same. Hugging Face:
 *                   compares probabilities, not logits.
 *  epsilon_cutoff   Hewitt et al. 2022, arXiv:2210.15191. Hugging Face: the same.
 *  eta_cutoff       Hewitt et al. 2022, arXiv:2210.15191. Hugging Face: the same.
 *  top_a            BlinkDL 2022, RWKV-LM.
 *  typical          Meister et al. 2023, arXiv:2202.00666. llama.cpp: its sums are binary32.
 *                   Hugging Face: through the first where the sum is >= p; keeps all of equal s.
 *  top_n_sigma      Tang et al. 2024, arXiv:2411.07641. llama.cpp: sets to -inf and keeps in the
 *                   list.
 *  xtc              p-e-w 2024, text-generation-webui, pull request 6335. llama.cpp: the same, but
 *                   a seed of 0xFFFFFFFF is not "random" here; the same for dist.
 *  dry              p-e-w 2024, text-generation-webui, pull request 5677. llama.cpp: breakers are
 *                   texts, and last_n -1 is the context.
 *  mirostat_v2      Basu et al. 2021, arXiv:2007.14966. llama.cpp: the same.
 *  mirostat         Basu et al. 2021, arXiv:2007.14966. llama.cpp: the same, but candidates at -inf
 *                   stay and leave one candidate; N is the vocabulary's size.
 *  adaptive_p       llama.cpp: the same.
 *  no_repeat_ngram  Hugging Face: the same, over the whole text.
 *  sequence_bias    Hugging Face: a sequence longer than the text does nothing.
 *  min_tokens       Hugging Face's min_new_tokens, vLLM's min_tokens.
 *  bitmask          xgrammar, llguidance, Outlines.
 *  smoothing        kalomaze 2024, text-generation-webui, pull requests 5403 and 5551; koboldcpp.
 *  xtc_protected    mlx-lm: the same.
 *  penalty_decay    exllamav2, which adds the steps of the decay up, so that they round.
 *  penalty_each     zonos2.cpp: the same. (0 is divided or multiplied: both give 0.)
 *  penalty_run      TTS.cpp: the same.
 *  scale            koboldcpp, qwentts.cpp: the temperature as a factor.
 *  penalties        Keskar et al. 2019, arXiv:1909.05858 (repeat). llama.cpp: the same; last_n -1
 *                   is the context. Hugging Face: the whole text, each token once.
 *  temperature      llama.cpp: t <= 0 sets all but the best to -inf and keeps them in the list.
 *                   Hugging Face: t <= 0 is an error.
 *  everywhere       stages that sort drop candidates at -inf, and a chain that does not select is
 *                   an error instead of the end of the process.
 */

/**
 * Stages in the order in which you add them, each applied to what the one before left.
 *
 * Its tokens depend on the stages, their seeds, the rows and the accepted tokens, in order.
 */
typedef struct S2Chain S2Chain;

/** Makes a chain without stages. */
S2_MUST_USE S2Chain *s2_chain_new(void);

/**
 * Makes a second chain in the same state, histories and generators included: both continue
 * identically.
 */
S2_MUST_USE S2Chain *s2_chain_clone(const S2Chain *chain);

/** Frees a chain. */
void s2_chain_free(S2Chain *chain);

/**
 * Puts every stage in the state in which it was added: histories empty, generators as seeded,
 * Mirostat's mu and adaptive_p's A and B as at first. A bitmask stays. Returns 0 or a status.
 */
int32_t s2_chain_reset(S2Chain *chain);

/**
 * Restarts the generator of the stage at `index` from another `seed`, to which s2_chain_reset()
 * then returns. Nothing else of the chain changes. So a chain can serve one request after the
 * other: reset it, then seed its stages.
 *
 * Returns 0, or S2_ERROR_BAD_ARGUMENT if there is no such stage or it has no generator.
 */
S2_MUST_USE int32_t s2_chain_set_seed(S2Chain *chain, int32_t index, uint32_t seed);

/**
 * Writes the seed of the stage at `index` to `seed`.
 *
 * Returns 0, or a status, and then nothing is written: S2_ERROR_BAD_ARGUMENT as for
 * s2_chain_set_seed().
 */
S2_MUST_USE
int32_t s2_chain_get_seed(const S2Chain *chain,
                          int32_t index,
                          uint32_t *seed);

/**
 * Returns the number of bytes that s2_chain_save() writes for the chain as it is: it grows with the
 * histories. 0 if a stage is of the caller's own.
 */
S2_MUST_USE size_t s2_chain_state_size(const S2Chain *chain);

/**
 * Writes the chain as bytes, to continue from it later, elsewhere, or twice: its stages with their
 * parameters, histories and generators.
 *
 * The bytes carry a version and a checksum and are the same on every machine; the rest of the
 * format is unspecified.
 *
 * `state`, `size`: a buffer for s2_chain_state_size() bytes and its size. Returns 0, or
 * S2_ERROR_BAD_ARGUMENT if `size` is too small or a stage is the caller's own, and then nothing is
 * written.
 */
S2_MUST_USE
int32_t s2_chain_save(const S2Chain *chain,
                      void *state,
                      size_t size);

/**
 * Makes a chain in a saved state, which continues identically.
 *
 * `state`, `size`: what s2_chain_save() wrote, at any alignment, and exactly the number of bytes
 * that s2_chain_state_size() returned there. NULL also with S2_ERROR_BAD_ARGUMENT if the bytes are
 * not a saved chain, were changed, or have a version or a stage that this library does not know.
 */
S2_MUST_USE
S2Chain *s2_chain_new_restored(const void *state,
                                      size_t size);

/**
 * Draws one token: applies the stages to a row, and accepts the selected token.
 *
 * `logits`, `n`: the row, as for s2_sample_token().
 *
 * Returns the id, 0 <= id < `n`, or a status: S2_ERROR_EMPTY_ROW if `n` <= 0,
 * S2_ERROR_NO_SELECTION if no stage selects, S2_ERROR_NO_CANDIDATE if no logit is above -inf.
 * Nothing changes then, except that after S2_ERROR_OUT_OF_MEMORY the stages may have used random
 * words.
 */
S2_MUST_USE
int32_t s2_chain_sample(S2Chain *chain,
                        const float *logits,
                        int32_t n);

/**
 * Draws one token from each of several rows, each with its own chain, from the first row to the
 * last.
 *
 * `chains`: a handle for each row. A handle may be given for several rows: each draw sees the
 * tokens accepted before.
 *
 * `logits`, `rows`, `row_stride`, `n`: as `logits`, `rows`, `row_stride`, `vocab_size` of
 * s2_sampler_sample_rows(). `tokens`: for each row its token, or its status as of
 * s2_chain_sample().
 *
 * Returns the number of rows that have a token, or a status, as s2_sampler_sample_rows().
 */
S2_MUST_USE
int32_t s2_chain_sample_rows(S2Chain *const *chains,
                             const float *logits,
                             int32_t rows,
                             ptrdiff_t row_stride,
                             int32_t n,
                             int32_t *tokens);

/**
 * Accepts a token: the stages with a history record it. Use it for tokens of the prompt, and for
 * tokens drawn elsewhere or by s2_chain_apply().
 *
 * `token`: its id; any number. Returns 0, or S2_ERROR_OUT_OF_MEMORY, and then no stage recorded
 * it.
 */
S2_MUST_USE
int32_t s2_chain_accept(S2Chain *chain,
                        int32_t token);

/**
 * A candidate: a token with its logit and its probability.
 *
 * 12 bytes without padding, the layout of llama.cpp's `llama_token_data`.
 */
typedef struct S2TokenData {
    /** The token's id. In a row: its index. In a caller's array: any number. */
    int32_t id;
    /** Its logit, as the last stage left it. NaN counts as -inf. */
    float logit;
    /** Its probability at the last stage that computed some; unchanged if no stage did. */
    float p;
} S2TokenData;

/**
 * Candidates in the caller's memory, for s2_chain_apply(). The layout is that of llama.cpp's
 * `llama_token_data_array`: a pointer to one can be passed as a pointer to the other.
 */
typedef struct S2TokenDataArray {
    /** The candidates. Ids may be any numbers, repeated ones too. */
    S2TokenData *data;
    /** How many there are, 1 to 2147483647. Written: how many are left. */
    size_t size;
    /** Written: the index of the selected candidate, -1 if no stage of the chain selects. */
    int64_t selected;
    /**
     * Whether they are in rank order: falling logit, equal logits by rising id. Read and written.
     * s2_chain_sample_ex() verifies a true. s2_chain_apply() does not: if it is wrong, it is
     * unspecified which candidates are left.
     */
    bool sorted;
} S2TokenDataArray;

/**
 * Applies the stages to an array of candidates. Nothing is accepted: s2_chain_accept() does that.
 * No stage needs to select.
 *
 * The candidates left are moved to the front of the array, with their logits as the stages made
 * them. Stages that compute probabilities write them; the others leave p unchanged. The rest of
 * the array is unspecified.
 *
 * `array`: at any alignment; `size`, `selected` and `sorted` are written.
 *
 * Returns 0 or a status: S2_ERROR_EMPTY_ROW if `size` is 0, S2_ERROR_BAD_ARGUMENT if it is above
 * 2147483647, S2_ERROR_NO_CANDIDATE if a stage selects and no logit is above -inf. After that,
 * S2_ERROR_OUT_OF_MEMORY and an error of a custom stage `selected` is -1, and the candidates may be
 * changed: fill the array again.
 */
S2_MUST_USE
int32_t s2_chain_apply(S2Chain *chain,
                       S2TokenDataArray *array);

/** Returns the number of stages, those that are off included, or a status. */
S2_MUST_USE int32_t s2_chain_count(const S2Chain *chain);

/**
 * Returns the name of the stage at `index`: what follows s2_chain_add_ in the function that adds
 * it, such as "top_k". Static text; NULL if there is no such stage or a status would be returned.
 */
S2_MUST_USE
const char *s2_chain_stage_name(const S2Chain *chain,
                                int32_t index);

/**
 * Removes a stage; the indices after `index` become one less.
 *
 * Returns 0, or S2_ERROR_BAD_ARGUMENT if there is no such stage.
 */
S2_MUST_USE int32_t s2_chain_remove(S2Chain *chain, int32_t index);

/**
 * Moves the stage at `from` so that its index is `to`; the indices between change by one. So a
 * stage, which is always added at the end, comes to any place.
 *
 * Returns 0, or S2_ERROR_BAD_ARGUMENT if there is no such stage or place.
 */
S2_MUST_USE int32_t s2_chain_move(S2Chain *chain, int32_t from, int32_t to);

/**
 * Removes the stage at `index` and moves the one at `from` to its place; the indices after `from`
 * become one less. So a new stage, added at the end, replaces an old one.
 *
 * Returns 0, or S2_ERROR_BAD_ARGUMENT if there is no such stage or both are the same.
 */
S2_MUST_USE
int32_t s2_chain_replace(S2Chain *chain,
                         int32_t from,
                         int32_t index);

/**
 * Writes the parameters of the stage at `index` as text, such as "p 0.9, min_keep 1", and for some
 * stages what they remember. It is for people: programs get no promise about its form.
 *
 * `text`, `size`: where to, and its length with the ending 0 byte; a longer text is cut. NULL is
 * fine if `size` is 0.
 *
 * Returns the length of the whole text without the 0 byte, as snprintf() does, or a status:
 * S2_ERROR_BAD_ARGUMENT if there is no such stage.
 */
S2_MUST_USE
int32_t s2_chain_describe(const S2Chain *chain,
                          int32_t index,
                          char *text,
                          size_t size);

/* ---- Requests for chains. ----------------------------------------------------------------------
 *
 * s2_chain_sample_ex() draws from a row or from an array with the options that a server needs. Each
 * is off by default.
 *
 *  a. Masks, as in step b of chapter 3. The row itself is not changed.
 *  b. Stages, as for s2_chain_sample(). If there are uniforms, the stages take these, and their
 *     generators do not move. Each number that a stage would draw is one uniform: the u of step 7,
 *     or for xtc and xtc_protected g/2^32, rounded to binary32. A uniform of 1 counts as the double
 *     just below.
 *  c. keep_id. If a stage that does not select drops this id, and its logit was > -inf, it returns
 *     at once, with the logit it had. Its place is in rank order after a stage that sorts, at the
 *     end after typical and custom, otherwise between those that stood before it and after it.
 *     After s2 it is the last candidate, with (l - m) / temperature; so the preset S2_PRESET_S2
 *     draws the token of S2SampleRequest.keep_id. In s2_first it replaces the stage's own keep_id,
 *     at -inf too. It does not return after a temperature or scale that keeps only the first, nor
 *     after an s2 that leaves one candidate for a temperature <= 0 or a +inf logit.
 *  d. The selected token is accepted, unless S2_REQUEST_NO_ACCEPT is set. mirostat and mirostat_v2
 *     move mu all the same.
 *
 *     S2ChainRequest request = {0};
 *     S2ChainResult result = {0};
 *     S2TokenLogProb best[5];
 *     request.struct_size = sizeof request;
 *     request.logits = logits;
 *     request.vocab_size = n;
 *     request.bitmask = grammar;                    (from the grammar's engine)
 *     request.n_bitmask = (n + 31) / 32;
 *     request.best_before = best;
 *     request.n_best_before = 5;
 *     result.struct_size = sizeof result;
 *     int32_t token = s2_chain_sample_ex(chain, &request, &result);
 */

/** A token with the natural logarithm of its probability. */
typedef struct S2TokenLogProb {
    /** The token's id. */
    int32_t id;
    /** The natural logarithm of its probability. */
    float logprob;
} S2TokenLogProb;

/**
 * A draw of a chain with options. If all bytes but those of struct_size, logits and vocab_size are
 * zero, it is the draw of s2_chain_sample().
 *
 * An id that no candidate has is ignored in every field. The arrays are only read, except
 * best_before and best_after, and only during the call.
 */
typedef struct S2ChainRequest {
    /** sizeof(S2ChainRequest): see "Structs that may grow". */
    uint32_t struct_size;
    /**
     * S2_REQUEST_* flags, joined by |. 0: none. Unknown bits and flags of samplers only are
     * S2_ERROR_BAD_ARGUMENT.
     */
    uint32_t flags;
    /** The row, as for s2_sample_token(). Not read if there is an array. */
    const float *logits;
    /**
     * The candidates in place of a row, as for s2_chain_apply(); only read, and never changed.
     * NULL: the row. With an array, `vocab_size` must be 0.
     */
    const S2TokenDataArray *array;
    /**
     * Random numbers for the stages that draw, 0 <= u <= 1, in the order in which they need them.
     * Those left over are not used.
     */
    const double *uniforms;
    /** The allowed ids, as for s2_sampler_sample_ranges(). n_ranges 0: all are allowed. */
    const S2TokenRange *ranges;
    /** The allowed ids, in any order. n_allowed 0: all are allowed. */
    const int32_t *allowed_ids;
    /** The allowed ids, as `bitmask` of S2SampleRequest. n_bitmask 0: all are allowed. */
    const int32_t *bitmask;
    /** Ids that count as -inf, in any order. */
    const int32_t *banned;
    /**
     * Where to write the best tokens of the row by rank, with raw probabilities: at most
     * n_best_before, none at -inf.
     */
    S2TokenLogProb *best_before;
    /**
     * Where to write the best candidates that the selecting stage saw, with final probabilities: at
     * most n_best_after, none at -inf.
     */
    S2TokenLogProb *best_after;
    /** The number of logits. <= 0 is S2_ERROR_EMPTY_ROW, unless there is an array. */
    int32_t vocab_size;
    /**
     * The number of uniforms. 0: the stages use their generators. >= 0, like all counts after it.
     */
    int32_t n_uniforms;
    /** The number of ranges. */
    int32_t n_ranges;
    /** The number of allowed ids. */
    int32_t n_allowed;
    /** The number of words of the bitmask. */
    int32_t n_bitmask;
    /** The number of banned ids. */
    int32_t n_banned;
    /** The room at `best_before`. */
    int32_t n_best_before;
    /** The room at `best_after`. */
    int32_t n_best_after;
    /** With S2_REQUEST_KEEP_ID: the id that stays a candidate whatever the stages drop. */
    int32_t keep_id;
    /** With S2_REQUEST_WATCH_ID: the id whose probabilities the result states. */
    int32_t watched_id;
    /** With S2_REQUEST_GROUP: the first id of the group. */
    int32_t group_first;
    /** The last id of the group. */
    int32_t group_last;
} S2ChainRequest;

/**
 * The result of a draw of a chain with options. Set struct_size before the draw, by hand or by
 * s2_chain_result_init(); the draw writes all other fields.
 *
 * "Raw" is the probability in the softmax of the row, or array, as it was passed. "Penalised" is
 * that after the masks and the first stages of the chain, up to the first that is not off and none
 * of logit_bias, sequence_bias, min_tokens, bitmask, no_repeat_ngram, dry and the penalties.
 * "Final" is the probability with which the selecting stage selects the token; for greedy and
 * custom, that in the softmax of the candidates. All to about five digits; tokens at +inf share
 * theirs equally. Logarithms are natural; that of 0 is -inf.
 */
typedef struct S2ChainResult {
    /** sizeof(S2ChainResult): see "Structs that may grow". */
    uint32_t struct_size;
    /** The token, as returned, or in an array as it is: any number. */
    int32_t token;
    /**
     * The number of candidates that the selecting stage saw, including those with logit -inf; for
     * mirostat, mirostat_v2 and custom, that it left.
     */
    int32_t candidates;
    /** The words taken from the generators of the stages. */
    uint32_t words;
    /** The number of the request's uniforms that were used. */
    int32_t uniforms;
    /** The number of NaN in the row or array, allowed or not. */
    int32_t nans;
    /** The number of +inf in the row or array, allowed or not. */
    int32_t infinities;
    /** The number of tokens written to `best_before`. */
    int32_t n_best_before;
    /** The number of tokens written to `best_after`. */
    int32_t n_best_after;
    /**
     * The most probable id of the group, of equal logits the lower id. -1 if none is a candidate
     * with a logit > -inf.
     */
    int32_t group_best_id;
    /** The token's raw probability. */
    double raw_probability;
    /** Its logarithm. */
    double raw_log_probability;
    /** The token's penalised probability. */
    double penalised_probability;
    /** Its logarithm. */
    double penalised_log_probability;
    /** The token's final probability. */
    double final_probability;
    /** Its logarithm. */
    double final_log_probability;
    /** The watched id's raw probability; this and the next five are 0, or -inf, without one. */
    double watched_raw_probability;
    /** Its logarithm. */
    double watched_raw_log_probability;
    /** The watched id's penalised probability. */
    double watched_penalised_probability;
    /** Its logarithm. */
    double watched_penalised_log_probability;
    /** The watched id's final probability; 0 also if it is no candidate. */
    double watched_final_probability;
    /** Its logarithm. */
    double watched_final_log_probability;
    /** The sum of the final probabilities of the group; 0 without one. */
    double group_probability;
    /** The final probability of `group_best_id`. */
    double group_best_probability;
} S2ChainResult;

/** Sets `request` to all zero but struct_size. */
void s2_chain_request_init(S2ChainRequest *request);

/** Sets `result` to all zero but struct_size. Once is enough for many draws. */
void s2_chain_result_init(S2ChainResult *result);

/**
 * Draws one token with a chain as a request says.
 *
 * `request`: the row or the array, and the options. `result`: where to write the result, with
 * struct_size set. NULL is as S2_REQUEST_NO_STATS.
 *
 * Returns the id of the token, or a status, and then nothing is written and nothing has changed,
 * as for s2_chain_sample(). S2_ERROR_BAD_ARGUMENT if a field is outside the range it states or
 * there are fewer uniforms than the stages need; S2_ERROR_EMPTY_ROW also if the masks allow no id,
 * bans aside; S2_ERROR_NO_CANDIDATE if nothing is above -inf when a stage selects. An id < 0 in an
 * array is returned as 0; `token` has it.
 */
S2_MUST_USE
int32_t s2_chain_sample_ex(S2Chain *chain,
                           const S2ChainRequest *request,
                           S2ChainResult *result);

/* ---- Stages. ----------------------------------------------------------------------------------
 *
 * Each s2_chain_add_*() appends a stage and returns its index, which is the number of stages before
 * it. The rules are in the table above. A status (< 0) leaves the chain as it was; a parameter
 * outside the range stated here is S2_ERROR_BAD_ARGUMENT, and NaN is in no range.
 */

/**
 * Adds stage dist: selects a token by its probability.
 *
 * `seed`: of the stage's generator, which begins in the state of `std::mt19937(seed)`.
 */
S2_MUST_USE int32_t s2_chain_add_dist(S2Chain *chain, uint32_t seed);

/**
 * Method of dist: the first candidate whose running sum of e is >= u * S, two words at every draw.
 * llama.cpp's rule, and the default.
 */
#define S2_DIST_INVERSION 0

/**
 * Method of dist: std::discrete_distribution of libstdc++ over the e, as in step 7. One candidate
 * takes no word.
 */
#define S2_DIST_DISCRETE 1

/**
 * Method of dist: each candidate has its own u, two words for each; the largest e / -ln(u) wins.
 */
#define S2_DIST_EXPONENTIAL_RACE 2

/**
 * Method of dist: each candidate has its own u, two words for each; the largest l - ln(-ln(u))
 * wins.
 */
#define S2_DIST_GUMBEL_RACE 3

/** Order of dist: as the candidates lie in the list. The default. */
#define S2_DIST_LIST_ORDER 0

/** Order of dist: by rising id. */
#define S2_DIST_ID_ORDER 1

/** Order of dist: by falling logit, equal logits by rising id. */
#define S2_DIST_RANK_ORDER 2

/** Sums of dist: S, u * S and the running sum are binary64. The default. */
#define S2_SUMS_DOUBLE 0

/** Sums of dist: they are binary32, and so is u. S2_DIST_INVERSION only. */
#define S2_SUMS_FLOAT 1

/** The options of stage dist. Fill them with s2_dist_options_init(), then change fields. */
typedef struct S2DistOptions {
    /** sizeof(S2DistOptions): see "Structs that may grow". */
    uint32_t struct_size;
    /** As `seed` for s2_chain_add_dist(). */
    uint32_t seed;
    /** S2_DIST_INVERSION or one of the other methods. */
    int32_t method;
    /**
     * S2_DIST_LIST_ORDER or one of the other orders: the order of sums, and in a race of the u.
     */
    int32_t order;
    /** S2_SUMS_DOUBLE or S2_SUMS_FLOAT. */
    int32_t sums;
    /**
     * S2_DIST_INVERSION only: draws from the first `mass` of the probabilities, see "dist with
     * options". >= 0. Off: >= 1, the default.
     */
    float mass;
} S2DistOptions;

/** Sets `options` to those of s2_chain_add_dist() with seed 0, and struct_size. */
void s2_dist_options_init(S2DistOptions *options);

/**
 * Adds stage dist with options; its name is "dist" too.
 *
 * `options`: copied. A number that is no method, order or sums, a `mass` < 0 or NaN, and a `mass`
 * < 1 or S2_SUMS_FLOAT with a method other than S2_DIST_INVERSION are errors.
 */
S2_MUST_USE
int32_t s2_chain_add_dist_ex(S2Chain *chain,
                             const S2DistOptions *options);

/** Adds stage greedy: selects the candidate with the highest logit. */
S2_MUST_USE int32_t s2_chain_add_greedy(S2Chain *chain);

/**
 * Adds stage temperature: divides the logits.
 *
 * `t`: the divisor. <= 0 keeps the best candidate alone. Off: 1.
 */
S2_MUST_USE int32_t s2_chain_add_temperature(S2Chain *chain, float t);

/**
 * Adds stage scale: multiplies the logits. For engines that compute l * (1 / T), which can differ
 * from l / T in the last bit.
 *
 * `factor`: > 0 and finite. Off: 1.
 */
S2_MUST_USE
int32_t s2_chain_add_scale(S2Chain *chain,
                           float factor);

/**
 * Adds stage top_k: keeps the best candidates.
 *
 * `k`: how many. Off: <= 0.
 */
S2_MUST_USE int32_t s2_chain_add_top_k(S2Chain *chain, int32_t k);

/**
 * Adds stage top_k_ties: keeps the best candidates, and all whose logits equal the last of these.
 *
 * `k`: how many without the equal ones. Off: <= 0.
 */
S2_MUST_USE
int32_t s2_chain_add_top_k_ties(S2Chain *chain,
                                int32_t k);

/**
 * Adds stage top_p: keeps a nucleus, the token that reaches `p` included.
 *
 * `p`: the least total probability of the candidates left. <= 0 keeps `min_keep`. Off: >= 1.
 * `min_keep`: see "min_keep" above the table.
 */
S2_MUST_USE int32_t s2_chain_add_top_p(S2Chain *chain, float p, size_t min_keep);

/**
 * Adds stage top_p_exclusive: keeps a nucleus without the token that passes `p`.
 *
 * `p`: the most total probability of the candidates left; the best stays in any case. 1 is not
 * off, since rounding can carry the sum past it. Off: > 1.
 */
S2_MUST_USE int32_t s2_chain_add_top_p_exclusive(S2Chain *chain, float p);

/**
 * Adds stage min_p: keeps candidates that are probable in comparison with the best.
 *
 * `p`: the least share of the best candidate's probability. Off: <= 0. `min_keep`: as for top_p.
 */
S2_MUST_USE
int32_t s2_chain_add_min_p(S2Chain *chain,
                           float p,
                           size_t min_keep);

/**
 * Adds stage penalties: penalises tokens that were accepted lately.
 *
 * `last_n`: how many of the latest accepted tokens count, up to 1048576. -1: all. Off: 0.
 * `repeat`: > 0 and finite. `frequency`, `presence`: finite. Off: `repeat` 1 with the other two 0.
 */
S2_MUST_USE
int32_t s2_chain_add_penalties(S2Chain *chain,
                               int32_t last_n,
                               float repeat,
                               float frequency,
                               float presence);

/**
 * Adds stage penalty_each: penalises a token once for each time that it was accepted lately.
 *
 * `last_n`: as for penalties. `repeat`: > 0 and finite. Off: 1.
 */
S2_MUST_USE
int32_t s2_chain_add_penalty_each(S2Chain *chain,
                                  int32_t last_n,
                                  float repeat);

/**
 * Adds stage penalty_run: penalises the last accepted token, by how often it came in a row.
 *
 * `repeat`: > 0 and finite. Off: 1.
 */
S2_MUST_USE int32_t s2_chain_add_penalty_run(S2Chain *chain, float repeat);

/**
 * Adds stage penalty_decay: penalises tokens that were accepted lately, older ones less.
 *
 * `sustain`: for how many of the latest tokens the penalty is full, >= 0. -1: for all. `decay`:
 * over how many further tokens it fades, >= 0; both together up to 1048576. `repeat`: > 0 and
 * finite. Off: `repeat` 1, or `sustain` and `decay` 0.
 */
S2_MUST_USE
int32_t s2_chain_add_penalty_decay(S2Chain *chain,
                                   int32_t sustain,
                                   int32_t decay,
                                   float repeat);

/**
 * Adds stage no_repeat_ngram: bans tokens that would repeat a sequence of accepted tokens.
 *
 * `n`: the length of the sequences, >= 0. 1 bans every token of the history. Off: 0. `last_n`: as
 * for penalties.
 */
S2_MUST_USE
int32_t s2_chain_add_no_repeat_ngram(S2Chain *chain,
                                     int32_t n,
                                     int32_t last_n);

/** A number that is added to the logit of a token. */
typedef struct S2LogitBias {
    /** The token's id, >= 0. */
    int32_t id;
    /**
     * What is added: any number but NaN. -inf bans the token; +inf does not revive a token at
     * -inf.
     */
    float bias;
} S2LogitBias;

/**
 * Adds stage logit_bias: adds to the logits of single tokens.
 *
 * `biases`, `n_biases`: copied. A token that occurs twice gets both. Off: `n_biases` 0. A negative
 * id and a NaN are errors.
 */
S2_MUST_USE
int32_t s2_chain_add_logit_bias(S2Chain *chain,
                                const S2LogitBias *biases,
                                int32_t n_biases);

/**
 * Adds stage sequence_bias: adds to the logit of a token that would complete a sequence.
 *
 * `tokens`, `lengths`, `n_biases`: the sequences, in the layout of the breakers of dry; a length
 * of 0 is an error. `biases`: the number for each, any but NaN; -inf bans. All are copied. Off:
 * `n_biases` 0. A negative id and a sequence of more than 1048577 tokens are errors.
 */
S2_MUST_USE
int32_t s2_chain_add_sequence_bias(S2Chain *chain,
                                   const int32_t *tokens,
                                   const int32_t *lengths,
                                   const float *biases,
                                   int32_t n_biases);

/**
 * Adds stage min_tokens: bans ids until a number of tokens was accepted.
 *
 * `count`: that number, >= 0. Off: 0. `ids`, `n_ids`: any ids, copied. Off: `n_ids` 0.
 */
S2_MUST_USE
int32_t s2_chain_add_min_tokens(S2Chain *chain,
                                int32_t count,
                                const int32_t *ids,
                                int32_t n_ids);

/**
 * Adds stage bitmask: bans all ids but those of a mask, as grammar engines give it.
 *
 * `words`, `n_words`: bit i % 32 of word i / 32 is 1 if id i is allowed, the layout of xgrammar,
 * llguidance and Outlines. Ids beyond the words are not allowed. Copied; s2_chain_set_bitmask()
 * gives others. Off: `n_words` 0.
 */
S2_MUST_USE
int32_t s2_chain_add_bitmask(S2Chain *chain,
                             const int32_t *words,
                             int32_t n_words);

/**
 * Gives a bitmask stage the mask of the next draw. A mask of the same length takes no memory.
 *
 * `index`: of the stage. `words`, `n_words`: as for s2_chain_add_bitmask().
 *
 * Returns 0, or a status: S2_ERROR_BAD_ARGUMENT if there is no bitmask stage at `index`. The mask
 * is then as before.
 */
S2_MUST_USE
int32_t s2_chain_set_bitmask(S2Chain *chain,
                             int32_t index,
                             const int32_t *words,
                             int32_t n_words);

/**
 * Adds stage s2: steps 1 to 6 of "One draw", the rule of s2_sample_token().
 *
 * `params`: copied. NULL: the defaults.
 */
S2_MUST_USE
int32_t s2_chain_add_s2(S2Chain *chain,
                        const S2SamplerParams *params);

/**
 * Adds stage s2_first: the rule of s2_sample_token_first().
 *
 * `params`: copied. NULL: 0.7, 0.7, 30. `keep_id`: the id that stays a candidate; < 0: none.
 */
S2_MUST_USE
int32_t s2_chain_add_s2_first(S2Chain *chain,
                              const S2SamplerParams *params,
                              int32_t keep_id);

/**
 * Adds stage softmax: computes the probabilities here, for a later top_p, top_p_exclusive or dist
 * with a mass.
 */
S2_MUST_USE int32_t s2_chain_add_softmax(S2Chain *chain);

/**
 * Adds stage typical: keeps candidates whose surprise is near the entropy.
 *
 * `p`: the total probability that the candidates left exceed. Off: >= 1. `min_keep`: as for top_p.
 */
S2_MUST_USE
int32_t s2_chain_add_typical(S2Chain *chain,
                             float p,
                             size_t min_keep);

/**
 * Adds stage epsilon_cutoff: drops improbable tokens.
 *
 * `epsilon`: the least probability of a token that stays. Off: <= 0. `min_keep`: as for top_p.
 */
S2_MUST_USE
int32_t s2_chain_add_epsilon_cutoff(S2Chain *chain,
                                    float epsilon,
                                    size_t min_keep);

/**
 * Adds stage eta_cutoff: drops improbable tokens, fewer if the entropy is high.
 *
 * `eta`: the limit, from which the least probability of a token that stays follows. Off: <= 0.
 * `min_keep`: as for top_p.
 */
S2_MUST_USE int32_t s2_chain_add_eta_cutoff(S2Chain *chain, float eta, size_t min_keep);

/**
 * Adds stage top_a: drops tokens that are improbable in comparison with the best.
 *
 * `a`: the least probability of a token that stays, as a share of the square of the largest. Off:
 * <= 0. `min_keep`: as for top_p.
 */
S2_MUST_USE
int32_t s2_chain_add_top_a(S2Chain *chain,
                           float a,
                           size_t min_keep);

/**
 * Adds stage smoothing: lowers logits by the square of their distance from the highest.
 *
 * `factor`: how much; finite. Off: <= 0. `curve`: 1 is the square alone, above it part of the third
 * power; finite. Outside 1 to 3 an improbable token can become the best.
 */
S2_MUST_USE
int32_t s2_chain_add_smoothing(S2Chain *chain,
                               float factor,
                               float curve);

/**
 * Adds stage top_n_sigma: keeps logits near the largest.
 *
 * `n`: how many standard deviations below the largest a logit may be. Off: <= 0.
 */
S2_MUST_USE int32_t s2_chain_add_top_n_sigma(S2Chain *chain, float n);

/**
 * Adds stage xtc: at random, drops all top choices but the least probable.
 *
 * `probability`: how often it acts, 0 to 1. Off: <= 0. `threshold`: the least probability of a top
 * choice. Off: > 0.5; <= 0 is an error. `min_keep`: if fewer candidates would be left, it drops
 * none. `seed`: of the stage's generator.
 */
S2_MUST_USE
int32_t s2_chain_add_xtc(S2Chain *chain,
                         float probability,
                         float threshold,
                         size_t min_keep,
                         uint32_t seed);

/**
 * Adds stage xtc_protected: as xtc, but never drops some ids, nor those that equal the least
 * probable top choice. A top choice is above the threshold here.
 *
 * `probability`, `threshold`, `min_keep`, `seed`: as for xtc. `ids`, `n_ids`: what is protected,
 * such as the end and the line break; any ids, copied.
 */
S2_MUST_USE
int32_t s2_chain_add_xtc_protected(S2Chain *chain,
                                   float probability,
                                   float threshold,
                                   size_t min_keep,
                                   uint32_t seed,
                                   const int32_t *ids,
                                   int32_t n_ids);

/**
 * Adds stage dry: penalises tokens that would continue a repetition. See "dry" below the table.
 *
 * `multiplier`: the penalty of a repetition of `allowed_length` tokens; finite. Off: 0. `base`:
 * the factor for each further token; finite. Off: < 1. `allowed_length`: the shortest repetition
 * that is penalised, >= 0. `last_n`: as for penalties.
 *
 * `tokens`, `lengths`, `n_breakers`: the breakers, sequences that no repetition crosses. Breaker i
 * has `lengths`[i] (>= 0) of the `tokens`, which follow one another; a length of 0 is ignored.
 * Copied. `tokens` may be NULL if all lengths are 0. The lengths add up to <= 2147483647.
 */
S2_MUST_USE
int32_t s2_chain_add_dry(S2Chain *chain,
                         float multiplier,
                         float base,
                         int32_t allowed_length,
                         int32_t last_n,
                         const int32_t *tokens,
                         const int32_t *lengths,
                         int32_t n_breakers);

/**
 * Adds stage temperature_ext: divides the logits by a temperature that follows the entropy
 * (llama.cpp's dynamic temperature).
 *
 * `t`: the middle of the temperatures. `delta`: how far they reach to both sides, but not below 0;
 * <= 0 is s2_chain_add_temperature() with `t`. `exponent`: how the temperature follows the
 * entropy; finite, 1 is linear.
 */
S2_MUST_USE
int32_t s2_chain_add_temperature_ext(S2Chain *chain,
                                     float t,
                                     float delta,
                                     float exponent);

/**
 * Adds stage mirostat_v2: selects a token and steers the surprise of the text.
 *
 * `seed`: of the stage's generator. `tau`: the surprise to aim at, in bits; finite. `eta`: how
 * fast mu follows; finite.
 */
S2_MUST_USE
int32_t s2_chain_add_mirostat_v2(S2Chain *chain,
                                 uint32_t seed,
                                 float tau,
                                 float eta);

/**
 * Adds stage mirostat: selects a token and steers the surprise of the text (Mirostat 1).
 *
 * `seed`, `tau`, `eta`: as for mirostat_v2. `m`: how many ranks the exponent of the distribution is
 * estimated from, >= 2; llama.cpp: 100.
 */
S2_MUST_USE
int32_t s2_chain_add_mirostat(S2Chain *chain,
                              uint32_t seed,
                              float tau,
                              float eta,
                              int32_t m);

/**
 * Adds stage adaptive_p: selects a token and prefers those with a probability near a target.
 *
 * `target`: the probability to aim at, <= 1. < 0: draws by the probabilities as they are. `decay`:
 * how much a token still counts one token later, >= 0; above 0.99 it is 0.99. `seed`: of the
 * stage's generator.
 */
S2_MUST_USE
int32_t s2_chain_add_adaptive_p(S2Chain *chain,
                                float target,
                                float decay,
                                uint32_t seed);

/* ---- A stage of your own. ------------------------------------------------------------------- */

/**
 * The functions of a stage of your own. Set struct_size, by hand or by s2_custom_stage_init(), and
 * name and apply; the others may be NULL.
 *
 * The library calls them while a call with the chain runs, in the thread of that call, with the
 * default floating-point environment: round to nearest, no traps, denormals kept. They must return:
 * no exception and no longjmp() may leave them. A call with the same chain from inside returns
 * S2_ERROR_BUSY; calls with other handles are fine. One function runs at a time, except clone:
 * calls with a const chain may overlap.
 */
typedef struct S2CustomStage {
    /** sizeof(S2CustomStage): see "Structs that may grow". */
    uint32_t struct_size;
    /**
     * Not 0 if the stage always selects a token. 0: it may, and then its token is the draw's, but a
     * chain needs another stage that selects.
     */
    int32_t selects;
    /** The name for reports, 1 to 63 printable ASCII characters. Copied. */
    const char *name;
    /**
     * Works on the candidates; there is at least one, and no logit is NaN. It may change logits and
     * p, put the candidates in any order, drop some (those left come first, `size` counts them),
     * and select one (`selected`, -1 at first), which ends the pass. `sorted` is a hint, which is
     * verified. `p` is what the last stage that wrote some left, or 0.
     *
     * Returns 0 or one of S2_ERROR_*, which becomes the status of the draw; any other number is
     * S2_ERROR_INTERNAL. What it leaves is checked: S2_ERROR_NO_CANDIDATE if `size` is 0 or the
     * selected candidate is at -inf; S2_ERROR_BAD_ARGUMENT if `data` changed, `size` grew,
     * `selected` is out of range, or an id is not in the row. NaN becomes -inf.
     */
    int32_t (*apply)(void *user, S2TokenDataArray *array);
    /** Records an accepted token. */
    void (*accept)(void *user, int32_t token);
    /** Forgets the accepted tokens. */
    void (*reset)(void *user);
    /**
     * Writes a copy of `user` to `copy`, for s2_chain_clone() and for reports, and returns 0 or a
     * status, which becomes that of the call. Several threads may run it at once. NULL: if free is
     * NULL too, the copy shares `user`, and a report applies the stage to it; otherwise the chain
     * cannot be copied, which is S2_ERROR_BAD_ARGUMENT.
     */
    int32_t (*clone)(void *user, void **copy);
    /** Frees `user` when the stage is removed or its chain freed. */
    void (*free)(void *user);
    /** Passed to the functions; may be NULL. */
    void *user;
} S2CustomStage;

/** Sets `stage` to all zero and NULL but struct_size. */
void s2_custom_stage_init(S2CustomStage *stage);

/**
 * Adds stage custom: a stage of your own, by its functions.
 *
 * `stage`: copied; `user` belongs to the chain from then on. After a status it is still yours. The
 * stage's name is "custom"; s2_chain_describe() and the parameters in reports show yours. A chain
 * with it cannot be saved.
 *
 * Returns the index or a status: S2_ERROR_NULL_POINTER if `stage`, name or apply is NULL,
 * S2_ERROR_BAD_ARGUMENT for a name that is not as stated or a wrong struct_size.
 */
S2_MUST_USE
int32_t s2_chain_add_custom(S2Chain *chain,
                            const S2CustomStage *stage);

/* ---- Presets. ------------------------------------------------------------------------------- */

/**
 * Preset: the S2 engines' draw, with the tokens of s2_sampler_sample(). s2, dist. Defaults:
 * temperature 0.8, top_p 0.8, top_k 30.
 */
#define S2_PRESET_S2 0

/**
 * Preset: temperature before the filters, and top_p over the probabilities of the whole row at
 * that temperature. penalties, temperature, softmax, top_k, top_p, min_p, dist. Defaults: repeat
 * 1.1 over the last 64, temperature 0.8, top_k 40, top_p 0.9, min_p 0.
 */
#define S2_PRESET_TEMPERATURE_FIRST 1

/**
 * Preset: llama.cpp's order. penalties, top_k, top_p, min_p, temperature, dist. Defaults:
 * penalties off (last 64), top_k 40, top_p 0.95, min_p 0.05, temperature 0.8.
 */
#define S2_PRESET_LLAMA 2

/**
 * Preset: the order of Hugging Face's generate. penalties, temperature, top_k, top_p, min_p, dist.
 * Defaults: penalties off (all tokens), temperature 1, top_k 50, top_p 1, min_p 0.
 */
#define S2_PRESET_HUGGINGFACE 3

/**
 * Preset: the draw of the S2 engines' first generations, with the tokens of
 * s2_sample_token_first() without a kept id. s2_first, dist. Defaults: temperature 0.7, top_p 0.7,
 * top_k 30.
 */
#define S2_PRESET_S2_FIRST 4

/**
 * The parameters of a preset. Fill them with s2_preset_params_init(), then change fields. A
 * parameter that the preset has no stage for is ignored.
 */
typedef struct S2PresetParams {
    /** sizeof(S2PresetParams): see "Structs that may grow". */
    uint32_t struct_size;
    /** As for s2_chain_add_temperature(); in the presets of the S2 engines as in SamplerParams. */
    float temperature;
    /** As for s2_chain_add_top_p(), with min_keep 1; there likewise. */
    float top_p;
    /** As for s2_chain_add_top_k(); there likewise. */
    int32_t top_k;
    /** As for s2_chain_add_min_p(), with min_keep 1. Off: 0. */
    float min_p;
    /** As `repeat` for s2_chain_add_penalties(). Off: 1. */
    float repeat_penalty;
    /** As `last_n` for s2_chain_add_penalties(). */
    int32_t penalty_last_n;
} S2PresetParams;

/**
 * Sets `params` to the defaults of a preset, and struct_size.
 *
 * `which`: one of S2_PRESET_*.
 *
 * Returns 0 or a status, and then nothing is written: S2_ERROR_NULL_POINTER, S2_ERROR_BAD_ARGUMENT
 * (`which`).
 */
S2_MUST_USE
int32_t s2_preset_params_init(S2PresetParams *params,
                              int32_t which);

/**
 * Makes a chain with the stages of a preset. It is a chain like any other: stages can be added and
 * removed.
 *
 * `which`: one of S2_PRESET_*. `seed`: of the stage dist. `params`: copied. NULL: the preset's
 * defaults. NULL also with S2_ERROR_BAD_ARGUMENT if `which` is no preset or a parameter is out of
 * range.
 */
S2_MUST_USE
S2Chain *s2_chain_new_preset(int32_t which,
                                    uint32_t seed,
                                    const S2PresetParams *params);

/* ================================================================================================
 * 6. REPORTS
 * ================================================================================================
 *
 * A report shows what each stage did to a row: s2_chain_report() for a chain, s2_draw_report() for
 * the three parameters of a plain draw.
 *
 *     S2Report *report = NULL;
 *     if (s2_chain_report(chain, logits, n, &report) < 0) fail();
 *     for (i = 0; i < report->n_stages; ++i)
 *         printf("%s: %d -> %d\n", report->stages[i]->name, (int)report->stages[i]->before,
 *                (int)report->stages[i]->after);
 *     for (i = 0; i < report->n_warnings; ++i) puts(report->warnings[i]);
 *     puts(report->json);                                    (all of it, for programs)
 *     s2_report_free(report);
 *
 * For example, let the first two ranks have probabilities of 16.8 % and 7.6 %. Then top_p 0.9
 * leaves many candidates, but min_p 0.9 leaves one: its threshold is 15.1 %, and a warning says
 * that it equals greedy. Masses, entropies and raw probabilities are computed in double, by the
 * softmax of chapter 5; counts and final probabilities are those of the stages. If no logit is
 * above -inf, no token has a share: probabilities and entropy are 0, and so is kept_mass from the
 * next stage on; raw_mass is that of the first in rank order.
 *
 * The threshold of a stage and its unit; other stages have none, nor has a stage that is off or
 * never runs:
 *
 *  top_k,            k                                "rank"
 *  top_k_ties
 *  s2,               top_k if it cuts first;          "rank";
 *  s2_first          otherwise top_p                  "running probability"
 *  top_p,            p                                "running probability"
 *  top_p_exclusive
 *  min_p             p times the largest probability  "probability"
 *  epsilon_cutoff    epsilon                          "probability"
 *  eta_cutoff,       the least p that stays           "probability"
 *  top_a
 *  adaptive_p        a, if target >= 0                "probability"
 *  xtc,              threshold                        "probability"
 *  xtc_protected
 *  typical           p                                "mass"
 *  top_n_sigma       m - n * sigma                    "logit"
 *  temperature,      the divisor                      "temperature"
 *  temperature_ext
 *  mirostat,         mu before the selection          "bits"
 *  mirostat_v2
 *
 * There are warnings about
 *
 *  - stages that leave one candidate, and filters that drop nothing;
 *  - a top_p of s2 below the first two probabilities together, or of 1, which is not "off" there;
 *  - a temperature above 1.2 with a top_p below 0.5; a temperature of NaN or +inf;
 *  - penalties, dry and no_repeat_ngram before anything was accepted; penalties, a logit_bias and a
 *    bitmask that change no logit; penalties that reward; stages that leave nothing above -inf;
 *  - a smoothing whose curve is outside 1 to 3; a softmax whose probabilities no later stage uses;
 *    filters and temperatures before greedy;
 *  - stages after one that selects, and a chain that does not select;
 *  - rows with NaN or +inf, or with nothing above -inf.
 */

/**
 * What one stage did, in an S2Report.
 *
 * Candidates are counted if they are above -inf; if none is, one counts. From stage s2 on,
 * candidates at -inf count too, as in S2SampleResult.
 */
typedef struct S2ReportStage {
    /** sizeof(S2ReportStage) in the library's header. */
    uint32_t struct_size;
    /** The number of candidates before the stage. */
    int32_t before;
    /** The number of candidates after it; 1 for greedy. */
    int32_t after;
    /** 1 if its parameters turn it off, otherwise 0. */
    int32_t off;
    /** The total probability of the candidates left, in the softmax of the row. */
    double raw_mass;
    /** Their total probability among the candidates before the stage. */
    double kept_mass;
    /** The entropy of the candidates left, in nats. */
    double entropy;
    /** Where it cut, in `unit`; NaN if it has no threshold. The table above lists both. */
    double threshold;
    /** As s2_chain_stage_name(). */
    const char *name;
    /** The parameters with their names, such as "p 0.9, min_keep 1". */
    const char *parameters;
    /** What the threshold counts; "" if there is none. */
    const char *unit;
} S2ReportStage;

/** What became of one token, in an S2Report. */
typedef struct S2ReportCandidate {
    /** sizeof(S2ReportCandidate) in the library's header. */
    uint32_t struct_size;
    /** The token's id. */
    int32_t id;
    /** Its logit in the row. */
    float logit;
    /** Its logit after the last stage that it reached. */
    float final_logit;
    /** Its probability in the row, at temperature 1, as in S2SampleResult. */
    double raw_probability;
    /** The sum of the raw probabilities from rank 0 to this one. */
    double running;
    /**
     * The probability with which it is selected; if no stage selects, its share among the
     * candidates left.
     */
    double final_probability;
    /** Its rank in the row, from 0. */
    int32_t rank;
    /**
     * The index of the stage that dropped it; -1 if none did, or if its logit in the row is -inf.
     */
    int32_t dropped_by;
} S2ReportCandidate;

/**
 * What the stages did to the candidates of a row. Read it, then free it with s2_report_free().
 *
 * The report owns everything that its pointers lead to. No pointer and no element is NULL. The
 * structs state their sizes, so that they can grow: a field that struct_size does not cover does
 * not exist.
 */
typedef struct S2Report {
    /** sizeof(S2Report) in the library's header. */
    uint32_t struct_size;
    /** The number of tokens in the row. */
    int32_t tokens;
    /** The number of NaN in it. */
    int32_t nans;
    /** The number of +inf in it. */
    int32_t infinities;
    /** The entropy of its softmax, in nats. */
    double entropy;
    /** The number of stages. */
    int32_t n_stages;
    /** The index of the selecting stage, after which none runs; -1 if there is none. */
    int32_t selecting;
    /** The number of elements of `candidates`. */
    int32_t n_candidates;
    /** The number of warnings. */
    int32_t n_warnings;
    /**
     * The stages in their order. Stages that never run drop nothing: their numbers are those after
     * the last stage that does run, and their kept_mass is 1.
     */
    const S2ReportStage *const *stages;
    /** The first tokens by rank in the row, dropped or not. */
    const S2ReportCandidate *const *candidates;
    /**
     * English sentences about settings without effect, or with too much of it. The wording may
     * change.
     */
    const char *const *warnings;
    /**
     * The report as one JSON object with the names of these fields. Numbers that are not finite,
     * and `selecting` or `dropped_by` of -1, are null; `off` is a Boolean; struct_size, rank and
     * the n_* are left out.
     */
    const char *json;
} S2Report;

/**
 * Reports what the stages of a chain would do to a row. Nothing is drawn, and the chain does not
 * change.
 *
 * For diagnostics: it sorts the row several times and needs a few copies of it. It reports the
 * current state: tokens accepted so far count, and xtc acts if it would act in the next
 * s2_chain_sample(). A chain without a selecting stage is not an error here.
 *
 * `logits`, `n`: the row; `n` <= 0 is S2_ERROR_EMPTY_ROW. `report`: receives the report of the
 * first 64 tokens by rank, which the caller frees with s2_report_free(); NULL if the call fails.
 *
 * Returns 0 or a status.
 */
S2_MUST_USE
int32_t s2_chain_report(const S2Chain *chain,
                        const float *logits,
                        int32_t n,
                        S2Report **report);

/**
 * As s2_chain_report() with `logits`, `n` and `report`, for another number of tokens.
 *
 * `first`: the number of tokens, best ranks first; all if it is more than `n`. < 0 is
 * S2_ERROR_BAD_ARGUMENT.
 */
S2_MUST_USE
int32_t s2_chain_report_first(const S2Chain *chain,
                              const float *logits,
                              int32_t n,
                              int32_t first,
                              S2Report **report);

/**
 * Reports what s2_sample_token() and s2_sampler_sample() would do to a row. Nothing is drawn, and
 * no generator is used.
 *
 * `logits`, `n`, `report`: as for s2_chain_report(). `params`: NULL means the defaults. The stages
 * of the report are s2, and dist with `parameters` "".
 */
S2_MUST_USE
int32_t s2_draw_report(const float *logits,
                       int32_t n,
                       const S2SamplerParams *params,
                       S2Report **report);

/**
 * As s2_draw_report() with `logits`, `n`, `params` and `report`, for `first` tokens as
 * s2_chain_report_first().
 */
S2_MUST_USE
int32_t s2_draw_report_first(const float *logits,
                             int32_t n,
                             const S2SamplerParams *params,
                             int32_t first,
                             S2Report **report);

/** Frees a report with everything that its pointers lead to. */
void s2_report_free(S2Report *report);

/* ================================================================================================
 * 7. VERSIONS AND DIAGNOSTICS
 * ================================================================================================
 * */

/** The major part of this header's version. */
#define S2_VERSION_MAJOR 0

/** The minor part. */
#define S2_VERSION_MINOR 1

/** The patch part. */
#define S2_VERSION_PATCH 0

/**
 * The version as a number for #if, which grows with every release: major * 10000 + minor * 100 +
 * patch.
 */
#define S2_VERSION_NUMBER 100

/** The version as text; s2_version() returns the library's. */
#define S2_VERSION_STRING "0.1.0"

/** The ABI that this header describes; s2_abi_version() returns the library's. */
#define S2_ABI_VERSION 1

/**
 * Returns the version of the loaded library, such as "0.1.0", which may be newer than this header.
 * Static text, never NULL.
 */
S2_MUST_USE const char *s2_version(void);

/**
 * Returns the ABI of the loaded library, >= 1. It grows only when callers must recompile.
 *
 * A program that loads the library at run time compares it once with S2_ABI_VERSION, and goes on
 * only if both are equal. A program that is linked against the SONAME need not: another ABI has
 * another SONAME.
 */
S2_MUST_USE uint32_t s2_abi_version(void);

/**
 * Returns the SIMD level of this process's draws, for a log. Tokens are the same at every level;
 * only the time differs.
 *
 * "baseline": the minimum of the platform that the library was built for, on x86-64 SSE2. "avx2":
 * AVX2, FMA, BMI1, BMI2 and POPCNT, on x86-64. "avx512": these and AVX-512F, on x86-64. "neon":
 * NEON, on 64-bit ARM. Later versions may add names. Static text, never NULL.
 *
 * The library takes the best level of the CPU. The environment variable S2SAMPLER_SIMD may name
 * another; it is read once, at the first draw of the process or at the first call of this
 * function. A text that is not exactly one of the names, or names a level that this CPU or this
 * build does not have, is ignored: compare the result to know.
 */
S2_MUST_USE const char *s2_simd_level(void);

/**
 * Returns why the calling thread's last s2_*_new*() or s2_*_clone() returned NULL.
 *
 * 0 if it returned a handle, or if the thread made none yet; otherwise the status:
 * S2_ERROR_NULL_POINTER, S2_ERROR_BAD_ARGUMENT, S2_ERROR_OUT_OF_MEMORY, S2_ERROR_NO_ENTROPY,
 * S2_ERROR_BUSY, S2_ERROR_INTERNAL. Every such call sets it; no other call does.
 */
S2_MUST_USE int32_t s2_new_status(void);

/* ================================================================================================
 * 8. WHAT HOLDS FOR ALL FUNCTIONS
 * ================================================================================================
 *
 * Handles. S2Sampler, S2Stream and S2Chain are opaque. s2_*_new*() and s2_*_clone() make one, or
 * return NULL; s2_new_status() then says why. It belongs to the caller, who frees it once, by the
 * function of its kind; free(NULL) does nothing.
 *
 * Threads. Any function may be called from any thread at any time. Threads share no state and no
 * lock: no thread influences the tokens of another. Each thread has one generator, each sampler and
 * each stream one more, and so has each stage of a chain that draws; all give the words of C++'s
 * std::mt19937. A thread that is ending may still draw, from the destructor of a thread_local
 * object for example, and its stream goes on. A thread that is cancelled (pthread_cancel) finishes
 * its call first: no call is a cancellation point. Cancellation of type
 * PTHREAD_CANCEL_ASYNCHRONOUS during a call is undefined.
 *
 * Any thread may use a handle, one thread at a time. A call that finds another call using the
 * handle returns S2_ERROR_BUSY and changes nothing; the check is one atomic exchange. Calls that
 * take a const handle may overlap one another. A free that finds the handle busy releases nothing.
 * Using a handle after it was released is undefined.
 *
 * The first draw of a process, or s2_simd_level() before it, reads the environment variable
 * S2SAMPLER_SIMD, as getenv() does: no other thread may change the environment at that moment. If
 * your threads change it, call s2_simd_level() before you start them. Signal handlers may call
 * s2_status_string(), s2_version() and s2_abi_version() only.
 *
 * Fork. A generator that the operating system seeded, a thread's or a handle's, gets a new seed at
 * its next draw in the child: parent and child draw differently. Generators that were seeded
 * explicitly, restored, or belong to a chain continue identically in both, as copies of a
 * std::mt19937 would. (fork() is noticed; _Fork() and a bare clone system call are not.) A handle
 * that another thread was using at the fork stays busy in the child.
 *
 * Randomness. Only functions that say so use random words; "Random words" of chapter 1 says how
 * many. Functions that seed, reset or restore replace the state and use none.
 *
 * Memory. Everything passed in belongs to the caller, is only read unless the function says that it
 * writes there, and is not kept after the call. Working memory is kept per thread, or per handle if
 * one is used; it grows with the longest row and the widest parameters, and is released when the
 * thread ends or the handle is freed. A plain draw that keeps many candidates takes about 40 bytes
 * for each logit of the row. A draw that needs no more than an earlier one does not allocate.
 * Histories of all accepted tokens (last_n or sustain -1) grow with each token. A call needs at
 * most 32 KB of stack, whatever the row, beside what the functions of a custom stage need.
 * (Measured on x86-64 with glibc, by a test, with all that the call itself calls.)
 *
 * If an allocation fails, the result is S2_ERROR_OUT_OF_MEMORY or NULL. One exception is out of the
 * library's hands: if it was loaded by dlopen(), glibc allocates a thread's variables at that
 * thread's first call, and ends the process if it cannot.
 *
 * Pointers. NULL is S2_ERROR_NULL_POINTER, unless the function gives it a meaning or its count is
 * <= 0; a function that returns neither a number nor a handle then does nothing. Counts in a
 * request and in s2_chain_add_*() and s2_chain_set_bitmask() are >= 0, otherwise
 * S2_ERROR_BAD_ARGUMENT. Arrays (logits, ranges, ids, bitmasks, uniforms, best tokens, history,
 * biases, tokens and lengths of sequences, candidates) are aligned like their elements, otherwise
 * S2_ERROR_BAD_ARGUMENT. Single structs and numbers, and the arrays of handles and result tokens of
 * the rows calls, may have any alignment. What a call writes may not overlap what it reads. No
 * array has more than 2147483647 elements. Every bit pattern of a logit and of SamplerParams is
 * allowed.
 *
 * Order of checks. The handle (NULL, then spoilt or busy); then the other arguments, each from
 * first to last: NULL, then range and alignment; then whether the row is empty; then, in the draw,
 * whether a stage selects and whether there is a candidate. With two errors at once, do not rely on
 * which is reported.
 *
 * Errors. No exception and no panic leaves the library, and it never ends the process: a defect
 * becomes S2_ERROR_INTERNAL, and Rust's runtime writes a line to stderr. Apart from that nothing is
 * printed. Functions without a status do nothing, or return 0 or NULL, where one would be returned.
 * Not checked, and undefined as everywhere in C: a pointer that is not NULL and does not point to
 * what it should, a freed handle, a row that another thread writes meanwhile. After
 * S2_ERROR_OUT_OF_MEMORY from a chain the position in the random streams is unspecified.
 *
 * Structs that may grow. S2SampleRequest, S2SampleResult, S2StreamConfig, S2PresetParams,
 * S2DistOptions, S2ChainRequest, S2ChainResult and S2CustomStage begin with struct_size, which an
 * _init function or sizeof sets. An _init function writes the struct as release 0.1.0 has it; later
 * versions write no more. struct_size must be at least that size and at most 4096, otherwise
 * S2_ERROR_BAD_ARGUMENT. If it is larger than this version's struct, the bytes beyond must be zero
 * (they are fields of a later version, and zero turns them off), otherwise S2_ERROR_BAD_ARGUMENT;
 * nothing is ever written there. Fields that a smaller struct lacks are off or at their defaults.
 *
 * Bit identity. The same rows, parameters and seed give the same tokens on every CPU, SIMD level,
 * optimisation level and platform, in every release with the same S2_ABI_VERSION, unless the
 * changelog says otherwise under "Reproducibility". For every row without equal logits among its
 * candidates they are the tokens of a sampler that sorts the whole row. (An unstable sort leaves
 * the order of equal logits open; here it is by id.) One exception: min_p, typical, eta_cutoff,
 * temperature_ext, penalty_run, dry, mirostat, mirostat_v2 and the races of dist take logarithms,
 * exponentials or powers from the C library, and another C library may differ in their last bit.
 * Tested is x86-64 Linux with glibc; elsewhere this follows from the arithmetic, which uses nothing
 * of the platform.
 *
 * The caller's floating-point environment has no influence: a call works in the default one (round
 * to nearest, exceptions masked, denormals kept) and leaves the caller's as it was, flags included.
 * That is tested on x86-64, and written but not tested for 32-bit x86 and 64-bit ARM; elsewhere
 * call with the default environment.
 *
 * ABI promise. While S2_ABI_VERSION stays the same, a program compiled against an older header runs
 * with a newer library: no function is removed, no signature, struct, status or default changes,
 * and new features come as new functions or in structs that may grow. SamplerParams stays 12 bytes.
 */

#ifdef __cplusplus
}
#endif

#endif /* S2SAMPLER_H */
