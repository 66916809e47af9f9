// Where memory lacks there is a status or NULL: nothing ends the process, and nothing is lost.
#include <s2sampler.h>

#include "support/check.h"
#include "support/handles.hpp"
#include "support/rows.hpp"
#include "support/ways.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <limits>
#include <string>
#include <thread>

// glibc's own entry points, which the replacements hand on to.
extern "C" {
void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t count, std::size_t size);
void *__libc_realloc(void *old, std::size_t size);
void __libc_free(void *block);
}

namespace {

// How many further allocations succeed, and whether what is freed makes room for others.
long left = std::numeric_limits<long>::max();
bool gives_back = false;
long failed = 0;

bool refuses() {
    const bool refused = left-- <= 0;
    failed += refused;
    return refused;
}

}  // namespace

extern "C" {

void *malloc(std::size_t size) { return refuses() ? nullptr : __libc_malloc(size); }
void *calloc(std::size_t count, std::size_t size) { return refuses() ? nullptr : __libc_calloc(count, size); }
void *realloc(void *old, std::size_t size) { return refuses() ? nullptr : __libc_realloc(old, size); }

void free(void *block) {
    left += gives_back && block != nullptr;
    __libc_free(block);
}

}  // extern "C"

namespace {

// Runs `call` with room for no allocation, then for one, and so on until none is refused; the number of
// runs in which one was.
template <class Call>
int starve(Call call) {
    for (long room = 0;; ++room) {
        left = room;
        failed = 0;
        const bool done = call();
        left = std::numeric_limits<long>::max();
        CHECK_CASE(done == (failed == 0), "room for %ld", room);
        if (done) return static_cast<int>(room);
        CHECK(room < 100);
    }
}

// In a process of its own, where the library has done nothing yet, with room for `room` blocks at a time.
//
// At its first draw on a thread the library has the C library note a destructor, and glibc ends the process
// where it lacks the few bytes for that. The library makes sure that they are there, and cannot if they are
// refused although they were just freed.
template <class Call>
void first_of_the_process(const char *what, long room, Call call) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        gives_back = true;
        left = room;
        const bool fine = call();
        left = std::numeric_limits<long>::max();
        _exit(fine ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_CASE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s, room for %ld", what, room);
}

void first_calls() {
    static const float row[] = {0.0F, 1.0F, 0.5F};
    for (long room = 0; room < 20; ++room) {
        first_of_the_process("s2_sample_token", room, [] {
            const std::int32_t token = s2_sample_token(row, 3, nullptr);
            return (token >= 0 && token < 3) || token == S2_ERROR_OUT_OF_MEMORY;
        });
        first_of_the_process("s2_sampler_new_random", room, [] {
            S2Sampler *const made = s2_sampler_new_random();
            const std::int32_t token = made == nullptr ? 0 : s2_sampler_sample(made, row, 3, nullptr);
            return (token >= 0 && token < 3) || token == S2_ERROR_OUT_OF_MEMORY;
        });
        first_of_the_process("s2_simd_level", room, [] { return s2_simd_level() != nullptr && failed == 0; });
    }
}

void handles_are_null() {
    S2StreamConfig config;
    s2_stream_config_init(&config);
    config.semantic_last = 9;
    const SamplerHandle sampler = own(s2_sampler_new(1));
    const StreamHandle stream = own(s2_stream_new(1, &config));
    const auto sampler_is_made = [](S2Sampler *made) {
        s2_sampler_free(made);
        return made != nullptr;
    };
    const auto stream_is_made = [](S2Stream *made) {
        s2_stream_free(made);
        return made != nullptr;
    };
    CHECK(starve([&] { return sampler_is_made(s2_sampler_new(1)); }) > 0);
    CHECK(starve([&] { return sampler_is_made(s2_sampler_new_random()); }) > 0);
    CHECK(starve([&] { return sampler_is_made(s2_sampler_clone(sampler.get())); }) > 0);
    CHECK(starve([&] { return stream_is_made(s2_stream_new(1, &config)); }) > 1);
    CHECK(starve([&] { return stream_is_made(s2_stream_new_random(&config)); }) > 1);
    CHECK(starve([&] { return stream_is_made(s2_stream_clone(stream.get())); }) > 1);
}

// Adds one stage of each kind that asks for memory by itself, and a draw.
bool add_stages(S2Chain *chain) {
    const S2LogitBias biases[] = {{1, -1.0F}, {0, 1.0F}};
    const std::int32_t tokens[] = {9, 8, 7};
    const std::int32_t lengths[] = {1, 2};
    const std::int32_t indices[] = {
        s2_chain_add_logit_bias(chain, biases, 2), s2_chain_add_penalties(chain, 300, 1.5F, 0.1F, 0.0F),
        s2_chain_add_penalties(chain, -1, 1.5F, 0.1F, 0.0F),
        s2_chain_add_dry(chain, 1.0F, 1.5F, 1, 300, tokens, lengths, 2),
        s2_chain_add_xtc(chain, 0.5F, 1e-30F, 1, 6), s2_chain_add_typical(chain, 0.95F, 2),
        s2_chain_add_dist(chain, 4)};
    for (const std::int32_t index : indices) {
        CHECK(index >= 0 || index == S2_ERROR_OUT_OF_MEMORY);
        if (index < 0) return false;
    }
    return true;
}

void chains_are_statuses() {
    S2PresetParams params;
    CHECK(s2_preset_params_init(&params, S2_PRESET_TEMPERATURE_FIRST) == 0);
    const auto is_made = [](S2Chain *made) {
        s2_chain_free(made);
        return made != nullptr;
    };
    CHECK(starve([&] { return is_made(s2_chain_new()); }) > 0);
    CHECK(starve([&] { return is_made(s2_chain_new_preset(S2_PRESET_TEMPERATURE_FIRST, 1, &params)); }) > 2);

    // A stage that could not be added is not there.
    ChainHandle chain = own(s2_chain_new());
    CHECK(starve([&] {
              chain.reset();
              left += 1;  // for the handle itself
              chain = own(s2_chain_new());
              return add_stages(chain.get());
          }) > 5);
    CHECK(s2_chain_count(chain.get()) == 7);
    // A stage of one's own that could not be added was not taken over, so nothing freed it.
    static int frees = 0;
    S2CustomStage custom;
    s2_custom_stage_init(&custom);
    custom.name = "own";
    custom.apply = [](void *, S2TokenDataArray *) { return 0; };
    custom.clone = [](void *, void **copy) { *copy = nullptr; return 0; };
    custom.free = [](void *) { frees += 1; };
    {
        ChainHandle owner;
        CHECK(starve([&] {
                  S2Chain *const made = s2_chain_new();
                  if (made == nullptr || s2_chain_add_custom(made, &custom) != 0) {
                      s2_chain_free(made);
                      return false;
                  }
                  owner = own(made);
                  return true;
              }) > 1);
        CHECK(frees == 0);
        // A copy that was made is freed, whether or not its chain came to be.
        CHECK(starve([&] { return is_made(s2_chain_clone(owner.get())); }) > 1);
        CHECK(frees > 1);
    }

    // A draw that fails changes nothing, nor does a token that was not accepted, nor a clone.
    const std::vector<float> row(5000, 0.0F);
    const ChainHandle other = own(s2_chain_clone(chain.get()));
    std::int32_t token = -1;
    CHECK(starve([&] {
              token = s2_chain_sample(chain.get(), row.data(), 5000);
              CHECK(token >= 0 || token == S2_ERROR_OUT_OF_MEMORY);
              return token >= 0;
          }) > 3);
    CHECK(token == s2_chain_sample(other.get(), row.data(), 5000));
    // Nor the place of a generator, though xtc takes its word before others ask for memory.
    for (int i = 0; i < 16; ++i) {
        CHECK(s2_chain_sample(chain.get(), row.data(), 5000) == s2_chain_sample(other.get(), row.data(), 5000));
    }
    CHECK(starve([&] { return is_made(s2_chain_clone(chain.get())); }) > 5);
    for (int i = 0; i < 1000; ++i) {
        starve([&] { return s2_chain_accept(chain.get(), i) == 0; });
        CHECK(s2_chain_accept(other.get(), i) == 0);
    }
    std::vector<S2TokenData> tokens;
    for (std::int32_t id = 0; id < 1000; ++id) tokens.push_back({id, 0.0F, 0.0F});
    std::vector<S2TokenData> same = tokens;
    S2TokenDataArray array = {tokens.data(), tokens.size(), 0, false};
    S2TokenDataArray expected = {same.data(), same.size(), 0, false};
    const ChainHandle cold = own(s2_chain_clone(chain.get()));
    CHECK(starve([&] {
              const std::int32_t status = s2_chain_apply(cold.get(), &array);
              CHECK(status == 0 || status == S2_ERROR_OUT_OF_MEMORY);
              if (status < 0) {
                  CHECK(array.size == 1000 && array.selected == -1 && array.data == tokens.data());
                  for (std::int32_t id = 0; id < 1000; ++id) {
                      tokens[static_cast<std::size_t>(id)] = {id, 0.0F, 0.0F};
                  }
              }
              return status == 0;
          }) > 0);
    CHECK(s2_chain_apply(other.get(), &expected) == 0);
    CHECK(array.size == expected.size && array.selected == expected.selected && array.sorted == expected.sorted);
    for (std::size_t i = 0; i < array.size; ++i) {
        CHECK(tokens[i].id == same[i].id && tokens[i].logit == same[i].logit && tokens[i].p == same[i].p);
    }
}

using Tokens = std::vector<std::int32_t>;

// What a thread of its own draws, all but the first of them in plenty of memory.
Tokens on_a_new_thread(const Way &way, const std::vector<float> &row, const SamplerParams &params,
                       const S2StreamConfig &config, bool starved) {
    Tokens tokens;
    std::thread([&] {
        const float two[] = {0.0F, 0.0F};
        CHECK(s2_sample_token(two, 2, nullptr) >= 0);  // the first draw of a thread: see above
        const Generators generators(3, config);
        const Drawing drawing = generators.from(row.data(), static_cast<std::int32_t>(row.size()), params);
        const auto draw = [&] {
            const std::int32_t token = way.draw(drawing);
            CHECK_CASE(token >= 0 || token == S2_ERROR_OUT_OF_MEMORY, "%s: %d", way.name, token);
            return token;
        };
        std::int32_t token = -1;
        if (starved) {
            const int runs = starve([&] { return (token = draw()) >= 0; });
            CHECK_CASE(runs > 0 || row.size() < 100, "%s", way.name);
        } else {
            token = draw();
        }
        tokens.push_back(token);
        for (int i = 0; i < 8; ++i) tokens.push_back(draw());
    }).join();
    for (const std::int32_t token : tokens) CHECK_CASE(token >= 0, "%s", way.name);
    return tokens;
}

// A draw that fails changes nothing: the draws after it are those of a generator that never failed.
void draws_are_statuses() {
    const std::vector<float> equal(5000, 0.0F);
    const SamplerParams all = {1.0F, 1.0F, 0};
    for (const Way &way : kWays) {
        for (const std::vector<float> &row : {equal, bell(5000, 0x1p-19F, 3), bell(20, 0x1p-19F, 3)}) {
            for (const SamplerParams &params : {all, SamplerParams{0.8F, 0.9F, 0}, {1.0F, kNan, 1000}}) {
                const auto tokens = [&](bool starved) {
                    return on_a_new_thread(way, row, params, stream_config(), starved);
                };
                CHECK_CASE(tokens(true) == tokens(false), "%s, %zu logits", way.name, row.size());
            }
        }
    }
    // Where the second of two draws fails the first has taken its words: the next draw need only work.
    S2StreamConfig twice = stream_config();
    twice.ras_mode = S2_RAS_SHARE;
    twice.ras_tau = 0.0F;
    for (const Way &way : kWays) {
        on_a_new_thread(way, bell(5000, 0x1p-19F, 3), {0.8F, 0.9F, 3}, twice, true);
    }
}

// The thread's own stream, seeded by the system, after a first draw that failed.
void an_unseeded_thread() {
    std::thread([] {
        const std::vector<float> row(5000, 0.0F);
        std::int32_t token = -1;
        gives_back = true;
        const int runs = starve([&] { return (token = s2_sample_token(row.data(), 5000, nullptr)) >= 0; });
        gives_back = false;
        CHECK(runs > 0 && token < 5000);
    }).join();
}

void streams_do_not_grow_their_window() {
    const std::vector<float> row(4096, 0.0F);
    const SamplerParams params = {1.0F, 1.0F, 0};
    S2StreamConfig config;
    s2_stream_config_init(&config);
    config.semantic_last = 4095;
    config.ras_window = 300;
    StreamHandle stream = own(s2_stream_new(1, &config));
    CHECK(s2_stream_slow(stream.get(), row.data(), 4096, &params, 0) >= 0);
    const StreamHandle clone = own(s2_stream_clone(stream.get()));
    CHECK(s2_stream_slow(clone.get(), row.data(), 4096, &params, 0) >= 0);
    left = 0;
    failed = 0;
    bool drawn = true;
    for (int i = 0; i < 1000; ++i) {
        drawn &= s2_stream_slow(stream.get(), row.data(), 4096, &params, 0) >= 0;
        drawn &= s2_stream_slow(clone.get(), row.data(), 4096, &params, 0) >= 0;
        drawn &= s2_stream_fast(stream.get(), row.data(), 4096, &params) >= 0;
    }
    s2_stream_reset(stream.get(), 2);
    drawn &= s2_stream_slow(stream.get(), row.data(), 4096, &params, 0) >= 0;
    left = std::numeric_limits<long>::max();
    CHECK(drawn && failed == 0);
}

// Reports of a chain with a history and of a plain draw, and the report that is whole in the end.
void reports_are_statuses() {
    const std::vector<float> row(50, 0.0F);
    const ChainHandle chain = own(s2_chain_new());
    CHECK(s2_chain_add_penalties(chain.get(), -1, 1.1F, 0, 0) == 0);
    CHECK(s2_chain_add_typical(chain.get(), 0.5F, 1) == 1 && s2_chain_add_greedy(chain.get()) == 2);
    CHECK(s2_chain_accept(chain.get(), 3) == 0);
    const auto check = [&](auto make) {
        const int runs = starve([&] {
            S2Report *report = reinterpret_cast<S2Report *>(&left);
            const std::int32_t status = make(&report);
            CHECK(status == 0 || status == S2_ERROR_OUT_OF_MEMORY);
            CHECK((status == 0) == (report != nullptr));
            s2_report_free(report);
            return status == 0;
        });
        CHECK(runs > 10);
    };
    check([&](S2Report **report) { return s2_chain_report(chain.get(), row.data(), 50, report); });
    check([&](S2Report **report) { return s2_draw_report(row.data(), 50, nullptr, report); });
}

}  // namespace

int main() {
    first_calls();  // before the library is used in this process
    reports_are_statuses();
    handles_are_null();
    draws_are_statuses();
    an_unseeded_thread();
    chains_are_statuses();
    streams_do_not_grow_their_window();
}
