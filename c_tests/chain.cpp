// Chains over whole rows: as over an array of the row, as the generators that they are made of, as their
// own clones, and as the presets say.
#include <s2sampler.h>

#include "support/check.h"
#include "support/handles.hpp"
#include "support/rows.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <random>
#include <string>

namespace {

using Row = std::vector<float>;
using Tokens = std::vector<std::int32_t>;
using Candidates = std::vector<S2TokenData>;

ChainHandle chain_of(std::initializer_list<std::function<std::int32_t(S2Chain *)>> stages) {
    ChainHandle chain = own(s2_chain_new());
    std::int32_t index = 0;
    for (const auto &add : stages) CHECK(add(chain.get()) == index++);
    CHECK(s2_chain_count(chain.get()) == index);
    return chain;
}

std::int32_t draw(const ChainHandle &chain, const Row &row) {
    const std::int32_t token = s2_chain_sample(chain.get(), row.data(), static_cast<std::int32_t>(row.size()));
    CHECK_CASE(token == S2_ERROR_NO_CANDIDATE || (token >= 0 && static_cast<std::size_t>(token) < row.size()), "%s", s2_status_string(token));
    return token;
}

Tokens draws(const ChainHandle &chain, const Row &row, int count) {
    Tokens tokens;
    for (int i = 0; i < count; ++i) tokens.push_back(draw(chain, row));
    return tokens;
}

// The token that is selected in an array of the whole row.
std::int32_t drawn_from_array(const ChainHandle &chain, const Row &row) {
    Candidates candidates;
    for (const float logit : row) {
        candidates.push_back({static_cast<std::int32_t>(candidates.size()), logit, 0.0F});
    }
    S2TokenDataArray array = {candidates.data(), candidates.size(), 0, false};
    const std::int32_t applied = s2_chain_apply(chain.get(), &array);
    if (applied == S2_ERROR_NO_CANDIDATE) return applied;
    CHECK(applied == 0);
    CHECK(array.selected >= 0 && static_cast<std::size_t>(array.selected) < array.size);
    const std::int32_t token = candidates[static_cast<std::size_t>(array.selected)].id;
    CHECK(s2_chain_accept(chain.get(), token) == 0);
    return token;
}

// Adds a stage with parameters of any kind, those that do nothing among them.
void add_some_stage(S2Chain *chain, SplitMix64 &random) {
    const auto share = [&random] { return static_cast<float>(random.below(9)) * 0.125F; };
    const auto few = [&random] { return static_cast<std::int32_t>(random.below(30)); };
    const std::uint64_t kind = random.below(12);
    const std::int32_t index = [&] {
        const S2LogitBias biases[] = {{few(), -kInf}, {few(), 2.0F}, {few(), -0.5F}};
        const std::int32_t breaker[] = {few(), few()};
        const std::int32_t length = 1 + static_cast<std::int32_t>(random.below(2));
        const SamplerParams params = {share() + 0.25F, 0.5F + share() / 2, few()};
        switch (kind) {
            case 0: return s2_chain_add_logit_bias(chain, biases, 3);
            case 1: return s2_chain_add_penalties(chain, few() - 1, 0.75F + share(), share(), share());
            case 2: return s2_chain_add_dry(chain, share(), 1.0F + share(), 1, -1, breaker, &length, 1);
            case 3: return s2_chain_add_temperature(chain, share() * 2);
            case 4: return s2_chain_add_temperature_ext(chain, 0.5F + share(), share(), 1.0F);
            case 5: return s2_chain_add_top_k(chain, few());
            case 6: return s2_chain_add_top_p(chain, share(), random.below(4));
            case 7: return s2_chain_add_min_p(chain, share() / 8, random.below(4));
            case 8: return s2_chain_add_typical(chain, share(), random.below(4));
            case 9: return s2_chain_add_xtc(chain, share(), share() / 2 + 0.001F, random.below(3), 5);
            case 10: return s2_chain_add_softmax(chain);
            default: return s2_chain_add_s2(chain, &params);
        }
    }();
    CHECK(index == s2_chain_count(chain) - 1);
}

void over_a_row_as_over_an_array() {
    SplitMix64 random(1);
    std::size_t distinct = 0;
    for (unsigned number = 0; number < 600; ++number) {
        const ChainHandle by_row = own(s2_chain_new());
        for (std::uint64_t stages = random.below(6); stages > 0; --stages) add_some_stage(by_row.get(), random);
        switch (random.below(4)) {
            case 0: CHECK(s2_chain_add_greedy(by_row.get()) >= 0); break;
            case 1: CHECK(s2_chain_add_mirostat_v2(by_row.get(), 8, 3.0F, 0.25F) >= 0); break;
            default: CHECK(s2_chain_add_dist(by_row.get(), 9) >= 0);
        }
        const ChainHandle by_array = own(s2_chain_clone(by_row.get()));
        const char *const families[] = {"bell", "peaky", "masked", "tied"};
        std::int32_t last = -1;
        for (int i = 0; i < 12; ++i) {
            const Row row = family_row(families[random.below(4)], 1 + random.below(500), 0x1p-19F, random.next());
            const std::int32_t token = draw(by_row, row);
            CHECK_CASE(drawn_from_array(by_array, row) == token, "chain %u, draw %d", number, i);
            distinct += token != last;
            last = token;
        }
    }
    CHECK(distinct > 3000);
}

// The definition of dist, over the candidates in their order.
std::int32_t dist_of(const std::vector<float> &logits, std::mt19937 &words) {
    float top = -kInf;
    for (const float logit : logits) top = std::max(top, logit);
    double sum = 0;
    for (const float logit : logits) sum += static_cast<double>(std::exp(logit - top));
    const double u = std::generate_canonical<double, 53>(words);
    double running = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        running += static_cast<double>(std::exp(logits[i] - top));
        if (running >= u * sum && running > 0) return static_cast<std::int32_t>(i);
    }
    CHECK(false);
    return -1;
}

