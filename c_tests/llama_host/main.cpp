// A chain as a llama_sampler, against two stand-ins for llama.h: the oldest and the newest interface that the
// adapter is for. benches/peers has the same against llama.cpp itself.
#include <s2sampler_llama.hpp>

#include "support/check.h"

#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using s2sampler::Chain;

constexpr float NEG_INFINITY = -std::numeric_limits<float>::infinity();

/** What llama.cpp does to free a sampler. */
void host_free(llama_sampler *sampler) {
    if (sampler->iface->free != nullptr) {
        sampler->iface->free(sampler);
    }
    delete sampler;
}

struct Array {
    explicit Array(const std::vector<float> &logits) {
        for (std::size_t i = 0; i < logits.size(); ++i) {
            tokens.push_back({static_cast<llama_token>(i), logits[i], 0.0F});
        }
        array = {tokens.data(), tokens.size(), -1, false};
    }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;

    [[nodiscard]] llama_token selected() const {
        CHECK(array.selected >= 0 && static_cast<std::size_t>(array.selected) < array.size);
        return array.data[array.selected].id;
    }

    std::vector<llama_token_data> tokens;
    llama_token_data_array array{};
};

std::vector<float> logits(int step) {
    std::vector<float> row(500);
    std::uint32_t state = 12345U + static_cast<std::uint32_t>(step) * 7919U;
    for (float &logit : row) {
        state = state * 1664525U + 1013904223U;
        logit = static_cast<float>(state >> 8) * 0x1p-21F;
    }
    return row;
}

/** llama_sampler_sample() without the context. */
llama_token host_sample(llama_sampler *sampler, const std::vector<float> &row) {
    Array a(row);
    sampler->iface->apply(sampler, &a.array);
    const llama_token token = a.selected();
    sampler->iface->accept(sampler, token);
    return token;
}

Chain a_chain(std::uint32_t seed) {
    Chain chain;
    chain.penalties(16, 1.3F).top_k(40).top_p(0.95F).temperature(0.8F).dist(seed);
    CHECK(chain && chain.status() == 0);
    return chain;
}

std::vector<llama_token> tokens_of(llama_sampler *sampler, int first, int last) {
    std::vector<llama_token> tokens;
    for (int step = first; step < last; ++step) {
        tokens.push_back(host_sample(sampler, logits(step)));
    }
    return tokens;
}

void draws_as_the_chain_does() {
    llama_sampler *sampler = s2sampler::llama_sampler_of(a_chain(7));
    CHECK(sampler != nullptr && host_made(sampler));
    CHECK(std::string_view(sampler->iface->name(sampler)) == "s2sampler");
    Chain plain = a_chain(7);
    std::vector<llama_token> expected;
    for (int step = 0; step < 100; ++step) {
        expected.push_back(plain.sample(logits(step)).token());
    }
    CHECK(tokens_of(sampler, 0, 50) == std::vector<llama_token>(expected.begin(), expected.begin() + 50));
    llama_sampler *copy = sampler->iface->clone(sampler);
    CHECK(copy != nullptr && host_made(copy) && copy->iface == sampler->iface && copy->ctx != sampler->ctx);
    const std::vector<llama_token> rest(expected.begin() + 50, expected.end());
    CHECK(tokens_of(sampler, 50, 100) == rest && tokens_of(copy, 50, 100) == rest);
    sampler->iface->reset(sampler);
    CHECK(tokens_of(sampler, 0, 100) == expected && tokens_of(copy, 0, 100) != expected);
    CHECK(s2sampler::llama_sampler_status(sampler) == 0);
    CHECK(s2sampler::llama_sampler_chain_of(sampler)->count() == 5);
    host_free(copy);
    host_free(sampler);
}

void filters_keep_what_is_selected() {
    Chain filter;
    filter.top_k(3);
    llama_sampler *sampler = s2sampler::llama_sampler_of(std::move(filter));
    const std::vector<float> row = {0.0F, 5.0F, 1.0F, 4.0F, 2.0F};
    for (llama_token selected = -1; selected < 5; ++selected) {
        Array a(row);
        a.array.selected = selected;
        sampler->iface->apply(sampler, &a.array);
        CHECK(a.array.size == 3 && s2sampler::llama_sampler_status(sampler) == 0);
        if (selected < 0) {
            CHECK(a.array.selected == -1);
        } else {
            // Tokens 0 and 2 are dropped: then the best is selected.
            CHECK(a.selected() == (selected == 0 || selected == 2 ? 1 : selected));
        }
    }
    host_free(sampler);
}

