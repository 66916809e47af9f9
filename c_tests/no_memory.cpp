// Where memory lacks there is a status or NULL: nothing ends the process, and nothing is lost.
#include <s2sampler.h>

#include "support/check.h"
#include "support/handles.hpp"

#include <cstddef>
#include <limits>

// glibc's own entry points, which the replacements hand on to.
extern "C" {
void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t count, std::size_t size);
void *__libc_realloc(void *old, std::size_t size);
}

namespace {

// How many further allocations succeed.
long left = std::numeric_limits<long>::max();
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
        s2_chain_add_typical(chain, 0.95F, 2), s2_chain_add_dist(chain, 4)};
    for (const std::int32_t index : indices) {
        CHECK(index >= 0 || index == S2_ERROR_OUT_OF_MEMORY);
        if (index < 0) return false;
    }
    return true;
}

void chains_are_statuses() {
    S2PresetParams params;
    CHECK(s2_preset_params_init(&params, S2_PRESET_ARTICLE) == 0);
    const auto is_made = [](S2Chain *made) {
        s2_chain_free(made);
        return made != nullptr;
    };
    CHECK(starve([&] { return is_made(s2_chain_new(1)); }) > 0);
    CHECK(starve([&] { return is_made(s2_chain_new_preset(S2_PRESET_ARTICLE, 1, &params)); }) > 2);

    // A stage that could not be added is not there.
    ChainHandle chain = own(s2_chain_new(1));
    CHECK(starve([&] {
              chain.reset();
              left += 1;  // for the handle itself
              chain = own(s2_chain_new(1));
              return add_stages(chain.get());
          }) > 5);
    CHECK(s2_chain_count(chain.get()) == 6);

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
                  CHECK(array.size == 1000 && array.selected == 0 && array.data == tokens.data());
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

// A draw that fails changes nothing: the state is that of before, and the next draw that of a generator
// that never failed.
void draws_are_statuses() {
    const std::vector<float> row(5000, 0.0F);
    const SamplerParams params = {1.0F, 1.0F, 0};
    const S2TokenRange ranges[] = {{0, 2000}, {3000, 4999}};
    const auto check = [&](auto draw) {
        const SamplerHandle starved = own(s2_sampler_new(3));
        const SamplerHandle other = own(s2_sampler_new(3));
        const State before = save(starved);
        std::int32_t token = -1;
        const int runs = starve([&] {
            token = draw(starved.get());
            CHECK(token >= 0 || token == S2_ERROR_OUT_OF_MEMORY);
            return token >= 0;
        });
        CHECK(runs > 0 && token == draw(other.get()));
        CHECK(save(starved) == save(other) && save(starved) != before);
    };
    check([&](S2Sampler *sampler) { return s2_sampler_sample(sampler, row.data(), 5000, &params); });
    check([&](S2Sampler *sampler) {
        return s2_sampler_sample_ranges(sampler, row.data(), 5000, ranges, 2, &params);
    });
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
    const ChainHandle chain = own(s2_chain_new(1));
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
    reports_are_statuses();
    handles_are_null();
    draws_are_statuses();
    chains_are_statuses();
    streams_do_not_grow_their_window();
}
