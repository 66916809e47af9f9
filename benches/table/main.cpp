// Times the library through its C header beside a plain full sort and the bare pass.
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
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace s2 {
void seed_sampler(uint32_t seed); // of the plain sampler
}

namespace {

using Logits = std::vector<float>;
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
constexpr Job TEXT = {"text", {1.0f, 0.95f, 0}};
constexpr Job WIDE = {"wide k", {0.8f, 0.77f, 132888}};
constexpr Job GREEDY = {"greedy", {0.0f, 0.8f, 30}};

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
using Call = std::function<void(const Logits &)>;

struct Subject {
    const char * name;
    Call call;
};

double once_ns(Clock clock, const Logits & sample, const Call & call) {
    const double start = clock();
    call(sample);
    return clock() - start;
}

// What reading the wall's clock adds to a single call.
double reading_ns() {
    Times all;
    for (int i = 0; i < 101; ++i) {
        all.push_back(once_ns(wall_ns, {}, [](const Logits &) {}));
    }
    std::nth_element(all.begin(), all.begin() + 50, all.end());
    return all[50];
}

// How many turns over the samples make a batch that is long enough; this warms the caches too.
size_t turns_of(const Row & row, const Call & call) {
    double guess = LEAST_BATCH_NS;
    for (const Logits & sample : row.samples) {
        guess = std::min(guess, once_ns(wall_ns, sample, call));
    }
    guess = std::max(std::min(guess, once_ns(wall_ns, row.samples.front(), call)), 10.0);
    return 1 + static_cast<size_t>(LEAST_BATCH_NS / guess) / row.samples.size();
}

// Nanoseconds for one call over the samples in turn.
double batch_ns(Clock clock, const Row & row, size_t turns, const Call & call) {
    const double start = clock();
    for (size_t turn = 0; turn < turns; ++turn) {
        for (const Logits & sample : row.samples) {
            call(sample);
        }
    }
    return (clock() - start) / static_cast<double>(turns * row.samples.size());
}

void print(const Row & row, const char * job, const char * state, const char * subject,
           const Times & times) {
    std::printf("%s,%zu,%s,%s,%s,", row.name.c_str(), row.length(), job, state, subject);
    for (size_t i = 0; i < times.size(); ++i) {
        std::printf(i == 0 ? "%.1f" : " %.1f", times[i]);
    }
    std::printf("\n");
    std::fflush(stdout);
}

[[noreturn]] void fail(const Row & row, const std::string & what) {
    std::fprintf(stderr, "%s, %zu logits: %s\n", row.name.c_str(), row.length(), what.c_str());
    std::exit(1);
}

void need(bool holds, const Row & row, const std::string & what) {
    if (!holds) {
        fail(row, what);
    }
}

std::vector<Subject> subjects(const Job & job) {
    return {
        {"full sort", [job](const Logits & sample) { use(plain(sample, job)); }},
        {"s2sampler", [job](const Logits & sample) { use(library(sample, job)); }},
        {"max pass", [](const Logits & sample) { use(bare(sample)); }},
    };
}

// Tokens of both samplers, and the bare pass's result, before anything of the row is timed.
void check(const Row & row, const Job & job) {
    s2::seed_sampler(SEED);
    s2_seed_thread(SEED);
    for (const Logits & sample : row.samples) {
        for (int i = 0; i < CHECKED_DRAWS; ++i) {
            need(plain(sample, job) == library(sample, job), row, "the tokens differ");
        }
        need(bare(sample) == *std::max_element(sample.begin(), sample.end()), row, "the bare pass is wrong");
    }
}

void hot(const Row & row, const char * job, const char * state, const std::vector<Subject> & all, int rounds) {
    std::vector<size_t> turns;
    for (const Subject & subject : all) {
        turns.push_back(turns_of(row, subject.call));
    }
    std::vector<Times> times(all.size());
    for (int round = 0; round < rounds; ++round) {
        for (size_t i = 0; i < all.size(); ++i) {
            times[i].push_back(batch_ns(thread_ns, row, turns[i], all[i].call));
        }
    }
    for (size_t i = 0; i < all.size(); ++i) {
        print(row, job, state, all[i].name, times[i]);
    }
}

// Single calls on one row after the other. A row is read right before, as if this core had just written it, but
// branches and memory are what other rows left.
void in_turn(const std::vector<Row> & rows, const Job & job, int rounds) {
    const double reading = reading_ns();
    std::vector<Subject> all = subjects(job);
    all.erase(all.begin()); // without the full sort, which needs no such care
    for (const Subject & subject : all) {
        std::vector<Times> times(rows.size());
        for (int round = -1; round < rounds; ++round) {
            for (size_t i = 0; i < rows.size(); ++i) {
                const Logits & sample = rows[i].samples.front();
                use(bare(sample));
                const double ns = once_ns(wall_ns, sample, subject.call) - reading;
                if (round >= 0) { // the first round is for warming up
                    times[i].push_back(ns);
                }
            }
        }
        for (size_t i = 0; i < rows.size(); ++i) {
            print(rows[i], job.name, "in turn", subject.name, times[i]);
        }
    }
}

// Single calls, each after every cache was filled with something else.
void cold(const Row & row, const Job & job) {
    static std::vector<unsigned char> other(size_t{128} << 20);
    const std::vector<Subject> all = subjects(job);
    std::vector<Times> times(all.size());
    for (size_t round = 0; round < COLD_ROUNDS; ++round) {
        for (size_t subject = 0; subject < all.size(); ++subject) {
            for (size_t i = 0; i < other.size(); i += 64) {
                ++other[i];
            }
            use(other[0]);
            const Logits & sample = row.samples[round % row.samples.size()];
            const Clock clock = subject == 0 ? thread_ns : wall_ns;
            times[subject].push_back(once_ns(clock, sample, all[subject].call));
        }
    }
    for (size_t i = 0; i < all.size(); ++i) {
        print(row, job.name, "cold", all[i].name, times[i]);
    }
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
            const Call draw = [&](const Logits & sample) { use(library(sample, job)); };
            const size_t turns = turns_of(own, draw);
            ++ready;
            while (ready < threads) {
            }
            Times times;
            for (int i = 0; i < 5; ++i) {
                times.push_back(batch_ns(wall_ns, own, turns, draw));
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
    print(row, job.name, "1 thread", "s2sampler", one);
    print(row, job.name, "2 threads", "s2sampler", two);
}

// --- Chains -------------------------------------------------------------------------------------

struct Recipe {
    const char * name;
    std::vector<std::function<int32_t(S2Chain *)>> stages;
};

std::vector<Recipe> recipes() {
    const auto top_k = [](S2Chain * c) { return s2_chain_add_top_k(c, 40); };
    const auto top_p = [](float p) { return [p](S2Chain * c) { return s2_chain_add_top_p(c, p, 1); }; };
    const auto min_p = [](S2Chain * c) { return s2_chain_add_min_p(c, 0.05f, 1); };
    const auto typical = [](S2Chain * c) { return s2_chain_add_typical(c, 0.9f, 1); };
    const auto sigma = [](S2Chain * c) { return s2_chain_add_top_n_sigma(c, 1.0f); };
    const auto xtc = [](S2Chain * c) { return s2_chain_add_xtc(c, 1.0f, 0.1f, 1, SEED); };
    const auto t = [](S2Chain * c) { return s2_chain_add_temperature(c, 0.8f); };
    const auto ext = [](S2Chain * c) { return s2_chain_add_temperature_ext(c, 0.8f, 0.5f, 1.0f); };
    const auto dist = [](S2Chain * c) { return s2_chain_add_dist(c, SEED); };
    const auto mirostat = [](S2Chain * c) { return s2_chain_add_mirostat(c, SEED, 5.0f, 0.1f, 100); };
    const auto mirostat_v2 = [](S2Chain * c) { return s2_chain_add_mirostat_v2(c, SEED, 5.0f, 0.1f); };
    return {
        {"k 40 + p .95 + min_p .05 + T .8 + dist", {top_k, top_p(0.95f), min_p, t, dist}},
        {"p .9 + T .8 + dist", {top_p(0.9f), t, dist}},
        {"T .8 + dist", {t, dist}},
        {"typical .9 + T .8 + dist", {typical, t, dist}},
        {"sigma 1 + T .8 + dist", {sigma, t, dist}},
        {"xtc + T .8 + dist", {xtc, t, dist}},
        {"temperature_ext + dist", {ext, dist}},
        {"mirostat", {mirostat}},
        {"mirostat_v2", {mirostat_v2}},
        {"typical .9 + p .9 + T .8 + mirostat", {typical, top_p(0.9f), t, mirostat}},
    };
}

class Chain {
public:
    Chain(const Row & row, const Recipe & recipe) : row_(row), chain_(s2_chain_new()) {
        need(chain_ != nullptr, row, recipe.name);
        for (const auto & add : recipe.stages) {
            need(add(chain_) >= 0, row, recipe.name);
        }
    }
    ~Chain() { s2_chain_free(chain_); }
    Chain(const Chain &) = delete;
    Chain & operator=(const Chain &) = delete;

    int32_t draw(const Logits & logits) const {
        const int32_t token = s2_chain_sample(chain_, logits.data(), static_cast<int32_t>(logits.size()));
        need(token >= 0, row_, "a chain draws no token");
        return token;
    }

    // Applies the stages to an array, and returns the id that they select, if any.
    int32_t apply(std::vector<S2TokenData> & entries, bool sorted) const {
        S2TokenDataArray array = {entries.data(), entries.size(), -1, sorted};
        need(s2_chain_apply(chain_, &array) == 0, row_, "a chain fails on an array");
        return array.selected < 0 ? -1 : array.data[array.selected].id;
    }

    void accept(int32_t token) const { need(s2_chain_accept(chain_, token) == 0, row_, "no memory"); }

private:
    const Row & row_;
    S2Chain * chain_;
};

std::vector<S2TokenData> array_of(const Logits & row) {
    std::vector<S2TokenData> array;
    for (size_t i = 0; i < row.size(); ++i) {
        array.push_back({static_cast<int32_t>(i), row[i], 0.0f});
    }
    return array;
}

// Chains on the row, beside the sort of a plain draw. On an array they select the same tokens.
void chains(const Row & row, int rounds) {
    const std::vector<S2TokenData> array = array_of(row.samples.front());
    std::vector<Subject> all = subjects(DEFAULT);
    for (const Recipe & recipe : recipes()) {
        const Chain chain(row, recipe), other(row, recipe);
        for (int i = 0; i < CHECKED_DRAWS; ++i) {
            std::vector<S2TokenData> entries = array;
            const int32_t token = other.apply(entries, false);
            other.accept(token);
            need(chain.draw(row.samples.front()) == token, row, "the row's token is not the array's");
        }
        all[1].call = [&](const Logits & sample) { use(chain.draw(sample)); };
        hot(row, recipe.name, "chain", all, rounds);
    }
}

// Single calls on an array that is copied anew before each.
void arrays(const Row & row, int rounds) {
    const std::vector<Recipe> some = {
        {"top_k 40", {[](S2Chain * c) { return s2_chain_add_top_k(c, 40); }}},
        {"top_k 40", {[](S2Chain * c) { return s2_chain_add_top_k(c, 40); }}},
        recipes().front(),
    };
    const double reading = reading_ns();
    for (const Recipe & recipe : some) {
        const bool sorted = &recipe == &some[1];
        std::vector<S2TokenData> array = array_of(row.samples.front());
        if (sorted) {
            std::stable_sort(array.begin(), array.end(), [](const S2TokenData & a, const S2TokenData & b) {
                return a.logit > b.logit;
            });
        }
        const Chain chain(row, recipe);
        Times times;
        std::vector<S2TokenData> entries = array;
        for (int round = 0; round < rounds; ++round) {
            double least = 1e12;
            for (int i = 0; i < 20; ++i) {
                entries = array;
                const double start = wall_ns();
                use(chain.apply(entries, sorted));
                least = std::min(least, wall_ns() - start - reading);
            }
            times.push_back(least);
        }
        print(row, recipe.name, sorted ? "sorted array" : "array", "s2sampler", times);
    }
}

// --- All of it ----------------------------------------------------------------------------------

void run(int rounds, const std::vector<std::string> & directories) {
    std::printf("row,n,job,state,subject,nanoseconds\n");
    const auto is_speech = [](const Row & row) { return row.length() <= SPEECH; };
    std::vector<Row> real = real_rows(directories);
    const std::vector<Row> sorted = sorted_rows();
    std::vector<Row> rows = made_rows();
    rows.insert(rows.end(), sorted.begin(), sorted.end());
    for (const Row & row : rows) {
        for (const Job & job : {DEFAULT, NUCLEUS, WIDE, GREEDY}) {
            check(row, job);
            hot(row, job.name, "hot", subjects(job), rounds);
        }
    }
    for (const Row & row : real) {
        for (const Job & job : {is_speech(row) ? DEFAULT : TEXT, GREEDY}) {
            check(row, job);
            hot(row, job.name, "hot", subjects(job), rounds);
        }
    }
    const auto text = std::stable_partition(real.begin(), real.end(), is_speech);
    in_turn({real.begin(), text}, DEFAULT, 3 * rounds);
    in_turn({text, real.end()}, TEXT, 3 * rounds);
    in_turn(masked_rows(), DEFAULT, 3 * rounds);
    for (const Row & row : rows) {
        if (row.name == "normal" && row.length() == 131072) {
            arrays(row, rounds);
        } else if (row.name == "normal") {
            cold(row, DEFAULT);
            threads(row, DEFAULT, rounds);
        }
        if (row.name == "normal" && row.length() == SPEECH) {
            chains(row, rounds);
        }
    }
    for (const Row & row : sorted) {
        chains(row, rounds);
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
