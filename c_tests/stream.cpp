// One utterance: the golden codes out of a loop that uses the stream alone, and RAS in all its modes
// against a loop that is written out with std::mt19937. argv[1]: the directory tests/data.
#include <s2sampler.h>

#include "support/check.h"
#include "support/engine.hpp"
#include "support/handles.hpp"
#include "support/oracle.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

namespace {

S2StreamConfig config_of(std::int32_t first, std::int32_t last, std::int32_t end) {
    S2StreamConfig config;
    s2_stream_config_init(&config);
    config.semantic_first = first;
    config.semantic_last = last;
    config.end_id = end;
    return config;
}

std::int32_t slow(const StreamHandle &stream, const std::vector<float> &row, const SamplerParams &params,
                  bool allow_end) {
    return s2_stream_slow(stream.get(), row.data(), static_cast<std::int32_t>(row.size()), &params,
                          allow_end);
}

std::int32_t fast(const StreamHandle &stream, const std::vector<float> &row, const SamplerParams &params) {
    return s2_stream_fast(stream.get(), row.data(), static_cast<std::int32_t>(row.size()), &params);
}

std::vector<Codes> frames_of(const EngineRun &run, const StreamHandle &stream) {
    return run_engine(
        run,
        [&](const std::vector<float> &row, bool allow_end) {
            const std::int32_t token = slow(stream, row, run.params, allow_end);
            CHECK(token >= 0);
            return s2_stream_ended(stream.get()) ? -1 : token;
        },
        [&](std::int32_t token) { return s2_stream_code(stream.get(), token, run.model.codebook_size); },
        [&](const std::vector<float> &row) { return fast(stream, row, run.params); });
}

StreamHandle stream_of(const EngineRun &run) {
    const S2StreamConfig config = config_of(run.model.sem_begin, run.semantic_last, run.model.im_end);
    return own(s2_stream_new(run.seed, &config));
}

void golden_codes(const std::vector<EngineRun> &runs) {
    for (const EngineRun &one : runs) {
        const StreamHandle stream = stream_of(one);
        CHECK_CASE(frames_of(one, stream) == one.frames, "seed %u", one.seed);
        s2_stream_reset(stream.get(), one.seed);
        CHECK_CASE(s2_stream_ended(stream.get()) == 0 && s2_stream_get_seed(stream.get()) == one.seed,
                   "reset");
        CHECK_CASE(frames_of(one, stream) == one.frames, "seed %u, after a reset", one.seed);
    }
}

// All golden utterances of short rows at once, each on its own thread; their steps interleave.
void golden_codes_on_threads(const std::vector<EngineRun> &runs) {
    constexpr unsigned threads = 8;
    std::vector<const EngineRun *> short_rows;
    for (const EngineRun &one : runs) {
        if (one.model.vocab < 10000) short_rows.push_back(&one);
    }
    CHECK(short_rows.size() >= 2);
    std::atomic<unsigned> ready{0};
    std::vector<std::vector<Codes>> frames(threads);
    std::vector<std::thread> running;
    for (unsigned i = 0; i < threads; ++i) {
        running.emplace_back([&, i] {
            const StreamHandle stream = stream_of(*short_rows[i % short_rows.size()]);
            ++ready;
            while (ready.load() < threads) std::this_thread::yield();
            frames[i] = frames_of(*short_rows[i % short_rows.size()], stream);
        });
    }
    for (std::thread &thread : running) thread.join();
    for (unsigned i = 0; i < threads; ++i) {
        CHECK_CASE(frames[i] == short_rows[i % short_rows.size()]->frames, "thread %u", i);
    }
}

// What the written-out loop met on its way.
struct Met {
    int at_first = 0;  // a redraw of the first and of the last semantic token
    int at_last = 0;
    int oldest = 0;       // a token whose only hit is the oldest of a full window
    int just_left = 0;    // one that left the window the step before: no redraw
    int end_redrawn = 0;  // the redraw hit the end token
    int end_banned = 0;   // a redraw while the end is banned and would be the best
    int same_again = 0;   // a redraw that gave the same token
};

// The loop as the engines write it: a masked copy, a window, a generator.
class WrittenOut {
public:
    WrittenOut(std::uint32_t seed, const S2StreamConfig &config) : rng(seed), config_(config) {}

    std::int32_t slow(std::vector<float> row, const SamplerParams &params, bool allow_end, Met &met) {
        const std::int32_t first = config_.semantic_first;
        const std::int32_t last = config_.semantic_last;
        const auto end = static_cast<std::size_t>(config_.end_id);
        const bool end_is_best = std::max_element(row.begin(), row.end()) == row.begin() + config_.end_id;
        for (std::size_t id = 0; id < row.size(); ++id) {
            const bool semantic =
                static_cast<std::int32_t>(id) >= first && static_cast<std::int32_t>(id) <= last;
            if (!semantic && !(id == end && allow_end)) row[id] = -INFINITY;
        }
        std::int32_t token = oracle_draw(row, params, rng);
        if (token >= first && token <= last && repeats(token)) {
            const std::int32_t before = token;
            token = oracle_draw(row, again(params), rng);
            met.at_first += before == first;
            met.at_last += before == last;
            met.oldest += full() && window_.front() == before &&
                          std::count(window_.begin(), window_.end(), before) == 1;
            met.end_redrawn += token == config_.end_id;
            met.end_banned += !allow_end && end_is_best;
            met.same_again += token == before;
        } else {
            met.just_left += token == left_;
        }
        window_.push_back(token);
        left_ = -1;
        if (window_.size() > static_cast<std::size_t>(config_.ras_window)) {
            left_ = window_.front();
            window_.pop_front();
        }
        return token;
    }

