// Generators of one's own: the golden tokens, against std::mt19937, cloned, saved, interleaved.
// argv[1]: the directory tests/data.
#include <s2sampler.h>

#include "support/check.h"
#include "support/engine.hpp"
#include "support/handles.hpp"
#include "support/oracle.hpp"
#include "support/stream.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

namespace {

using Tokens = std::vector<std::int32_t>;

void golden_lines(const std::string &data) {
    const SamplerHandle kept = own(s2_sampler_new(0));
    for_each_golden_line(data, [&kept](const GoldenLine &line) {
        const SamplerHandle fresh = own(s2_sampler_new(line.seed));
        s2_sampler_seed(kept.get(), line.seed);
        for (const std::int32_t expected : line.tokens) {
            CHECK_CASE(draw(fresh, line.row, line.params) == expected, "%s", line.name.c_str());
            CHECK_CASE(draw(kept, line.row, line.params) == expected, "%s, seeded", line.name.c_str());
        }
        CHECK(s2_sampler_get_seed(fresh.get()) == line.seed && s2_sampler_get_seed(kept.get()) == line.seed);
    });
}

void as_the_standard_library() {
    for (const std::uint32_t seed : {0U, 1U, 5489U, 0x80000000U, 0xffffffffU}) {
        const SamplerHandle sampler = own(s2_sampler_new(seed));
        std::mt19937 mirror(seed);
        SplitMix64 random(seed);
        for (int i = 0; i < 700; ++i) {  // beyond the first block of 624 words
            const std::vector<float> row = peaky(2 + random.below(300), 0x1p-19F, random.next());
            const SamplerParams params = {0.5F + 0.25F * static_cast<float>(random.below(4)),
                                          0.125F * static_cast<float>(random.below(9)),
                                          static_cast<std::int32_t>(random.below(50))};
            const std::int32_t expected = oracle_draw(row, params, mirror);
            CHECK_CASE(draw(sampler, row, params) == expected, "seed %u, draw %d", seed, i);
        }
    }
}

// The engine's loop with ranges in the place of its masked copy.
void engine_loop_through_ranges(const std::string &data) {
    for (const EngineRun &run : engine_runs(data)) {
        const SamplerHandle sampler = own(s2_sampler_new(run.seed));
        std::deque<std::int32_t> window;
        const auto slow = [&](const std::vector<float> &row, bool allow_end) {
            const S2TokenRange ranges[] = {{run.model.sem_begin, run.semantic_last},
                                           {run.model.im_end, run.model.im_end}};
            const auto masked_draw = [&](const SamplerParams &params) {
                return s2_sampler_sample_ranges(sampler.get(), row.data(),
                                                static_cast<std::int32_t>(row.size()), ranges,
                                                allow_end ? 2 : 1, &params);
            };
            std::int32_t token = masked_draw(run.params);
            CHECK(token >= 0);
            const bool semantic = run.model.sem_begin <= token && token <= run.semantic_last;
            if (semantic && std::count(window.begin(), window.end(), token) > 0) {
                token = masked_draw({1.0F, 0.9F, run.params.top_k});
            }
            window.push_back(token);
            if (window.size() > 10) window.pop_front();
            return token == run.model.im_end ? -1 : token;
        };
        const auto code = [&run](std::int32_t token) {
            return std::clamp(token - run.model.sem_begin, 0, run.model.codebook_size - 1);
        };
        const auto fast = [&](const std::vector<float> &row) { return draw(sampler, row, run.params); };
        CHECK_CASE(run_engine(run, slow, code, fast) == run.frames, "seed %u", run.seed);
    }
}

void a_clone_continues_alike() {
    const SamplerHandle sampler = own(s2_sampler_new(11));
    CHECK(draws_among_equals(sampler, 333) != draws_among_equals(sampler, 333));
    const SamplerHandle clone = own(s2_sampler_clone(sampler.get()));
    CHECK(s2_sampler_get_seed(clone.get()) == 11);
    const Tokens tokens = draws_among_equals(sampler, 700);
    CHECK(draws_among_equals(clone, 700) == tokens);
    // And apart: one drawing on or ending leaves the other where it is.
    SamplerHandle third = own(s2_sampler_clone(sampler.get()));
    draws_among_equals(sampler, 3);
    const Tokens before = draws_among_equals(own(s2_sampler_clone(third.get())), 5);
    s2_sampler_seed(sampler.get(), 12);
    CHECK(draws_among_equals(third, 5) == before);
}

void a_saved_state_is_continued() {
    const std::size_t size = s2_sampler_state_size();
    const SamplerHandle sampler = own(s2_sampler_new(21));
    const SamplerHandle other = own(s2_sampler_new(22));
    for (const int drawn : {0, 1, 311, 1, 400}) {
        draws_among_equals(sampler, drawn);
        // An odd address, and a byte on each side that must stay.
        State state(size + 2, 0xA5);
        CHECK(s2_sampler_save(sampler.get(), state.data() + 1, size) == 0);
        CHECK(state.front() == 0xA5 && state.back() == 0xA5);
        CHECK(s2_sampler_restore(other.get(), state.data() + 1, size) == 0);
        CHECK(s2_sampler_get_seed(other.get()) == 21 && save(other) == save(sampler));
        const Tokens tokens = draws_among_equals(sampler, 650);
        CHECK(draws_among_equals(other, 650) == tokens);
    }
    // Anything else is refused, and nothing changes.
    const State good = save(sampler);
    const State before = save(other);
    for (const std::size_t place : {std::size_t{0}, std::size_t{4}, std::size_t{8}, size / 2, size - 1}) {
        State bad = good;
        bad[place] ^= 1;
        CHECK_CASE(s2_sampler_restore(other.get(), bad.data(), size) == S2_ERROR_BAD_ARGUMENT, "byte %zu",
                   place);
    }
    State longer = good;
    longer.push_back(0);
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, size - 1, size + 1}) {
        CHECK(s2_sampler_restore(other.get(), longer.data(), length) == S2_ERROR_BAD_ARGUMENT);
    }
    CHECK(s2_sampler_restore(other.get(), longer.data(), SIZE_MAX) == S2_ERROR_BAD_ARGUMENT);
    CHECK(save(other) == before);
    State small(size, 0xA5);
    CHECK(s2_sampler_save(other.get(), small.data(), size - 1) == S2_ERROR_BAD_ARGUMENT);
    CHECK(small == State(size, 0xA5));
}