void dist_takes_two_words_always() {
    const ChainHandle chain = chain_of({[](S2Chain *c) { return s2_chain_add_top_k(c, 1); },
                                        [](S2Chain *c) { return s2_chain_add_dist(c, 77); }});
    std::mt19937 words(77);
    const Row row = bell(700, 0x1p-20F, 1);
    const Tokens certain = draws(chain, row, 5);
    CHECK(certain == Tokens(5, certain[0]));
    words.discard(10);
    CHECK(s2_chain_remove(chain.get(), 0) == 0);
    Tokens seen;
    for (int i = 0; i < 700; ++i) {  // beyond the first block of 624 words
        seen.push_back(draw(chain, row));
        CHECK_CASE(seen.back() == dist_of(row, words), "draw %d", i);
    }
    CHECK(seen != Tokens(seen.size(), seen[0]));
}

// Words of a stage of xtc at probability 1/2: whether the best token was dropped tells each of them.
void xtc_takes_one_word() {
    const ChainHandle chain = chain_of({[](S2Chain *c) { return s2_chain_add_xtc(c, 0.5F, 0.25F, 1, 6); },
                                        [](S2Chain *c) { return s2_chain_add_greedy(c); }});
    std::mt19937 words(6);
    const Row row = {2.0F, 1.9F, 0.0F};
    const Row one = {1.0F};
    for (int i = 0; i < 300; ++i) {
        CHECK(draw(chain, one) == 0);  // of one candidate no word is taken
        const bool acts = words() <= 0x80000000U;
        CHECK_CASE(draw(chain, row) == (acts ? 1 : 0), "draw %d", i);
    }
}