    std::mt19937 rng;

private:
    bool full() const { return window_.size() == static_cast<std::size_t>(config_.ras_window); }

    bool repeats(std::int32_t token) const {
        const auto hits = static_cast<float>(std::count(window_.begin(), window_.end(), token));
        if (config_.ras_mode == S2_RAS_ANY_HIT) return hits > 0;
        const auto window = static_cast<float>(config_.ras_window);
        return config_.ras_mode == S2_RAS_SHARE && window > 0 && hits >= window * config_.ras_tau;
    }

    SamplerParams again(const SamplerParams &params) const {
        const bool share = config_.ras_mode == S2_RAS_SHARE;
        return {config_.ras_temperature, share ? NAN : config_.ras_top_p, share ? 0 : params.top_k};
    }

    S2StreamConfig config_;
    std::deque<std::int32_t> window_;
    std::int32_t left_ = -1;
};

constexpr std::int32_t kEnd = 3;
constexpr std::int32_t kFirst = 5;
constexpr std::int32_t kLast = 12;

// A short row: the ends of the semantic range stand out, their neighbours outside even more.
std::vector<float> short_row(SplitMix64 &random) {
    std::vector<float> row = bell(20, 0x1p-20F, random.next());
    row[kFirst] += 1.0F;
    row[kLast] += 1.0F;
    row[kFirst - 1] += 9.0F;
    row[kLast + 1] += 9.0F;
    if (random.below(3) == 0) row[kEnd] += 3.0F;
    if (random.below(9) == 0) row[kEnd] += 20.0F;
    return row;
}

// Plays `steps` frames with the stream and with the loop written out.
Met play(const S2StreamConfig &config, std::uint32_t seed, int steps) {
    const StreamHandle stream = own(s2_stream_new(seed, &config));
    WrittenOut expected(seed, config);
    Met met;
    SplitMix64 random(seed);
    for (int i = 0; i < steps; ++i) {
        const std::vector<float> row = short_row(random);
        const SamplerParams params = {0.9F, 0.9F, random.below(2) == 0 ? 0 : 6};
        const bool allow_end = random.below(2) == 0;
        const std::int32_t token = expected.slow(row, params, allow_end, met);
        const std::int32_t got = slow(stream, row, params, allow_end);
        CHECK_CASE(got == token, "mode %d, window %d, step %d: %d, not %d", config.ras_mode,
                   config.ras_window, i, got, token);
        CHECK(s2_stream_ended(stream.get()) == (token == kEnd));
        CHECK(allow_end || token != kEnd);
        // The generator is at the same place, and codebook tokens do not enter the window.
        const std::vector<float> codes = bell(30, 0x1p-20F, random.next());
        CHECK(fast(stream, codes, params) == oracle_draw(codes, params, expected.rng));
        CHECK(s2_stream_ended(stream.get()) == (token == kEnd));
    }
    return met;
}

void every_mode_as_written_out() {
    for (const std::int32_t window : {1, 2, 10, 25}) {
        S2StreamConfig config = config_of(kFirst, kLast, kEnd);
        config.ras_window = window;
        const Met met = play(config, 100 + static_cast<std::uint32_t>(window), 3000);
        CHECK(met.at_first > 20 && met.at_last > 20 && met.end_redrawn > 20 && met.end_banned > 20 &&
              met.same_again > 20);
        CHECK(met.oldest > (window > 20 ? 0 : 20) && met.just_left > (window > 20 ? 0 : 10));

        config.ras_mode = S2_RAS_SHARE;
        for (const float tau : {0.1F, 0.2F, 0.5F, 1.0F}) {
            config.ras_tau = tau;
            const Met share = play(config, 200 + static_cast<std::uint32_t>(window), 1000);
            // At a window of two or more no token fills the half of it in so mixed a row.
            if (tau < 0.5F || window == 1)
                CHECK(share.at_first > 0 && share.at_last > 0 && share.end_redrawn > 0);
        }
    }
    // What the second draw is made of, and the windows and modes that have none.
    S2StreamConfig config = config_of(kFirst, kLast, kEnd);
    config.ras_temperature = 3.0F;
    config.ras_top_p = 0.2F;
    CHECK(play(config, 300, 1000).at_first > 20);
    config.ras_temperature = 0.0F;
    CHECK(play(config, 301, 1000).at_first > 20);
    config.ras_mode = S2_RAS_OFF;
    CHECK(play(config, 302, 1000).at_first == 0);
    config.ras_window = 0;
    for (const std::int32_t mode : {S2_RAS_OFF, S2_RAS_ANY_HIT, S2_RAS_SHARE}) {
        config.ras_mode = mode;
        CHECK(play(config, 303, 1000).at_first == 0);
    }
}

// The faults of the engines' loops, one by one, where the outcome is certain.
void certain_steps() {
    const SamplerParams greedy = {0.0F, 1.0F, 0};
    const auto row_with_best = [](std::size_t id) {
        std::vector<float> row(20, 0.0F);
        row[id] = 50.0F;
        return row;
    };
    S2StreamConfig config = config_of(kFirst, kLast, kEnd);
    config.ras_temperature = 0.0F;
    StreamHandle stream = own(s2_stream_new(1, &config));

    // The first draw avoids the end only by the mask; when allowed it ends the utterance, once.
    CHECK(slow(stream, row_with_best(kEnd), greedy, false) == kFirst && s2_stream_ended(stream.get()) == 0);
    CHECK(slow(stream, row_with_best(kEnd), greedy, true) == kEnd && s2_stream_ended(stream.get()) == 1);
    CHECK(slow(stream, row_with_best(kLast), greedy, true) == kLast && s2_stream_ended(stream.get()) == 0);
    // A call that fails leaves that as it is.
    CHECK(slow(stream, row_with_best(kEnd), greedy, true) == kEnd);
    CHECK(s2_stream_slow(stream.get(), nullptr, 1, nullptr, 1) == S2_ERROR_NULL_POINTER &&
          s2_stream_ended(stream.get()) == 1);
    s2_stream_reset(stream.get(), 1);
    CHECK(s2_stream_ended(stream.get()) == 0);

    // Without an end token nothing ends, and "allowed" allows nothing.
    config.end_id = -1;
    stream = own(s2_stream_new(1, &config));
    CHECK(slow(stream, row_with_best(0), greedy, true) == kFirst && s2_stream_ended(stream.get()) == 0);

    // A row that ends before the semantic tokens has nothing to draw from.
    CHECK(s2_stream_slow(stream.get(), row_with_best(0).data(), kFirst, &greedy, 1) == S2_ERROR_EMPTY_ROW);

    const auto code = [&](std::int32_t token, std::int32_t size) {
        return s2_stream_code(stream.get(), token, size);
    };
    CHECK(code(kFirst, 8) == 0 && code(kFirst + 1, 8) == 1 && code(kLast, 8) == 7 && code(kLast, 4) == 3);
    CHECK(code(0, 8) == 0 && code(INT32_MAX, 8) == 7 && code(INT32_MAX, INT32_MAX) == INT32_MAX - kFirst &&
          code(kLast, 1) == 0);
}

// Window, end and generator: a clone that lacked one of them would go astray for some of the seeds.
void a_clone_continues_alike() {
    const S2StreamConfig config = config_of(kFirst, kLast, kEnd);
    const SamplerParams params = {0.9F, 0.9F, 0};
    int ended = 0;
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        SplitMix64 random(seed);
        const StreamHandle stream = own(s2_stream_new(seed, &config));
        for (int i = 0; i < 15; ++i) CHECK(slow(stream, short_row(random), params, i % 5 == 4) >= 0);
        const StreamHandle clone = own(s2_stream_clone(stream.get()));
        CHECK(s2_stream_ended(clone.get()) == s2_stream_ended(stream.get()));
        CHECK(s2_stream_get_seed(clone.get()) == seed);
        ended += s2_stream_ended(clone.get());
        const auto further = [&params, random](const StreamHandle &one) {
            SplitMix64 rows = random;
            std::vector<std::int32_t> tokens;
            for (int i = 0; i < 100; ++i) tokens.push_back(slow(one, short_row(rows), params, i % 5 == 4));
            return tokens;
        };
        const auto expected = further(stream);
        CHECK_CASE(further(clone) == expected, "seed %u", seed);
    }
    CHECK(ended > 0 && ended < 20);
}

void a_random_seed_can_be_replayed() {
    const S2StreamConfig config = config_of(0, 4095, -1);
    const auto tokens = [](const StreamHandle &stream) {
        std::vector<std::int32_t> drawn;
        for (int i = 0; i < 32; ++i)
            drawn.push_back(fast(stream, std::vector<float>(4096, 0.0F), {1.0F, 1.0F, 0}));
        return drawn;
    };
    const StreamHandle first = own(s2_stream_new_random(&config));
    const StreamHandle second = own(s2_stream_new_random(&config));
    const auto drawn = tokens(first);
    CHECK(drawn != tokens(second));
    CHECK(tokens(own(s2_stream_new(s2_stream_get_seed(first.get()), &config))) == drawn);
}

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 2);
    const std::vector<EngineRun> runs = engine_runs(argv[1]);
    golden_codes(runs);
    golden_codes_on_threads(runs);
    every_mode_as_written_out();
    certain_steps();
    a_clone_continues_alike();
    a_random_seed_can_be_replayed();
}
