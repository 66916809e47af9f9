// Eight threads that read one row at once, each with a handle and a stream of its own and by every call there
// is for them: what each draws is what it draws alone. Handles are also made, saved and freed meanwhile, and
// pass from thread to thread.
#include <s2sampler.h>

#include "support/check.h"
#include "support/handles.hpp"
#include "support/rows.hpp"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr std::uint32_t kThreads = 8;
constexpr int kTurns = 60;
constexpr std::int32_t kVocab = 5000;

using Tokens = std::vector<std::int32_t>;

const std::vector<float> kRow = peaky(kVocab, 0x1p-19F, 3);
const SamplerParams kParams = {0.9F, 0.95F, 0};
const S2TokenRange kRanges[] = {{0, 2000}, {3000, kVocab - 1}};

StreamHandle new_stream(std::uint32_t seed) {
    S2StreamConfig config;
    s2_stream_config_init(&config);
    config.semantic_last = kVocab - 1;
    return own(s2_stream_new(seed, &config));
}

// All that a thread does with the row.
Tokens every_call(std::uint32_t seed) {
    s2_seed_thread(seed);
    SamplerHandle sampler = own(s2_sampler_new(seed));
    StreamHandle stream = new_stream(seed);
    const float *const row = kRow.data();
    Tokens tokens;
    for (int turn = 0; turn < kTurns; ++turn) {
        tokens.push_back(s2_sample_token(row, kVocab, &kParams));
        tokens.push_back(s2_sampler_sample(sampler.get(), row, kVocab, &kParams));
        tokens.push_back(s2_sampler_sample_ranges(sampler.get(), row, kVocab, kRanges, 2, &kParams));

        S2SampleRequest request;
        S2SampleResult result;
        s2_sample_request_init(&request);
        s2_sample_result_init(&result);
        request.logits = row;
        request.vocab_size = kVocab;
        request.params = &kParams;
        request.min_p = 0.001F;
        tokens.push_back(s2_sampler_sample_ex(sampler.get(), &request, &result));

        S2Sampler *const handles[] = {sampler.get(), sampler.get()};
        std::int32_t both[2];
        CHECK(s2_sampler_sample_rows(handles, row, 2, 0, kVocab, &kParams, 1, both) == 2);
        tokens.insert(tokens.end(), both, both + 2);

        tokens.push_back(s2_stream_slow(stream.get(), row, kVocab, &kParams, turn % 2));
        tokens.push_back(s2_stream_fast(stream.get(), row, kVocab, &kParams));

        // Both go on in copies, of which nothing may stay with the originals.
        const State state = save(sampler);
        sampler = own(s2_sampler_new_random());
        CHECK(s2_sampler_restore(sampler.get(), state.data(), state.size()) == 0);
        stream = own(s2_stream_clone(stream.get()));
    }
    for (const std::int32_t token : tokens) CHECK(token >= 0 && token < kVocab);
    return tokens;
}

// Runs `body(number)` in all threads, none of which begins before all are there.
template <class Body>
void at_once(Body body) {
    std::atomic<std::uint32_t> ready{0};
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            ++ready;
            while (ready.load() < kThreads) std::this_thread::yield();
            body(i);
        });
    }
    for (std::thread &thread : threads) thread.join();
}

void together_as_alone() {
    std::vector<Tokens> together(kThreads);
    // First: so that what the library finds out once is found out by eight at once.
    at_once([&](std::uint32_t i) { together[i] = every_call(i); });
    for (std::uint32_t i = 0; i < kThreads; ++i) {
        CHECK_CASE(together[i] == every_call(i), "thread %u", i);
        CHECK_CASE(i == 0 || together[i] != together[0], "thread %u", i);
    }
}

// One handle in turn by all, under a lock: the tokens are those of one thread, whoever drew them.
void one_handle_in_turn() {
    const SamplerHandle shared = own(s2_sampler_new(5));
    std::mutex lock;
    Tokens tokens;
    at_once([&](std::uint32_t) {
        for (int turn = 0; turn < kTurns; ++turn) {
            const std::lock_guard<std::mutex> guard(lock);
            tokens.push_back(draw(shared, kRow, kParams));
        }
    });
    const SamplerHandle alone = own(s2_sampler_new(5));
    for (const std::int32_t token : tokens) CHECK(token == draw(alone, kRow, kParams));
}

// A handle that nobody changes may be read by all.
void one_handle_read_by_all() {
    const SamplerHandle shared = own(s2_sampler_new(6));
    draw(shared, kRow, kParams);
    const State state = save(shared);
    at_once([&](std::uint32_t) {
        for (int turn = 0; turn < kTurns; ++turn) {
            CHECK(save(shared) == state && s2_sampler_get_seed(shared.get()) == 6);
            CHECK(save(own(s2_sampler_clone(shared.get()))) == state);
        }
    });
}

}  // namespace

// With an argument, what the library finds out once is found out before there are threads: for tools that do
// not know its atomic operations and would call them races.
int main(int argc, char **) {
    if (argc > 1) CHECK(own(s2_sampler_new_random()) != nullptr && new_stream(1) != nullptr);
    together_as_alone();
    one_handle_in_turn();
    one_handle_read_by_all();
}