// The S2 rule and dist, by the preset and by hand, against s2_sampler_sample().
void s2_is_the_plain_draw() {
    SplitMix64 random(2);
    S2PresetParams preset;
    CHECK(s2_preset_params_init(&preset, S2_PRESET_S2) == 0);
    for (unsigned number = 0; number < 60; ++number) {
        preset.temperature = static_cast<float>(random.below(6)) * 0.4F;
        preset.top_p = number % 7 == 0 ? kNan : static_cast<float>(random.below(9)) * 0.125F;
        preset.top_k = static_cast<std::int32_t>(random.below(50));
        const SamplerParams params = {preset.temperature, preset.top_p, preset.top_k};
        const SamplerHandle sampler = own(s2_sampler_new(number));
        const ChainHandle chain = own(s2_chain_new_preset(S2_PRESET_S2, number, &preset));
        const ChainHandle by_hand =
            chain_of({[&](S2Chain *c) { return s2_chain_add_s2(c, &params); },
                      [&](S2Chain *c) { return s2_chain_add_dist(c, number); }});
        for (int i = 0; i < 40; ++i) {
            const char *const families[] = {"bell", "peaky", "masked", "tied"};
            const Row row = family_row(families[i % 4], 1 + random.below(5000), 0x1p-19F, random.next());
            const std::int32_t token = draw(sampler, row, params);
            CHECK_CASE(draw(chain, row) == token && draw(by_hand, row) == token, "case %u, draw %d", number, i);
        }
    }
}

std::string names(const ChainHandle &chain) {
    std::string joined;
    for (std::int32_t i = 0; i < s2_chain_count(chain.get()); ++i) {
        joined += std::string(s2_chain_stage_name(chain.get(), i)) + " ";
    }
    return joined;
}

void presets_are_chains_of_stages() {
    const auto penalties = [](std::int32_t last_n, float by) {
        return [=](S2Chain *c) { return s2_chain_add_penalties(c, last_n, by, 0.0F, 0.0F); };
    };
    const auto heat = [](float t) { return [t](S2Chain *c) { return s2_chain_add_temperature(c, t); }; };
    const auto best = [](std::int32_t k) { return [k](S2Chain *c) { return s2_chain_add_top_k(c, k); }; };
    const auto nucleus = [](float p) { return [p](S2Chain *c) { return s2_chain_add_top_p(c, p, 1); }; };
    const auto near = [](float p) { return [p](S2Chain *c) { return s2_chain_add_min_p(c, p, 1); }; };
    const auto dist = [](S2Chain *c) { return s2_chain_add_dist(c, 31); };
    const auto check = [&](std::int32_t which, const char *stages, const ChainHandle &by_hand) {
        const ChainHandle preset = own(s2_chain_new_preset(which, 31, nullptr));
        CHECK(names(preset) == stages && names(by_hand) == stages);
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const Row row = peaky(3000, 0x1p-20F, seed / 5);
            const Tokens tokens = draws(preset, row, 10);
            CHECK_CASE(tokens == draws(by_hand, row, 10), "%s", stages);
        }
    };
    check(S2_PRESET_TEMPERATURE_FIRST, "penalties temperature softmax top_k top_p min_p dist ",
          chain_of({penalties(64, 1.1F), heat(0.8F), s2_chain_add_softmax, best(40), nucleus(0.9F), near(0.0F),
                    dist}));
    check(S2_PRESET_LLAMA, "penalties top_k top_p min_p temperature dist ",
          chain_of({penalties(64, 1.0F), best(40), nucleus(0.95F), near(0.05F), heat(0.8F), dist}));
    check(S2_PRESET_HUGGINGFACE, "penalties temperature top_k top_p min_p dist ",
          chain_of({penalties(-1, 1.0F), heat(1.0F), best(50), nucleus(1.0F), near(0.0F), dist}));

    // A temperature of zero in the article's order, and filters that leave nothing: the best token.
    for (const std::int32_t which : {S2_PRESET_TEMPERATURE_FIRST, S2_PRESET_LLAMA, S2_PRESET_HUGGINGFACE}) {
        S2PresetParams params;
        CHECK(s2_preset_params_init(&params, which) == 0);
        params.repeat_penalty = 1.0F;
        S2PresetParams cold = params;
        cold.temperature = 0.0F;
        S2PresetParams narrow = params;
        narrow.top_p = -1.0F;
        narrow.min_p = 2.0F;
        const Row row = bell(500, 0x1p-20F, 7);
        const std::int32_t top = draw(chain_of({s2_chain_add_greedy}), row);
        for (const S2PresetParams &one : {cold, narrow}) {
            CHECK(draws(own(s2_chain_new_preset(which, 1, &one)), row, 20) == Tokens(20, top));
        }
    }
}

