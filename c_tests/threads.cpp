// Eight threads at once: each stream is the same as that stream alone. And what a thread does that
// was never seeded, or seeds again.
#include <s2sampler.h>

#include "support/check.h"
#include "support/rows.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace {

constexpr unsigned kThreads = 8;
constexpr int kDraws = 3000;

using Tokens = std::vector<std::int32_t>;

// Each thread has rows, lengths and parameters of its own, so that a mix-up shows.
Tokens stream(unsigned number) {
    s2_seed_thread(1000 + number);
    std::vector<std::vector<float>> rows;
    for (unsigned i = 0; i < 8; ++i) rows.push_back(peaky(100 + 331 * i + number, 0x1p-19F, number * 8 + i));
    Tokens tokens;
    for (int i = 0; i < kDraws; ++i) {
        const std::vector<float> &row = rows[static_cast<unsigned>(i) % rows.size()];
        const SamplerParams params = {0.5F + 0.1F * static_cast<float>(number), 0.95F, i % 3 == 0 ? 0 : 40};
        tokens.push_back(s2_sample_token(row.data(), static_cast<std::int32_t>(row.size()), &params));
    }
    return tokens;
}

Tokens draws_among_equals(int count) {
    const std::vector<float> row(4096, 0.0F);
    const SamplerParams params = {1.0F, 1.0F, 0};
    Tokens tokens;
    for (int i = 0; i < count; ++i) tokens.push_back(s2_sample_token(row.data(), 4096, &params));
    return tokens;
}

void together_as_alone() {
    std::vector<Tokens> alone(kThreads);
    for (unsigned i = 0; i < kThreads; ++i) std::thread([&, i] { alone[i] = stream(i); }).join();

    std::vector<Tokens> together(kThreads);
    std::atomic<unsigned> ready{0};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            ++ready;
            while (ready.load() < kThreads) std::this_thread::yield();
            together[i] = stream(i);
        });
    }
    for (std::thread &thread : threads) thread.join();
    for (unsigned i = 0; i < kThreads; ++i) {
        CHECK_CASE(together[i] == alone[i], "thread %u", i);
        CHECK_CASE(i == 0 || alone[i] != alone[0], "thread %u", i);
    }
}

// Equal by chance once in 2^32: then the system gave the same seed twice.
void unseeded_threads_differ() {
    Tokens first;
    Tokens second;
    std::thread([&] { first = draws_among_equals(32); }).join();
    std::thread([&] { second = draws_among_equals(32); }).join();
    for (const std::int32_t token : first) CHECK(token >= 0);
    CHECK(first != second);
}

void seeding_again_starts_again_and_only_here() {
    s2_seed_thread(42);
    const Tokens all = draws_among_equals(20);
    s2_seed_thread(42);
    Tokens halves = draws_among_equals(10);
    std::thread([] { s2_seed_thread(43); draws_among_equals(5); }).join();
    for (const std::int32_t token : draws_among_equals(10)) halves.push_back(token);
    CHECK(halves == all);
}

}  // namespace

int main() {
    together_as_alone();
    unseeded_threads_differ();
    seeding_again_starts_again_and_only_here();
}
