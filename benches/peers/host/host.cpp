// s2sampler_llama.hpp in llama.cpp itself: the adapter against llama.cpp's own stages, through llama.cpp's own
// chain. Prints a line for each comparison and fails at the first difference.
#include <s2sampler_llama.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#define REQUIRE(condition)                                                                   \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);     \
            std::exit(1);                                                                    \
        }                                                                                    \
    } while (0)

namespace {

struct Free {
    void operator()(llama_sampler *sampler) const { llama_sampler_free(sampler); }
};
using Sampler = std::unique_ptr<llama_sampler, Free>;

/** A chain of llama.cpp with the given samplers. */
template <class... Stages>
Sampler chain_of(Stages... stages) {
    Sampler chain(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    for (llama_sampler *stage : {stages...}) {
        REQUIRE(stage != nullptr);
        llama_sampler_chain_add(chain.get(), stage);
    }
    return chain;
}

/** A chain of this library with the stages that `add` appends. */
llama_sampler *ours(const std::function<void(s2sampler::Chain &)> &add) {
    s2sampler::Chain chain;
    add(chain);
    return s2sampler::llama_sampler_of(std::move(chain));
}

/** Rows of different lengths, spreads and heads. No two logits of a row are equal. */
std::vector<llama_token_data> row(std::uint64_t number) {
    std::uint64_t state = number;
    const auto word = [&state] {
        state += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    };
    const std::size_t lengths[] = {40, 300, 1000, 4097};
    const float spreads[] = {0x1p-19F, 0x1p-20F, 0x1p-18F};
    const std::size_t n = lengths[number % 4];
    std::vector<llama_token_data> tokens(n);
    std::vector<float> logits;
    while (logits.size() < n) {
        const std::uint64_t w = word();
        const auto bell = static_cast<float>(static_cast<std::int64_t>((w & 0x1FFFFF) + (w >> 21 & 0x1FFFFF) +
                                                                       (w >> 42 & 0x1FFFFF)) -
                                             3145727);
        const float logit = bell * spreads[number % 3];
        if (std::find(logits.begin(), logits.end(), logit) == logits.end()) {
            tokens[logits.size()] = {static_cast<llama_token>(logits.size()), logit, 0.0F};
            logits.push_back(logit);
        }
    }
    return tokens;
}

struct Drawn {
    llama_token token;
    std::size_t candidates;
    bool operator==(const Drawn &other) const { return token == other.token && candidates == other.candidates; }
};

/** What llama_sampler_sample() does with the logits of a context, its assertion included. */
Drawn sample(const Sampler &sampler, std::vector<llama_token_data> tokens) {
    llama_token_data_array array = {tokens.data(), tokens.size(), -1, false};
    llama_sampler_apply(sampler.get(), &array);
    REQUIRE(array.selected >= 0 && array.selected < static_cast<std::int64_t>(array.size));
    const llama_token token = array.data[array.selected].id;
    llama_sampler_accept(sampler.get(), token);
    return {token, array.size};
}

constexpr int DRAWS = 5000;

/** Draws with both, each row once. */
void compare(const char *name, const Sampler &theirs, const Sampler &mixed, int draws = DRAWS) {
    for (int i = 0; i < draws; ++i) {
        const auto tokens = row(static_cast<std::uint64_t>(i));
        const Drawn expected = sample(theirs, tokens);
        if (!(sample(mixed, tokens) == expected)) {
            std::fprintf(stderr, "%s: draw %d differs\n", name, i);
            std::exit(1);
        }
    }
    std::printf("%s: %d of %d tokens and counts equal\n", name, draws, draws);
}

Sampler llamas_own(std::uint32_t seed) {
    return chain_of(llama_sampler_init_top_k(60), llama_sampler_init_top_p(0.95F, 1),
                    llama_sampler_init_min_p(0.02F, 1), llama_sampler_init_temp(0.9F),
                    llama_sampler_init_dist(seed));
}

Sampler one_chain(std::uint32_t seed) {
    return chain_of(ours([seed](s2sampler::Chain &c) {
        c.top_k(60).top_p(0.95F).min_p(0.02F).temperature(0.9F).dist(seed);
    }));
}

/** llama.cpp's samplers and this library's in turns: a filter of this library between two of llama.cpp's, and
    one after the draw. */
Sampler mixed_chain(std::uint32_t seed) {
    return chain_of(llama_sampler_init_top_k(60), ours([](s2sampler::Chain &c) { c.top_p(0.95F).min_p(0.02F); }),
                    llama_sampler_init_temp(0.9F), llama_sampler_init_dist(seed),
                    ours([](s2sampler::Chain &c) { c.top_k(1000); }));
}

void clones_resets_and_copies() {
    const Sampler theirs = chain_of(llama_sampler_init_penalties(
#ifdef S2_PENALTIES_WITHOUT_VOCABULARY
                                        16, 1.3F, 0.1F, 0.1F
#else
                                        4097, 16, 1.3F, 0.1F, 0.1F
#endif
                                        ),
                                    llama_sampler_init_top_k(50), llama_sampler_init_dist(11));
    const Sampler own = chain_of(
        ours([](s2sampler::Chain &c) { c.penalties(16, 1.3F, 0.1F, 0.1F).top_k(50).dist(11); }));
    compare("penalties, top_k, dist", theirs, own, 500);
    const Sampler their_clone(llama_sampler_clone(theirs.get()));
    const Sampler own_clone(llama_sampler_clone(own.get()));
    compare("after llama_sampler_clone", their_clone, own_clone, 500);
    llama_sampler_reset(theirs.get());
    llama_sampler_reset(own.get());
    compare("after llama_sampler_reset", theirs, own, 500);
    llama_sampler_copy(their_clone.get(), theirs.get());
    llama_sampler_copy(own_clone.get(), own.get());
    compare("after llama_sampler_copy", theirs, own, 500);
    // A status never reaches the host: nothing here is above -inf.
    llama_token_data nothing[] = {{4, -INFINITY, 0.0F}, {5, -INFINITY, 0.0F}};
    llama_token_data_array array = {nothing, 2, -1, false};
    llama_sampler_apply(own.get(), &array);
    REQUIRE(array.selected >= 0 && array.selected < static_cast<std::int64_t>(array.size));
    REQUIRE(s2sampler::llama_sampler_status(llama_sampler_chain_get(own.get(), 0)) == S2_ERROR_NO_CANDIDATE);
    REQUIRE(s2sampler::llama_sampler_status(llama_sampler_chain_get(theirs.get(), 0)) == S2_ERROR_BAD_ARGUMENT);
}

void the_default_seed_is_random() {
    const Sampler a = chain_of(ours([](s2sampler::Chain &c) { c.dist(LLAMA_DEFAULT_SEED); }));
    const Sampler b = chain_of(ours([](s2sampler::Chain &c) { c.dist(LLAMA_DEFAULT_SEED); }));
    int equal = 0;
    for (int i = 0; i < 100; ++i) {
        equal += sample(a, row(1)) == sample(b, row(1)) ? 1 : 0;
    }
    REQUIRE(equal < 100);
    std::printf("LLAMA_DEFAULT_SEED: %d of 100 tokens of two samplers equal\n", equal);
}

}  // namespace

int main() {
    compare("one chain of this library", llamas_own(7), one_chain(7));
    compare("samplers of both in turns", llamas_own(8), mixed_chain(8));
    clones_resets_and_copies();
    the_default_seed_is_random();
    return 0;
}