// A known series of experiments with the article's stages, and a known trap.
void experiments() {
    const double percent[] = {16.7526, 7.59989, 4.84584, 4.50433, 4.04461};
    double rest = 100;
    Row row;
    for (const double one : percent) {
        row.push_back(static_cast<float>(std::log(one)));
        rest -= one;
    }
    row.resize(50, static_cast<float>(std::log(rest / 45)));
    const auto tokens = [&row](std::uint32_t seed, float temperature, float top_p) {
        S2PresetParams params;
        CHECK(s2_preset_params_init(&params, S2_PRESET_TEMPERATURE_FIRST) == 0);
        params.temperature = temperature;
        params.top_p = top_p;
        return draws(own(s2_chain_new_preset(S2_PRESET_TEMPERATURE_FIRST, seed, &params)), row, 400);
    };
    const auto best = [](const Tokens &drawn) { return std::count(drawn.begin(), drawn.end(), 0); };
    CHECK(tokens(1, 0.0F, 0.9F) == tokens(2, 0.0F, 0.9F) && tokens(1, 0.0F, 0.9F) == Tokens(400, 0));
    const Tokens drawn = tokens(42, 0.8F, 0.9F);
    CHECK(drawn == tokens(42, 0.8F, 0.9F) && drawn != tokens(43, 0.8F, 0.9F));
    // Cold: nearly always the best. Hot and wide: seldom.
    CHECK(best(tokens(42, 0.2F, 0.9F)) > 350 && best(drawn) < 250 && best(tokens(42, 1.2F, 0.95F)) < best(drawn));

    // min_p is a share of the best one's probability: 0.9 of 16.75 % is more than the second has.
    const auto left = [&row](std::int32_t (*add)(S2Chain *, float, std::size_t)) {
        Candidates candidates;
        for (const float logit : row) candidates.push_back({0, logit, 0.0F});
        S2TokenDataArray array = {candidates.data(), candidates.size(), 0, false};
        const ChainHandle chain = chain_of({[add](S2Chain *c) { return add(c, 0.9F, 1); }});
        CHECK(s2_chain_apply(chain.get(), &array) == 0);
        return array.size;
    };
    CHECK(left(s2_chain_add_min_p) == 1 && left(s2_chain_add_top_p) == 43);
}

// A chain with everything that has a state.
ChainHandle remembering(std::uint32_t seed) {
    return chain_of({[](S2Chain *c) { return s2_chain_add_penalties(c, 20, 1.3F, 0.1F, 0.0F); },
                     [](S2Chain *c) { return s2_chain_add_dry(c, 1.0F, 1.5F, 1, -1, nullptr, nullptr, 0); },
                     [=](S2Chain *c) { return s2_chain_add_xtc(c, 0.5F, 0.02F, 1, seed + 1); },
                     [=](S2Chain *c) { return s2_chain_add_mirostat_v2(c, seed, 4.0F, 0.5F); }});
}

void clones_and_resets() {
    const Row row = bell(2000, 0x1p-20F, 3);
    const ChainHandle chain = remembering(50);
    const Tokens first = draws(chain, row, 300);
    const ChainHandle clone = own(s2_chain_clone(chain.get()));
    CHECK(names(clone) == names(chain));
    const ChainHandle third = own(s2_chain_clone(chain.get()));
    const Tokens next = draws(chain, row, 400);
    CHECK(next != first);
    CHECK(draws(clone, row, 400) == next);
    // And apart: what one does leaves the other where it is.
    s2_chain_reset(chain.get());
    CHECK(s2_chain_remove(clone.get(), 0) == 0);
    CHECK(draws(third, row, 400) == next);
    CHECK(draws(chain, row, 300) == first && draws(remembering(50), row, 300) == first);
    CHECK(draws(remembering(51), row, 300) != first);
}

