// Times the plain full-sort sampler, the library and the bare pass over one row after the other.
//
// One line for each row, job and subject goes to stdout: row,n,job,state,subject,nanoseconds, the last
// a list with one entry for each round. The subjects take turns within a round, so that whatever slows
// the machine down slows all of them, and ratios are made round by round.
#include "max_pass.hpp"
#include "rows.hpp"
#include "../../c_tests/engine/include/s2_sampler.h"

#include <s2sampler.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace s2 {
void seed_sampler(uint32_t seed); // of the plain sampler
}

namespace {

using Times = std::vector<double>;

constexpr uint32_t SEED = 42;
constexpr int CHECKED_DRAWS = 5;
constexpr size_t COLD_ROUNDS = 15;
constexpr double LEAST_BATCH_NS = 1.5e6;

struct Job {
    const char * name;
    ::SamplerParams params;
};

constexpr Job DEFAULT = {"default", {0.8f, 0.8f, 30}};
constexpr Job NUCLEUS = {"nucleus", {0.8f, 0.9f, 0}};
constexpr Job GREEDY = {"greedy", {0.0f, 0.8f, 30}};

using Logits = std::vector<float>;

int32_t library(const Logits & row, const Job & job) {
    return s2_sample_token(row.data(), static_cast<int32_t>(row.size()), &job.params);
}

int32_t plain(const Logits & row, const Job & job) {
    s2::SamplerParams same;
    same.temperature = job.params.temperature;
    same.top_p = job.params.top_p;
    same.top_k = job.params.top_k;
    return s2::sample_token(row.data(), static_cast<int32_t>(row.size()), same);
}

float bare(const Logits & row) {
    return s2_bench_max_pass(row.data(), row.size());
}

// Keeps a result alive, so that its computation stays.
template <class T>
void use(const T & value) {
    asm volatile("" : : "g"(&value) : "memory");
}

// Two clocks. The thread's own leaves out the time in which another process had the CPU, which would
// burden the long calls and not the short ones; the wall's costs less to read, and threads that wait for
// each other would show on it alone.
double thread_ns() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}
double wall_ns() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::nano>(now).count();
}

using Clock = double (*)();

template <class Call>
double once_ns(Clock clock, const Logits & sample, const Call & call) {
    const double start = clock();
    use(call(sample));
    return clock() - start;
}

// Nanoseconds for one call over the samples in turn, after a turn that brings them into the caches.
template <class Call>
double batch_ns(Clock clock, const Row & row, const Call & call) {
    double guess = LEAST_BATCH_NS;
    for (const Logits & sample : row.samples) {
        guess = std::min(guess, once_ns(wall_ns, sample, call));
    }
    guess = std::max(std::min(guess, once_ns(wall_ns, row.samples.front(), call)), 10.0);
    const size_t turns = 1 + static_cast<size_t>(LEAST_BATCH_NS / guess) / row.samples.size();
    const double start = clock();
    for (size_t turn = 0; turn < turns; ++turn) {
        for (const Logits & sample : row.samples) {
            use(call(sample));
        }
    }
    return (clock() - start) / static_cast<double>(turns * row.samples.size());
}

void print(const Row & row, const Job & job, const char * state, const char * subject,
           const Times & times) {
    std::printf("%s,%zu,%s,%s,%s,", row.name.c_str(), row.length(), job.name, state, subject);
    for (size_t i = 0; i < times.size(); ++i) {
        std::printf(i == 0 ? "%.1f" : " %.1f", times[i]);
    }
    std::printf("\n");
    std::fflush(stdout);
}

[[noreturn]] void fail(const Row & row, const char * what) {
    std::fprintf(stderr, "%s, %zu logits: %s\n", row.name.c_str(), row.length(), what);
    std::exit(1);
}

// Tokens of both samplers, and the bare pass's result, before anything of the row is timed.
void check(const Row & row, const Job & job) {
    s2::seed_sampler(SEED);
    s2_seed_thread(SEED);
    for (const Logits & sample : row.samples) {
        for (int i = 0; i < CHECKED_DRAWS; ++i) {
            if (plain(sample, job) != library(sample, job)) {
                fail(row, "the tokens differ");
            }
        }
        if (bare(sample) != *std::max_element(sample.begin(), sample.end())) {
            fail(row, "the bare pass is wrong");
        }
    }
}