std::uint64_t number_at(const State &state, std::size_t at, std::size_t bytes) {
    std::uint64_t number = 0;
    while (bytes-- > 0) number = number << 8 | state[at + bytes];
    return number;
}

// Version 1 of the format, which other machines and later versions read: little-endian, the last 624
// words of the stream. (Of the first of them only the highest bit of the state is kept.)
void a_saved_state_is_the_same_everywhere() {
    const std::uint32_t seed = 0xfedc1234U;
    const SamplerHandle sampler = own(s2_sampler_new(seed));
    draws_among_equals(sampler, 500);
    const State state = save(sampler);
    CHECK(state.size() == 20 + 4 * 624 + 8);
    CHECK(std::string(state.begin(), state.begin() + 4) == "S2MT" && number_at(state, 4, 4) == 1);
    CHECK(number_at(state, 8, 4) == seed && number_at(state, 12, 8) == 1000);
    std::mt19937 mirror(seed);
    mirror.discard(1000 - 623);
    for (std::size_t word = 1; word < 624; ++word) {
        CHECK_CASE(number_at(state, 20 + 4 * word, 4) == mirror(), "word %zu", word);
    }
}

// Equal by chance once in 2^32: then the system gave the same seed twice.
void a_random_seed_can_be_replayed() {
    const SamplerHandle first = own(s2_sampler_new_random());
    const SamplerHandle second = own(s2_sampler_new_random());
    const Tokens tokens = draws_among_equals(first, 32);
    CHECK(tokens != draws_among_equals(second, 32));
    CHECK(s2_sampler_get_seed(first.get()) != s2_sampler_get_seed(second.get()));
    CHECK(draws_among_equals(own(s2_sampler_new(s2_sampler_get_seed(first.get()))), 32) == tokens);
}

void the_threads_generator_is_another() {
    s2_seed_thread(31);
    std::mt19937 mirror(31);
    const SamplerHandle sampler = own(s2_sampler_new(32));
    const Tokens tokens = draws_among_equals(sampler, 20);
    CHECK(stream_is_at(mirror));
    s2_sampler_seed(sampler.get(), 32);
    s2_seed_thread(33);
    CHECK(draws_among_equals(sampler, 20) == tokens);
}

// One step of request `number`: rows, lengths and parameters of its own, so that a mix-up shows.
std::int32_t step(const SamplerHandle &sampler, unsigned number, unsigned i) {
    const std::vector<float> row = peaky(100 + 331 * (i % 8) + number, 0x1p-19F, number * 8 + i % 8);
    const SamplerParams params = {0.5F + 0.1F * static_cast<float>(number), 0.95F, i % 3 == 0 ? 0 : 40};
    return draw(sampler, row, params);
}

// 24 requests on 8 threads: each is passed from thread to thread at every step.
void interleaved_as_alone() {
    constexpr unsigned threads = 8;
    constexpr unsigned requests = 24;
    constexpr unsigned steps = 400;
    std::vector<Tokens> alone(requests);
    for (unsigned number = 0; number < requests; ++number) {
        const SamplerHandle sampler = own(s2_sampler_new(1000 + number / 2));
        for (unsigned i = 0; i < steps; ++i) alone[number].push_back(step(sampler, number, i));
    }

    std::vector<SamplerHandle> samplers;
    for (unsigned number = 0; number < requests; ++number)
        samplers.push_back(own(s2_sampler_new(1000 + number / 2)));
    std::vector<Tokens> together(requests);
    std::vector<std::atomic<unsigned>> turns(requests);
    std::vector<std::thread> running;
    for (unsigned thread = 0; thread < threads; ++thread) {
        running.emplace_back([&, thread] {
            for (unsigned i = 0; i < steps; ++i) {
                for (unsigned number = 0; number < requests; ++number) {
                    if ((number + i) % threads != thread) continue;
                    while (turns[number].load(std::memory_order_acquire) != i) std::this_thread::yield();
                    together[number].push_back(step(samplers[number], number, i));
                    turns[number].store(i + 1, std::memory_order_release);
                }
            }
        });
    }
    for (std::thread &thread : running) thread.join();
    for (unsigned number = 0; number < requests; ++number) {
        CHECK_CASE(together[number] == alone[number], "request %u", number);
        CHECK_CASE(number == 0 || alone[number] != alone[number - 1], "request %u", number);
    }
}

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 2);
    golden_lines(argv[1]);
    as_the_standard_library();
    engine_loop_through_ranges(argv[1]);
    a_clone_continues_alike();
    a_saved_state_is_continued();
    a_saved_state_is_the_same_everywhere();
    a_random_seed_can_be_replayed();
    the_threads_generator_is_another();
    interleaved_as_alone();
}
