// After a fork: what the system seeded differs in the child, what somebody seeded continues alike.
#include <s2sampler.h>

#include "support/check.h"
#include "support/handles.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <utility>

namespace {

using Tokens = std::vector<std::int32_t>;
using Draws = std::function<Tokens()>;

constexpr int kDraws = 16;

// What `draws` gives in a child, told through a pipe.
Tokens in_child(const Draws &draws) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    CHECK(child >= 0);
    Tokens tokens(kDraws);
    const auto bytes = static_cast<ssize_t>(tokens.size() * sizeof tokens[0]);
    if (child == 0) {
        tokens = draws();
        _exit(write(ends[1], tokens.data(), tokens.size() * sizeof tokens[0]) == bytes ? 0 : 1);
    }
    close(ends[1]);
    CHECK(read(ends[0], tokens.data(), tokens.size() * sizeof tokens[0]) == bytes);
    close(ends[0]);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return tokens;
}

Tokens of_thread() {
    const std::vector<float> row(4096, 0.0F);
    const SamplerParams params = {1.0F, 1.0F, 0};
    Tokens tokens;
    for (int i = 0; i < kDraws; ++i) tokens.push_back(s2_sample_token(row.data(), 4096, &params));
    return tokens;
}

Tokens of_stream(S2Stream *stream) {
    const std::vector<float> row(4096, 0.0F);
    const SamplerParams params = {1.0F, 1.0F, 0};
    Tokens tokens;
    for (int i = 0; i < kDraws; ++i) tokens.push_back(s2_stream_slow(stream, row.data(), 4096, &params, 0));
    return tokens;
}

// Two children and the parent draw the same; the parent is not disturbed.
void continues_alike(const char *what, const Draws &draws) {
    draws();
    const Tokens child = in_child(draws);
    CHECK_CASE(in_child(draws) == child, "%s: two children differ", what);
    CHECK_CASE(draws() == child, "%s: parent and child differ", what);
}

// Equal by chance once in 2^32, each time: then the system gave the same seed twice.
void differs(const char *what, const Draws &draws) {
    const Tokens first = in_child(draws);
    const Tokens second = in_child(draws);
    const Tokens grandchild = in_child([&draws] { return in_child(draws); });
    // The child draws itself before it forks again.
    const Tokens after_drawing = in_child([&draws] {
        const Tokens own_tokens = draws();
        const Tokens below = in_child(draws);
        return below == own_tokens || below == draws() ? Tokens(kDraws) : below;
    });
    const Tokens parent = draws();
    const Tokens all[] = {first, second, grandchild, after_drawing, parent, Tokens(kDraws)};
    for (const Tokens &one : all) {
        for (const Tokens &other : all) CHECK_CASE(&one == &other || one != other, "%s", what);
        for (const std::int32_t token : one) CHECK(token >= 0);
    }
}

Tokens of_ranges(S2Sampler *sampler) {
    const std::vector<float> row(4096, 0.0F);
    const SamplerParams params = {1.0F, 1.0F, 0};
    const S2TokenRange everything = {0, 4095};
    Tokens tokens;
    for (int i = 0; i < kDraws; ++i) {
        tokens.push_back(s2_sampler_sample_ranges(sampler, row.data(), 4096, &everything, 1, &params));
    }
    return tokens;
}

void samplers() {
    const SamplerHandle random = own(s2_sampler_new_random());
    differs("a handle that has not drawn", [&] { return draws_among_equals(random, kDraws); });
    differs("a handle in mid-stream", [&] { return draws_among_equals(random, kDraws); });
    differs("a handle with ranges", [&] { return of_ranges(random.get()); });
    const SamplerHandle clone = own(s2_sampler_clone(random.get()));
    differs("a clone of such a handle", [&] { return draws_among_equals(clone, kDraws); });

    // The seed that the child took can be told and replayed there.
    const Tokens replayed = in_child([&] {
        const Tokens tokens = draws_among_equals(random, kDraws);
        const SamplerHandle again = own(s2_sampler_new(s2_sampler_get_seed(random.get())));
        return draws_among_equals(again, kDraws) == tokens ? Tokens(kDraws, 1) : tokens;
    });
    CHECK(replayed == Tokens(kDraws, 1));

    const SamplerHandle seeded = own(s2_sampler_new(1));
    continues_alike("a seeded handle", [&] { return draws_among_equals(seeded, kDraws); });
    const SamplerHandle restored = own(s2_sampler_new_random());
    const State state = save(random);
    CHECK(s2_sampler_restore(restored.get(), state.data(), state.size()) == 0);
    continues_alike("a restored handle", [&] { return draws_among_equals(restored, kDraws); });
    s2_sampler_seed(random.get(), 5);
    continues_alike("a handle that the system seeded first",
                    [&] { return draws_among_equals(random, kDraws); });
}

void streams() {
    S2StreamConfig config;
    s2_stream_config_init(&config);
    config.semantic_last = 4095;
    const StreamHandle stream = own(s2_stream_new_random(&config));
    differs("a stream that has not drawn", [&] { return of_stream(stream.get()); });
    differs("a stream in mid-utterance", [&] { return of_stream(stream.get()); });
    s2_stream_reset(stream.get(), 6);
    const StreamHandle seeded = own(s2_stream_new(7, &config));
    continues_alike("a seeded stream", [&] { return of_stream(seeded.get()); });
    continues_alike("a stream that the system seeded first", [&] { return of_stream(stream.get()); });
}

void threads() {
    differs("an unseeded thread", of_thread);
    differs("an unseeded thread in mid-stream", of_thread);
    s2_seed_thread(9);
    continues_alike("a seeded thread", of_thread);
}

}  // namespace

// Each of the three must by itself have the library hear of forks: argv[1] says which comes first.
int main(int argc, char **argv) {
    CHECK(argc == 2);
    const std::string first = argv[1];
    // A handle from before the library hears of forks.
    const SamplerHandle seeded = own(s2_sampler_new(1));
    continues_alike("a seeded handle before all", [&] { return draws_among_equals(seeded, kDraws); });
    const std::pair<std::string, void (*)()> parts[] = {
        {"sampler", samplers}, {"stream", streams}, {"thread", threads}};
    int firsts = 0;
    for (const bool turn : {true, false}) {
        for (const auto &[name, part] : parts) {
            if ((name == first) != turn) continue;
            part();
            firsts += turn;
        }
    }
    CHECK(firsts == 1);
    continues_alike("a seeded handle after all", [&] { return draws_among_equals(seeded, kDraws); });
}
