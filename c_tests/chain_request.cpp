// s2_chain_sample_ex against a copy that is masked by hand, and the methods of dist against the standard library.
// The probabilities are tested in core/tests/suite/chain_requests.rs.
#include <s2sampler.hpp>

#include "support/check.h"
#include "support/rows.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace {

using s2sampler::Chain;

// Weights as dist computes them; their logits are exact logarithms only to an ulp, so they come from the logits.
std::vector<double> weights(const std::vector<float> &row) {
    const float top = *std::max_element(row.begin(), row.end());
    std::vector<double> w;
    for (const float logit : row) w.push_back(static_cast<double>(std::exp(logit - top)));
    return w;
}

// std::discrete_distribution itself, in the order of the list, of ids and of ranks; one candidate takes no word.
void discrete() {
#ifdef __GLIBCXX__
    SplitMix64 random(3);
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        const std::size_t n = 1 + random.below(40);
        std::vector<float> row = bell(n, 1e-6F, seed);
        for (const std::int32_t order : {S2_DIST_LIST_ORDER, S2_DIST_ID_ORDER, S2_DIST_RANK_ORDER}) {
            s2sampler::TokenData tokens[40];
            std::vector<float> listed;
            for (std::size_t i = 0; i < n; ++i) {
                // Falling ids.
                const auto id = static_cast<std::int32_t>(n - 1 - i);
                tokens[i] = {id, row[static_cast<std::size_t>(id)], 0.0F};
            }
            if (order == S2_DIST_RANK_ORDER) {
                listed = row;
                std::sort(listed.begin(), listed.end(), std::greater<>());
            } else {
                listed = row;
                if (order == S2_DIST_LIST_ORDER) std::reverse(listed.begin(), listed.end());
            }
            const std::vector<double> w = weights(listed);
            std::mt19937 mt(seed);
            std::discrete_distribution<std::int32_t> distribution(w.begin(), w.end());
            S2DistOptions options = s2sampler::dist_options(seed);
            options.method = S2_DIST_DISCRETE;
            options.order = order;
            Chain chain;
            chain.dist(options);
            const S2TokenDataArray array = {tokens, n, -1, false};
            for (int i = 0; i < 20; ++i) {
                const std::int32_t place = distribution(mt);
                S2ChainResult result = s2sampler::make_chain_result();
                const auto drawn = chain.sample(s2sampler::make_chain_request(array), &result);
                CHECK_CASE(drawn.ok(), "seed %u", seed);
                const float logit = row[static_cast<std::size_t>(drawn.token())];
                CHECK_CASE(logit == listed[static_cast<std::size_t>(place)], "seed %u order %d draw %d", seed, order, i);
                CHECK(result.words == (n < 2 ? 0U : 2U));
            }
        }
    }
    // A candidate at -inf counts.
    Chain chain;
    S2DistOptions options = s2sampler::dist_options(1);
    options.method = S2_DIST_DISCRETE;
    chain.dist(options);
    S2ChainResult result = s2sampler::make_chain_result();
    const std::vector<float> row = {-kInf, 2.0F};
    CHECK(chain.sample(s2sampler::make_chain_request(row), &result).token() == 1 && result.words == 2);
#endif
}

