// One utterance: the golden codes out of a loop that uses the stream alone, also on several threads, and what
// the functions of a stream return. RAS in all its modes is tested in core/tests/suite/streams.rs.
// argv[1]: the directory tests/data.
#include <s2sampler.h>

#include "support/check.h"
#include "support/engine.hpp"
#include "support/handles.hpp"

#include <atomic>
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
    std::int32_t end_redraws = 0;
    std::vector<Codes> frames = run_engine(
        run,
        [&](const std::vector<float> &row, bool allow_end) {
            const std::int32_t token = slow(stream, row, run.params, allow_end);
            CHECK(token >= 0);
            end_redraws += token == run.model.im_end && s2_stream_redrawn(stream.get()) == 1;
            return s2_stream_ended(stream.get()) ? -1 : token;
        },
        [&](std::int32_t token) { return s2_stream_code(stream.get(), token, run.model.codebook_size); },
        [&](const std::vector<float> &row) { return fast(stream, row, run.params); });
    CHECK(run.end_redraws < 0 || run.end_redraws == end_redraws);
    return frames;
}

StreamHandle stream_of(const EngineRun &run) {
    S2StreamConfig config = config_of(run.model.sem_begin, run.semantic_last, run.model.im_end);
    if (run.end_redraws >= 0) config.ras_end = S2_RAS_END_CONTINUES;
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

// What the second draw does, where the outcome is certain.
void the_second_draw() {
    const SamplerParams greedy = {0.0F, 1.0F, 0};
    std::vector<float> row(20, -kInf);
    row[kFirst] = 2.0F;
    row[kLast] = 1.0F;
    S2StreamConfig config = config_of(kFirst, kLast, kEnd);
    config.ras_temperature = 0.0F;
    config.ras_bans = 1;
    StreamHandle stream = own(s2_stream_new(1, &config));
    CHECK(s2_stream_redrawn(stream.get()) == 0);
    CHECK(slow(stream, row, greedy, true) == kFirst && s2_stream_redrawn(stream.get()) == 0);
    // Without the repeated token the other one is the best.
    CHECK(slow(stream, row, greedy, true) == kLast && s2_stream_redrawn(stream.get()) == 1);
    CHECK(s2_stream_redrawn(own(s2_stream_clone(stream.get())).get()) == 1);
    // It is the only one: it stays, and no second draw gave it.
    row[kLast] = -kInf;
    CHECK(slow(stream, row, greedy, true) == kFirst && s2_stream_redrawn(stream.get()) == 0);
    CHECK(s2_stream_reset(stream.get(), 1) == 0 && s2_stream_redrawn(stream.get()) == 0);

    // A draw for every main token takes the words of two; the modes say which token counts.
    const SamplerParams flat = {1.0F, kNan, 0};
    const std::vector<float> even(20, 0.0F);
    config = config_of(kFirst, kLast, kEnd);
    config.ras_always = 1;
    for (const std::int32_t mode : {S2_RAS_OFF, S2_RAS_ANY_HIT, S2_RAS_SHARE}) {
        config.ras_mode = mode;
        stream = own(s2_stream_new(9, &config));
        const SamplerHandle sampler = own(s2_sampler_new(9));
        const S2TokenRange allowed[] = {{kFirst, kLast}, {kEnd, kEnd}};
        const SamplerParams second = {1.0F, mode == S2_RAS_ANY_HIT ? 0.9F : kNan, 0};
        for (int i = 0; i < 50; ++i) {
            const auto draw = [&](const SamplerParams &params) {
                return s2_sampler_sample_ranges(sampler.get(), even.data(), 20, allowed, 2, &params);
            };
            const std::int32_t first = draw(flat);
            const std::int32_t again = mode == S2_RAS_OFF ? first : draw(second);
            const std::int32_t token = slow(stream, even, flat, true);
            CHECK(token == (s2_stream_redrawn(stream.get()) ? again : first));
            CHECK(mode != S2_RAS_OFF || s2_stream_redrawn(stream.get()) == 0);
        }
    }
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
    golden_codes(s2_loop_runs(argv[1]));
    the_second_draw();
    golden_codes_on_threads(runs);
    certain_steps();
    a_clone_continues_alike();
    a_random_seed_can_be_replayed();
}
