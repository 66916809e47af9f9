// Every way to draw a token, each as one call: what must hold for all of them goes through this list.
#ifndef S2_TESTS_WAYS_HPP
#define S2_TESTS_WAYS_HPP

#include <s2sampler.h>

#include "handles.hpp"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>

// A row with at least one token, and handles to draw from it.
struct Drawing {
    S2Sampler *sampler;
    S2Stream *stream;
    S2Chain *chain;
    const float *row;
    std::int32_t n;
    const SamplerParams *params;
};

struct Way {
    const char *name;
    std::int32_t (*draw)(const Drawing &);
};

// One token in the middle is left out where there is one, so that the others must be gathered.
struct Ranges {
    S2TokenRange items[2];
    explicit Ranges(std::int32_t n) : items{{0, n > 2 ? n / 2 - 1 : n}, {n / 2 + 1, n}} {}
};

inline std::int32_t draw_request(const Drawing &d, bool everything, S2SampleResult *result) {
    const Ranges ranges(d.n);
    const std::int32_t banned[] = {1, d.n - 2};
    const std::int32_t history[] = {0, d.n - 1, 0, d.n / 3};
    S2SampleRequest request;
    s2_sample_request_init(&request);
    request.logits = d.row;
    request.vocab_size = d.n;
    request.params = d.params;
    if (everything) {
        request.ranges = ranges.items;
        request.n_ranges = 2;
        request.banned = banned;
        request.n_banned = 2;
        request.history = history;
        request.n_history = 4;
        request.penalty_window = -1;
        request.repetition_penalty = 1.1F;
        request.frequency_penalty = 0.1F;
        request.min_p = 1e-6F;
        request.keep_id = d.n - 1;
        request.watched_id = 0;
        request.flags = S2_REQUEST_KEEP_ID | S2_REQUEST_WATCH_ID;
    }
    return s2_sampler_sample_ex(d.sampler, &request, result);
}

// Whether it draws with the thread's generator, so that there is no handle.
inline bool draws_with_thread(const Way &way) {
    return std::strncmp(way.name, "s2_sample_token", std::strlen("s2_sample_token")) == 0;
}

inline const Way kWays[] = {
    {"s2_sample_token", [](const Drawing &d) { return s2_sample_token(d.row, d.n, d.params); }},
    {"s2_sample_token_first",
     [](const Drawing &d) { return s2_sample_token_first(d.row, d.n, d.params, -1); }},
    {"s2_sampler_sample",
     [](const Drawing &d) { return s2_sampler_sample(d.sampler, d.row, d.n, d.params); }},
    {"s2_sampler_sample_ranges",
     [](const Drawing &d) {
         return s2_sampler_sample_ranges(d.sampler, d.row, d.n, Ranges(d.n).items, 2, d.params);
     }},
    {"s2_sampler_sample_ex, nothing asked",
     [](const Drawing &d) { return draw_request(d, false, nullptr); }},
    {"s2_sampler_sample_ex, everything",
     [](const Drawing &d) {
         S2SampleResult result;
         s2_sample_result_init(&result);
         return draw_request(d, true, &result);
     }},
    {"s2_sampler_sample_rows",
     [](const Drawing &d) {
         std::int32_t token = INT_MIN;
         const std::int32_t status =
             s2_sampler_sample_rows(&d.sampler, d.row, 1, d.n, d.n, d.params, 1, &token);
         return status < 0 ? status : token;
     }},
    {"s2_stream_slow",
     [](const Drawing &d) { return s2_stream_slow(d.stream, d.row, d.n, d.params, 1); }},
    {"s2_stream_fast", [](const Drawing &d) { return s2_stream_fast(d.stream, d.row, d.n, d.params); }},
    {"s2_chain_sample", [](const Drawing &d) { return s2_chain_sample(d.chain, d.row, d.n); }},
    {"s2_chain_sample_rows",
     [](const Drawing &d) {
         std::int32_t token = INT_MIN;
         const std::int32_t status = s2_chain_sample_rows(&d.chain, d.row, 1, d.n, d.n, &token);
         return status < 0 ? status : token;
     }},
};

// A stream whose semantic tokens are all but the first, which ends it.
inline S2StreamConfig stream_config() {
    S2StreamConfig config;
    s2_stream_config_init(&config);
    config.semantic_first = 1;
    config.semantic_last = INT_MAX;
    config.end_id = 0;
    return config;
}

// A handle of each kind, all with the same seed. The chain edits and divides the row before it cuts, and has
// parameters of its own.
struct Handles {
    SamplerHandle sampler;
    StreamHandle stream;
    ChainHandle chain;

    explicit Handles(std::uint32_t seed, const S2StreamConfig &config = stream_config())
        : sampler(own(s2_sampler_new(seed))),
          stream(own(s2_stream_new(seed, &config))),
          chain(own(s2_chain_new_preset(S2_PRESET_TEMPERATURE_FIRST, seed, nullptr))) {}

    Drawing from(const float *row, std::int32_t n, const SamplerParams &params) const {
        return {sampler.get(), stream.get(), chain.get(), row, n, &params};
    }
};

// These, and this thread's own generator with the same seed.
struct Generators : Handles {
    explicit Generators(std::uint32_t seed, const S2StreamConfig &config = stream_config())
        : Handles(seed, config) {
        s2_seed_thread(seed);
    }
};

#endif
