// Arrays of candidates of all kinds: size, order, place and probabilities after a chain was applied.
// What each stage computes is tested in core/tests/suite/chain_values.rs.
#include <s2sampler.h>

#include "support/check.h"
#include "support/handles.hpp"
#include "support/rows.hpp"

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
    ChainHandle chain = own(s2_chain_new());
    CHECK(add(chain.get()) == 0);
    for (const std::int32_t token : history) CHECK(s2_chain_accept(chain.get(), token) == 0);
    return chain;
}

// The probabilities as the stage left them.
Values held(const Candidates &candidates) {
    Values values;
    for (const S2TokenData &token : candidates) values.push_back(token.p);
    return values;
}

void check(const char *name, const Values &values, const Values &expected) {
    CHECK_CASE(values.size() == expected.size(), "%s: %zu left", name, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK_CASE(std::fabs(values[i] - expected[i]) <= 1e-5F, "%s: place %zu has %.7g", name, i,
                   static_cast<double>(values[i]));
    }
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

    // Nothing but -inf: nothing to select.
    candidates = {{9, -kInf, 0.0F}, {4, kNan, 0.0F}};
    array = array_of(candidates, false);
    CHECK(s2_chain_apply(best.get(), &array) == S2_ERROR_NO_CANDIDATE);

    // The draw's probabilities are written beside the candidates, which stay in their order.
    const ChainHandle dist = chain_of([](S2Chain *c) { return s2_chain_add_dist(c, 1); });
    candidates = with_probabilities({0.1F, 0.2F, 0.3F, 0.4F});
    for (S2TokenData &token : candidates) token.logit += 3.0F, token.p = -1.0F;
    array = array_of(candidates, false);
    CHECK(s2_chain_apply(dist.get(), &array) == 0);
    CHECK(array.selected >= 0 && array.selected < 4 && array.size == 4 && !array.sorted);
    check("dist", held(candidates), {0.1F, 0.2F, 0.3F, 0.4F});

    // Without a stage, and with stages that are off, nothing happens.
    const ChainHandle none = own(s2_chain_new());
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
    arrays();
    applying_accepts_nothing();
}
