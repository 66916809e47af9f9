// A fork while threads draw: the child, which has only the thread that forked, draws as after any fork,
// and does not wait for what the others were in the middle of.
#include <s2sampler.h>

#include "support/check.h"
#include "support/rows.hpp"
#include "support/ways.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

constexpr unsigned kPatience = 20;  // seconds: a child that waits for a thread it does not have

// Runs `body` in a child, which must come to an end by itself.
template <class Body>
void in_child(const char *what, int number, Body body) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(kPatience);
        body();
        _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_CASE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s, child %d, status %d", what, number,
               status);
}

using Tokens = std::vector<std::int32_t>;

Tokens in_every_way(const Drawing &drawing) {
    Tokens tokens;
    for (const Way &way : kWays) {
        for (int i = 0; i < 4; ++i) tokens.push_back(way.draw(drawing));
    }
    return tokens;
}

void while_threads_draw() {
    const std::vector<float> row = bell(3000, 0x1p-19F, 6);
    const SamplerParams params = {1.0F, 0.95F, 0};
    std::atomic<bool> enough{false};
    std::atomic<int> rounds{0};
    std::vector<std::thread> threads;
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
        threads.emplace_back([&, seed] {
            while (!enough) {
                const Generators generators(seed);
                for (int i = 0; i < 20; ++i) in_every_way(generators.from(row.data(), 3000, params));
                own(s2_sampler_new_random());
                ++rounds;
            }
        });
    }
    while (rounds < 8) std::this_thread::yield();
    const Generators alone(5);
    const Tokens expected = in_every_way(alone.from(row.data(), 3000, params));
    const Generators generators(5);
    const SamplerHandle random = own(s2_sampler_new_random());
    for (int i = 0; i < 60; ++i) {
        in_child("threads draw", i, [&] {
            CHECK(in_every_way(generators.from(row.data(), 3000, params)) == expected);
            const std::uint32_t seed = s2_sampler_get_seed(random.get());
            CHECK(draw(random, row, params) >= 0);
            CHECK(s2_sampler_get_seed(random.get()) != seed);  // equal by chance once in 2^32
            std::thread([&] {
                const Generators anew(5);
                CHECK(in_every_way(anew.from(row.data(), 3000, params)) == expected);
            }).join();
        });
    }
    enough = true;
    for (std::thread &thread : threads) thread.join();
    CHECK(in_every_way(generators.from(row.data(), 3000, params)) == expected);
}

// In processes in which the library has done nothing yet: the fork comes upon its first calls.
void while_a_thread_calls_first() {
    for (int i = 0; i < 400; ++i) {
        in_child("first calls", i, [i] {
            std::atomic<bool> started{false};
            std::thread thread([&] {
                started = true;
                const float row[] = {0.0F, 1.0F};
                CHECK(s2_sample_token(row, 2, nullptr) >= 0);
                own(s2_sampler_new_random());
            });
            while (!started) {
            }
            // A little later each time.
            for (volatile int wait = 0; wait < i * 10; wait = wait + 1) {
            }
            in_child("a first call in the middle", i, [] {
                const float row[] = {0.0F, 1.0F};
                CHECK(s2_sample_token(row, 2, nullptr) >= 0);
                CHECK(s2_simd_level() != nullptr);
                const SamplerHandle random = own(s2_sampler_new_random());
                CHECK(draw(random, {0.0F, 0.0F}, {1.0F, 1.0F, 0}) >= 0);
            });
            thread.join();
        });
    }
}

}  // namespace

int main() {
    while_a_thread_calls_first();  // before the library is used in this process
    while_threads_draw();
}
