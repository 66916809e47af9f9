// What single stages leave of a few candidates: values worked out by hand, and arrays of all kinds.
#include <s2sampler.h>

#include "support/check.h"
#include "support/handles.hpp"
#include "support/rows.hpp"

#include <algorithm>
#include <initializer_list>

namespace {

using Values = std::vector<float>;
using Candidates = std::vector<S2TokenData>;

// Candidates with ids from 0 on that have these probabilities.
Candidates with_probabilities(const Values &probabilities) {
    Candidates candidates;
    for (const float p : probabilities) {
        candidates.push_back({static_cast<std::int32_t>(candidates.size()), std::log(p), p});
    }
    return candidates;
}

// A chain of the one stage that `add` adds, which has accepted `history`.
template <class Add>
ChainHandle chain_of(Add add, std::initializer_list<std::int32_t> history = {}) {
    ChainHandle chain = own(s2_chain_new(0));
    CHECK(add(chain.get()) == 0);
    for (const std::int32_t token : history) CHECK(s2_chain_accept(chain.get(), token) == 0);
    return chain;
}

// What the chain leaves, and nothing is selected.
Candidates left(const ChainHandle &chain, Candidates candidates) {
    S2TokenDataArray array = {candidates.data(), candidates.size(), 5, false};
    CHECK(s2_chain_apply(chain.get(), &array) == 0);
    CHECK(array.data == candidates.data() && array.selected == -1);
    candidates.resize(array.size);
    return candidates;
}

Values logits_of(const Candidates &candidates) {
    Values values;
    for (const S2TokenData &token : candidates) values.push_back(token.logit);
    return values;
}

// The probabilities as the stage left them, and as the logits left have them.
Values held(const Candidates &candidates) {
    Values values;
    for (const S2TokenData &token : candidates) values.push_back(token.p);
    return values;
}

Values renormalised(const Candidates &candidates) {
    std::vector<double> weights;
    double sum = 0;
    for (const S2TokenData &token : candidates) {
        weights.push_back(std::exp(static_cast<double>(token.logit)));
        sum += weights.back();
    }
    Values values;
    for (const double weight : weights) values.push_back(static_cast<float>(weight / sum));
    return values;
}

void check(const char *name, const Values &values, const Values &expected) {
    CHECK_CASE(values.size() == expected.size(), "%s: %zu left", name, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK_CASE(std::fabs(values[i] - expected[i]) <= 1e-5F, "%s: place %zu has %.7g", name, i,
                   static_cast<double>(values[i]));
    }
}

void filters() {
    const Candidates rising = with_probabilities({0.1F, 0.2F, 0.3F, 0.4F});
    const Values three = {0.44444F, 0.33333F, 0.22222F};
    const auto check_filter = [&](const char *name, auto add, const Values &expected) {
        check(name, renormalised(left(chain_of(add), rising)), expected);
    };
    check_filter("top_k 3", [](S2Chain *c) { return s2_chain_add_top_k(c, 3); }, three);
    check_filter("top_k 1", [](S2Chain *c) { return s2_chain_add_top_k(c, 1); }, {1.0F});
    check_filter("top_k 4", [](S2Chain *c) { return s2_chain_add_top_k(c, 4); }, {0.4F, 0.3F, 0.2F, 0.1F});
    check_filter("top_k 0", [](S2Chain *c) { return s2_chain_add_top_k(c, 0); }, {0.1F, 0.2F, 0.3F, 0.4F});
    const auto top_p = [](float p) { return [p](S2Chain *c) { return s2_chain_add_top_p(c, p, 1); }; };
    check_filter("top_p 0", top_p(0.0F), {1.0F});
    check_filter("top_p .7", top_p(0.7F), {0.571429F, 0.428571F});
    check_filter("top_p .8", top_p(0.8F), three);
    check_filter("top_p 1", top_p(1.0F), {0.1F, 0.2F, 0.3F, 0.4F});
    const auto min_p = [](float p) { return [p](S2Chain *c) { return s2_chain_add_min_p(c, p, 1); }; };
    check_filter("min_p 0", min_p(0.0F), {0.1F, 0.2F, 0.3F, 0.4F});
    check_filter("min_p .24", min_p(0.24F), {0.1F, 0.2F, 0.3F, 0.4F});
    check_filter("min_p .26", min_p(0.26F), {0.2F / 0.9F, 0.3F / 0.9F, 0.4F / 0.9F});
    check_filter("min_p .51", min_p(0.51F), {0.3F / 0.7F, 0.4F / 0.7F});
    check_filter("min_p .76", min_p(0.76F), {1.0F});
    check_filter("min_p 1.05", min_p(1.05F), {1.0F});
    check_filter("top_n_sigma 1", [](S2Chain *c) { return s2_chain_add_top_n_sigma(c, 1.0F); },
                 {0.428571F, 0.571429F});
    check_filter("temperature 0", [](S2Chain *c) { return s2_chain_add_temperature(c, 0.0F); }, {1.0F});
    check_filter("temperature .5", [](S2Chain *c) { return s2_chain_add_temperature(c, 0.5F); },
                 {1.0F / 30, 4.0F / 30, 9.0F / 30, 16.0F / 30});
    check_filter("min_keep", [](S2Chain *c) { return s2_chain_add_top_p(c, 0.0F, 3); }, three);
    // A temperature of 0.5 for entropies from 0 to all there is: exponent 0 takes the upper end.
    check_filter("temperature_ext", [](S2Chain *c) { return s2_chain_add_temperature_ext(c, 0.25F, 0.25F, 0.0F); },
                 {16.0F / 30, 9.0F / 30, 4.0F / 30, 1.0F / 30});
    check_filter("logit_bias",
                 [](S2Chain *c) {
                     const S2LogitBias biases[] = {{3, -kInf}, {0, std::log(5.0F)}, {9, 1.0F}};
                     return s2_chain_add_logit_bias(c, biases, 3);
                 },
                 {0.5F, 0.2F, 0.3F, 0.0F});
}

// These leave the probabilities that they computed.
void kept_as_they_are() {
    const Candidates falling = with_probabilities({0.4F, 0.3F, 0.2F, 0.1F});
    const auto xtc = [](float threshold) {
        return chain_of([threshold](S2Chain *c) { return s2_chain_add_xtc(c, 1.0F, threshold, 1, 0); });
    };
    check("xtc .09", held(left(xtc(0.09F), falling)), {0.1F});
    check("xtc .29", held(left(xtc(0.29F), falling)), {0.3F, 0.2F, 0.1F});
    check("xtc .39", held(left(xtc(0.39F), falling)), {0.4F, 0.3F, 0.2F, 0.1F});
    const ChainHandle typical = chain_of([](S2Chain *c) { return s2_chain_add_typical(c, 0.5F, 1); });
    check("typical .5", held(left(typical, with_probabilities({0.4F, 0.2F, 0.2F, 0.2F}))), {0.2F, 0.2F, 0.2F});
    check("typical .5, certain", held(left(typical, with_probabilities({0.97F, 0.01F, 0.01F, 0.01F}))), {0.97F});
}

void histories() {
    const auto repeat = [](float by) {
        return [by](S2Chain *c) { return s2_chain_add_penalties(c, -1, by, 0.0F, 0.0F); };
    };
    const Candidates five = with_probabilities({0.2F, 0.2F, 0.2F, 0.2F, 0.2F});
    check("penalties 50", renormalised(left(chain_of(repeat(50.0F), {0, 1, 2}), five)),
          {0.0F, 0.0F, 0.0F, 0.5F, 0.5F});
    const Candidates signs = {{0, 2.0F, 0.0F}, {1, -2.0F, 0.0F}, {2, 1.0F, 0.0F}};
    check("penalties 1.5", logits_of(left(chain_of(repeat(1.5F), {0, 1}), signs)), {1.33333F, -3.0F, 1.0F});
    CHECK(logits_of(left(chain_of(repeat(1.5F), {0, 0, 0, 0}), signs)) ==
          logits_of(left(chain_of(repeat(1.5F), {0}), signs)));
    const auto counted = [](S2Chain *c) { return s2_chain_add_penalties(c, 3, 1.0F, 0.5F, 0.25F); };
    check("penalties by number, of the last 3", logits_of(left(chain_of(counted, {1, 0, 0, 2}), signs)),
          {0.75F, -2.0F, 0.25F});

    const auto dry = [](std::initializer_list<std::int32_t> lengths) {
        return [lengths](S2Chain *c) {
            const std::int32_t breakers[] = {7, 2, 0};
            return s2_chain_add_dry(c, 1.0F, 1.1F, 2, 5, breakers, lengths.begin(),
                                    static_cast<std::int32_t>(lengths.size()));
        };
    };
    const Candidates four = with_probabilities({0.25F, 0.25F, 0.25F, 0.25F});
    const Values penalised = {0.296923F, 0.296923F, 0.109232F, 0.296923F};
    check("dry", renormalised(left(chain_of(dry({}), {0, 1, 2, 0, 1}), four)), penalised);
    check("dry, no breaker in it", renormalised(left(chain_of(dry({1}), {0, 1, 2, 0, 1}), four)), penalised);
    // The sequence 2, 0 is a breaker, and after it there is one token only.
    check("dry, broken", renormalised(left(chain_of(dry({1, 2}), {0, 1, 2, 0, 1}), four)),
          {0.25F, 0.25F, 0.25F, 0.25F});
}

S2TokenDataArray array_of(Candidates &candidates, bool sorted) {
    return {candidates.data(), candidates.size(), 5, sorted};
}

bool same(const S2TokenData &token, std::int32_t id, float logit) {
    return token.id == id && token.logit == logit;
}

// Ids of any kind, places, and what is said of the order.
void arrays() {
    const Candidates any = {{-7, 1.0F, 0.5F}, {3, kNan, 0.5F}, {3, 2.0F, 0.5F}, {INT32_MIN, 2.0F, 0.5F},
                            {3, 2.0F, 0.5F}};
    const ChainHandle greedy = chain_of(s2_chain_add_greedy);
    Candidates candidates = any;
    S2TokenDataArray array = array_of(candidates, true);  // which is not so
    CHECK(s2_chain_apply(greedy.get(), &array) == 0 && array.selected == 3 && array.size == 5 && !array.sorted);
    CHECK(candidates[1].logit == -kInf && candidates[1].p == 0.5F);

    const ChainHandle best = chain_of([](S2Chain *c) { return s2_chain_add_top_k(c, 9); });
    candidates = any;
    array = array_of(candidates, false);
    CHECK(s2_chain_apply(best.get(), &array) == 0);
    CHECK(array.size == 4 && array.sorted && array.selected == -1 && array.data == candidates.data());
    CHECK(same(candidates[0], INT32_MIN, 2.0F) && same(candidates[1], 3, 2.0F) && same(candidates[2], 3, 2.0F) &&
          same(candidates[3], -7, 1.0F));
    CHECK(s2_chain_add_greedy(best.get()) == 1);
    CHECK(s2_chain_apply(best.get(), &array) == 0 && array.selected == 0);

    // Nothing but -inf: the first in rank order, and it can be selected.
    candidates = {{9, -kInf, 0.0F}, {4, kNan, 0.0F}};
    array = array_of(candidates, false);
    CHECK(s2_chain_apply(best.get(), &array) == 0 && array.size == 1 && array.selected == 0);
    CHECK(same(candidates[0], 4, -kInf));

    // The draw's probabilities are written beside the candidates, which stay in their order.
    const ChainHandle dist = chain_of([](S2Chain *c) { return s2_chain_add_dist(c, 1); });
    candidates = with_probabilities({0.1F, 0.2F, 0.3F, 0.4F});
    for (S2TokenData &token : candidates) token.logit += 3.0F, token.p = -1.0F;
    array = array_of(candidates, false);
    CHECK(s2_chain_apply(dist.get(), &array) == 0);
    CHECK(array.selected >= 0 && array.selected < 4 && array.size == 4 && !array.sorted);
    check("dist", held(candidates), {0.1F, 0.2F, 0.3F, 0.4F});

    // Without a stage, and with stages that are off, nothing happens.
    const ChainHandle none = own(s2_chain_new(0));
    candidates = any;
    array = array_of(candidates, false);
    CHECK(s2_chain_apply(none.get(), &array) == 0 && array.size == 5 && array.selected == -1 && !array.sorted);
    CHECK(same(candidates[0], -7, 1.0F) && same(candidates[3], INT32_MIN, 2.0F));
}

// Accepted is what was said to be, and a token of an array is not.
void applying_accepts_nothing() {
    const ChainHandle chain = chain_of([](S2Chain *c) { return s2_chain_add_penalties(c, -1, 1.0F, 1.0F, 0.0F); });
    CHECK(s2_chain_add_greedy(chain.get()) == 1);
    const Values row = {1.0F, 1.5F, 0.25F};
    for (int twice = 0; twice < 2; ++twice) {
        Candidates candidates = {{0, 1.0F, 0.0F}, {1, 1.5F, 0.0F}};
        S2TokenDataArray array = array_of(candidates, false);
        CHECK(s2_chain_apply(chain.get(), &array) == 0 && array.selected == 1 && candidates[1].logit == 1.5F);
    }
    CHECK(s2_chain_sample(chain.get(), row.data(), 3) == 1);
    CHECK(s2_chain_sample(chain.get(), row.data(), 3) == 0);
    CHECK(s2_chain_accept(chain.get(), 1) == 0 && s2_chain_accept(chain.get(), 0) == 0);
    CHECK(s2_chain_sample(chain.get(), row.data(), 3) == 2);
    s2_chain_reset(chain.get());
    CHECK(s2_chain_sample(chain.get(), row.data(), 3) == 1);
}

}  // namespace

int main() {
    filters();
    kept_as_they_are();
    histories();
    arrays();
    applying_accepts_nothing();
}