void an_error_selects_the_best() {
    Chain chain;
    chain.top_k(2).dist(1);
    llama_sampler *sampler = s2sampler::llama_sampler_of(std::move(chain));
    Array none({NEG_INFINITY, NAN, NEG_INFINITY});
    sampler->iface->apply(sampler, &none.array);
    CHECK(s2sampler::llama_sampler_status(sampler) == S2_ERROR_NO_CANDIDATE);
    CHECK(none.array.selected >= 0 && static_cast<std::size_t>(none.array.selected) < none.array.size);
    Array again({1.0F, 9.0F});
    sampler->iface->apply(sampler, &again.array);
    CHECK(s2sampler::llama_sampler_status(sampler) == 0);
    // What an earlier sampler selected stays selected through an error, too.
    Array before({NEG_INFINITY, NAN, NEG_INFINITY});
    before.array.selected = 2;
    sampler->iface->apply(sampler, &before.array);
    CHECK(before.selected() == 2);
    Array empty({});
    sampler->iface->apply(sampler, &empty.array);
    CHECK(s2sampler::llama_sampler_status(sampler) == S2_ERROR_EMPTY_ROW && empty.array.selected == -1);
    host_free(sampler);

    // As the copy of a sampler that could not be copied: the host still gets a token.
    llama_sampler *broken = s2sampler::detail::make_llama_sampler(s2sampler::detail::llama_interface(), nullptr, 0);
    CHECK(s2sampler::llama_sampler_status(broken) == S2_ERROR_OUT_OF_MEMORY);
    CHECK(s2sampler::llama_sampler_chain_of(broken) == nullptr);
    CHECK(host_sample(broken, {NAN, 2.0F, 7.0F, NAN, 3.0F}) == 2);
    broken->iface->reset(broken);
    llama_sampler *copy = broken->iface->clone(broken);
    CHECK(host_sample(copy, {4.0F, 2.0F}) == 0);
    host_free(copy);
    host_free(broken);
}

void the_default_seed_is_random() {
    std::set<std::uint32_t> seeds;
    Chain two;
    two.xtc(0.5F, 0.1F, 1, LLAMA_DEFAULT_SEED).dist(3);
    llama_sampler *sampler = s2sampler::llama_sampler_of(std::move(two));
    Chain *chain = s2sampler::llama_sampler_chain_of(sampler);
    for (int i = 0; i < 4; ++i) {
        std::uint32_t seed = 0;
        CHECK(chain->get_seed(0, seed) == 0 && seed != LLAMA_DEFAULT_SEED);
        seeds.insert(seed);
        CHECK(chain->get_seed(1, seed) == 0 && seed == 3);
        sampler->iface->reset(sampler);
    }
    CHECK(seeds.size() == 4);
    // A copy continues alike, and gets its own seed at its next reset.
    llama_sampler *copy = sampler->iface->clone(sampler);
    std::uint32_t mine = 0;
    std::uint32_t its = 1;
    CHECK(chain->get_seed(0, mine) == 0 && s2sampler::llama_sampler_chain_of(copy)->get_seed(0, its) == 0);
    CHECK(mine == its);
    copy->iface->reset(copy);
    CHECK(s2sampler::llama_sampler_chain_of(copy)->get_seed(0, its) == 0 && mine != its);
    host_free(copy);
    host_free(sampler);
}

void refuses_what_is_no_chain() {
    Chain bad;
    bad.top_p(NAN);
    CHECK(bad.status() == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2sampler::llama_sampler_of(std::move(bad)) == nullptr);
    CHECK(s2sampler::llama_sampler_of(Chain(nullptr)) == nullptr);
    llama_sampler_i other{};
    llama_sampler foreign{&other, nullptr};
    CHECK(s2sampler::llama_sampler_chain_of(&foreign) == nullptr);
    CHECK(s2sampler::llama_sampler_status(&foreign) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2sampler::llama_sampler_status(nullptr) == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2sampler::llama_sampler_chain_of(nullptr) == nullptr);
}

}  // namespace

int main() {
    draws_as_the_chain_does();
    filters_keep_what_is_selected();
    an_error_selects_the_best();
    the_default_seed_is_random();
    refuses_what_is_no_chain();
    return 0;
}