// A status changes nothing.
void failed_draws_leave_no_trace() {
    const Row row = bell(300, 0x1p-20F, 4);
    const ChainHandle chain = remembering(1);
    const ChainHandle other = remembering(1);
    for (int i = 0; i < 50; ++i) {
        CHECK(s2_chain_sample(chain.get(), row.data(), 0) == S2_ERROR_EMPTY_ROW);
        CHECK(s2_chain_sample(chain.get(), nullptr, 5) == S2_ERROR_NULL_POINTER);
        CHECK(draw(chain, row) == draw(other, row));
    }
    CHECK(s2_chain_remove(chain.get(), 3) == 0 && s2_chain_remove(other.get(), 3) == 0);
    CHECK(s2_chain_sample(chain.get(), row.data(), 300) == S2_ERROR_NO_SELECTION);
    for (const ChainHandle *one : {&chain, &other}) CHECK(s2_chain_add_dist(one->get(), 4) == 3);
    CHECK(draws(chain, row, 50) == draws(other, row, 50));
}

// After a stage that selects the others only accept.
void the_first_selection_counts() {
    const Row row = bell(300, 0x1p-20F, 5);
    const ChainHandle chain = chain_of({[](S2Chain *c) { return s2_chain_add_dist(c, 1); }, s2_chain_add_greedy,
                                        [](S2Chain *c) { return s2_chain_add_penalties(c, -1, 1.0F, 100.0F, 0.0F); },
                                        s2_chain_add_greedy});
    const Tokens tokens = draws(chain, row, 4);
    CHECK(tokens == draws(chain_of({[](S2Chain *c) { return s2_chain_add_dist(c, 1); }}), row, 4));
    CHECK(s2_chain_remove(chain.get(), 0) == 0 && s2_chain_remove(chain.get(), 0) == 0);
    for (const std::int32_t token : draws(chain, row, 200)) {
        CHECK(std::count(tokens.begin(), tokens.end(), token) == 0);
    }
}

void batches_as_alone() {
    constexpr std::int32_t vocab = 200;
    const Row logits = bell(vocab * 20, 0x1p-20F, 9);
    for (const std::ptrdiff_t stride : {vocab, vocab + 1, 3 * vocab, 7, 0, -vocab}) {
        const float *const first = logits.data() + (stride < 0 ? -5 * stride : 0);
        const std::size_t plan[] = {0, 1, 2, 0, 0, 1};
        std::vector<ChainHandle> alone;
        std::vector<ChainHandle> together;
        for (std::uint32_t seed = 0; seed < 3; ++seed) {
            alone.push_back(remembering(seed));
            together.push_back(remembering(seed));
        }
        Tokens expected;
        std::vector<S2Chain *> handles;
        for (std::size_t i = 0; i < 6; ++i) {
            const float *const row = first + static_cast<std::ptrdiff_t>(i) * stride;
            expected.push_back(s2_chain_sample(alone[plan[i]].get(), row, vocab));
            handles.push_back(together[plan[i]].get());
        }
        Tokens tokens(7, -77);
        CHECK(s2_chain_sample_rows(handles.data(), first, 6, stride, vocab, tokens.data()) == 6);
        CHECK(tokens.back() == -77);
        tokens.pop_back();
        CHECK_CASE(tokens == expected, "stride %td", stride);
    }
}

}  // namespace

int main() {
    over_a_row_as_over_an_array();
    dist_takes_two_words_always();
    xtc_takes_one_word();
    s2_is_the_plain_draw();
    presets_are_chains_of_stages();
    experiments();
    clones_and_resets();
    failed_draws_leave_no_trace();
    the_first_selection_counts();
    batches_as_alone();
}