void in_cache(const Row & row, const Job & job, int rounds) {
    const auto sort = [&](const Logits & sample) { return plain(sample, job); };
    const auto draw = [&](const Logits & sample) { return library(sample, job); };
    Times sorts, draws, passes;
    for (int round = 0; round < rounds; ++round) {
        sorts.push_back(batch_ns(thread_ns, row, sort));
        draws.push_back(batch_ns(thread_ns, row, draw));
        passes.push_back(batch_ns(thread_ns, row, bare));
    }
    print(row, job, "cache", "full sort", sorts);
    print(row, job, "cache", "s2sampler", draws);
    print(row, job, "cache", "max pass", passes);
}

// Single calls, each after every cache was filled with something else.
void cold(const Row & row, const Job & job) {
    static std::vector<unsigned char> other(size_t{128} << 20);
    const auto evict = [] {
        for (size_t i = 0; i < other.size(); i += 64) {
            ++other[i];
        }
        use(other[0]);
    };
    const auto sort = [&](const Logits & sample) { return plain(sample, job); };
    const auto draw = [&](const Logits & sample) { return library(sample, job); };
    Times sorts, draws, passes;
    for (size_t round = 0; round < COLD_ROUNDS; ++round) {
        const Logits & sample = row.samples[round % row.samples.size()];
        evict();
        sorts.push_back(once_ns(thread_ns, sample, sort));
        evict();
        draws.push_back(once_ns(wall_ns, sample, draw));
        evict();
        passes.push_back(once_ns(wall_ns, sample, bare));
    }
    print(row, job, "cold", "full sort", sorts);
    print(row, job, "cold", "s2sampler", draws);
    print(row, job, "cold", "max pass", passes);
}

// Nanoseconds for one call of each thread, while `threads` of them draw from rows of their own.
double together_ns(const Row & row, const Job & job, int threads) {
    std::atomic<int> ready{0};
    Times each(static_cast<size_t>(threads));
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t) {
        running.emplace_back([&, t] {
            const Row own = row;
            s2_seed_thread(SEED + static_cast<uint32_t>(t));
            const auto draw = [&](const Logits & sample) { return library(sample, job); };
            use(batch_ns(wall_ns, own, draw));
            ++ready;
            while (ready < threads) {
            }
            Times times;
            for (int i = 0; i < 5; ++i) {
                times.push_back(batch_ns(wall_ns, own, draw));
            }
            std::sort(times.begin(), times.end());
            each[static_cast<size_t>(t)] = times[2];
        });
    }
    double sum = 0.0;
    for (int t = 0; t < threads; ++t) {
        running[static_cast<size_t>(t)].join();
        sum += each[static_cast<size_t>(t)];
    }
    return sum / threads;
}

void threads(const Row & row, const Job & job, int rounds) {
    Times one, two;
    for (int round = 0; round < rounds; ++round) {
        one.push_back(together_ns(row, job, 1));
        two.push_back(together_ns(row, job, 2));
    }
    print(row, job, "1 thread", "s2sampler", one);
    print(row, job, "2 threads", "s2sampler", two);
}

bool is(const Row & row, const char * name, size_t n) {
    return row.name == name && row.length() == n;
}

void run(int rounds, const std::vector<std::string> & directories) {
    std::printf("row,n,job,state,subject,nanoseconds\n");
    std::vector<Row> rows = made_rows();
    for (Row & row : real_rows(directories)) {
        rows.push_back(std::move(row));
    }
    for (const Row & row : rows) {
        for (const Job & job : {DEFAULT, NUCLEUS, GREEDY}) {
            check(row, job);
            in_cache(row, job, rounds);
        }
    }
    for (const Row & row : rows) {
        if (row.name == "normal" || row.name == "real:row27") {
            cold(row, DEFAULT);
            threads(row, DEFAULT, rounds);
        }
        if (is(row, "flat", 155776)) {
            cold(row, NUCLEUS);
            threads(row, NUCLEUS, rounds);
        }
    }
}

}

int main(int argc, char ** argv) {
    if (argc == 2 && std::strcmp(argv[1], "about") == 0) {
        std::printf("%s, the bare pass %s\n", s2_simd_level(), s2_bench_max_pass_name());
        return 0;
    }
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 0;
    if (rounds < 1 || argc < 3) {
        std::fprintf(stderr, "usage: %s ROUNDS DIRECTORY..., each with .f32 rows; or: about\n", argv[0]);
        return 2;
    }
    try {
        run(rounds, {argv + 2, argv + argc});
    } catch (const std::exception & error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