// A masked row against a copy with -inf, for chains of several kinds and every mask.
void masks() {
    SplitMix64 random(5);
    for (std::uint32_t seed = 0; seed < 400; ++seed) {
        const std::size_t n = 1 + random.below(3000);
        const std::vector<float> row = random.below(2) == 0 ? bell(n, 2e-6F, seed) : peaky(n, 1e-6F, seed);
        std::vector<float> copy = row;
        std::vector<std::int32_t> bits((n + 31) / 32);
        std::vector<std::int32_t> banned;
        std::vector<S2TokenRange> ranges;
        const bool use_bits = random.below(2) == 0;
        const std::uint64_t sparse = random.below(3);
        for (std::int32_t &word : bits) {
            std::uint64_t bit = random.next();
            for (std::uint64_t i = 0; i < sparse * 2; ++i) bit &= random.next();
            word = static_cast<std::int32_t>(static_cast<std::uint32_t>(bit));
        }
        const std::size_t many = random.below(200);
        for (std::size_t i = 0; i < many; ++i) {
            banned.push_back(static_cast<std::int32_t>(random.below(n)));
            const auto first = static_cast<std::int32_t>(random.below(n));
            ranges.push_back({first, first + static_cast<std::int32_t>(random.below(100))});
        }
        std::vector<bool> in_ranges(n + 200, ranges.empty());
        for (const S2TokenRange &range : ranges) {
            for (std::int32_t id = range.first; id <= range.last; ++id) in_ranges[static_cast<std::size_t>(id)] = true;
        }
        bool any = false;
        for (std::size_t i = 0; i < n; ++i) {
            const bool bit = (static_cast<std::uint32_t>(bits[i / 32]) >> (i % 32) & 1U) == 1U;
            const bool open = in_ranges[i] && (!use_bits || bit);
            any = any || open;
            if (!open) copy[i] = -kInf;
        }
        for (const std::int32_t id : banned) copy[static_cast<std::size_t>(id)] = -kInf;
        S2ChainRequest request = s2sampler::make_chain_request(row);
        request.bitmask = bits.data();
        request.n_bitmask = use_bits ? static_cast<std::int32_t>(bits.size()) : 0;
        request.ranges = ranges.data();
        request.n_ranges = static_cast<std::int32_t>(ranges.size());
        request.banned = banned.data();
        request.n_banned = static_cast<std::int32_t>(banned.size());
        S2SampleRequest plain = s2sampler::make_request(row);
        plain.bitmask = request.bitmask;
        plain.n_bitmask = request.n_bitmask;
        plain.ranges = request.ranges;
        plain.n_ranges = request.n_ranges;
        plain.banned = request.banned;
        plain.n_banned = request.n_banned;

        Chain first;
        first.top_k(40).top_p(0.95F).temperature(0.8F).dist(seed);
        Chain second = first.clone();
        s2sampler::Sampler sampler = s2sampler::Sampler::with_seed(seed);
        s2sampler::Sampler other = sampler.clone();
        for (int draw = 0; draw < 3; ++draw) {
            const auto got = first.sample(request);
            const auto want = any ? second.sample(copy) : s2sampler::Result(S2_ERROR_EMPTY_ROW);
            CHECK_CASE(got.value_or(got.status()) == want.value_or(want.status()), "seed %u draw %d", seed, draw);
            const auto asked = sampler.sample(plain);
            const auto masked = any ? other.sample(copy) : s2sampler::Result(S2_ERROR_EMPTY_ROW);
            CHECK_CASE(asked.value_or(asked.status()) == masked.value_or(masked.status()), "seed %u", seed);
        }
    }
}

// What a caller's numbers select, worked out by hand: weights 1, 2, 1.
void uniforms() {
    const std::vector<float> row = {0.0F, std::log(2.0F), 0.0F};
    struct {
        double u;
        std::int32_t in_id_order;
        std::int32_t in_rank_order;
    } const cases[] = {{0.0, 0, 1}, {0.2, 0, 1}, {0.3, 1, 1}, {0.6, 1, 0}, {0.8, 2, 2}, {1.0, 2, 2}};
    for (const auto &one : cases) {
        for (const std::int32_t order : {S2_DIST_ID_ORDER, S2_DIST_RANK_ORDER}) {
            for (const std::int32_t sums : {S2_SUMS_DOUBLE, S2_SUMS_FLOAT}) {
                S2DistOptions options = s2sampler::dist_options(1);
                options.order = order;
                options.sums = sums;
                Chain chain;
                chain.dist(options);
                S2ChainRequest request = s2sampler::make_chain_request(row);
                request.uniforms = &one.u;
                request.n_uniforms = 1;
                const std::int32_t want = order == S2_DIST_ID_ORDER ? one.in_id_order : one.in_rank_order;
                CHECK_CASE(chain.sample(request).token() == want, "u %g, order %d", one.u, order);
            }
        }
    }
    // A race: id 2 arrives first, 1 / -ln(u).
    const double numbers[] = {0.1, 0.1, 0.9};
    for (const std::int32_t method : {S2_DIST_EXPONENTIAL_RACE, S2_DIST_GUMBEL_RACE}) {
        S2DistOptions options = s2sampler::dist_options(1);
        options.method = method;
        Chain chain;
        chain.dist(options);
        S2ChainRequest request = s2sampler::make_chain_request(row);
        request.uniforms = numbers;
        request.n_uniforms = 3;
        S2ChainResult result = s2sampler::make_chain_result();
        CHECK(chain.sample(request, &result).token() == 2 && result.uniforms == 3 && result.words == 0);
        request.n_uniforms = 2;
        CHECK(chain.sample(request, &result).status() == S2_ERROR_BAD_ARGUMENT);
    }
}

}  // namespace

int main() {
    discrete();
    masks();
    uniforms();
    return 0;
}
