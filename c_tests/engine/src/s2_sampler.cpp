// The engine's own sampler, in the plainest form: rank the whole row, then walk down.
//
// The tests and the demo hold the library against it, so it shares nothing with the library.
#include "../include/s2_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace s2 {
namespace {

std::mt19937 & generator() {
    thread_local std::mt19937 rng{std::random_device{}()};
    return rng;
}

int32_t draw(const std::vector<float> & weights) {
    std::discrete_distribution<int32_t> distribution(weights.begin(), weights.end());
    return distribution(generator());
}

float sum(const std::vector<float> & values) {
    float total = 0.0f;
    for (float value : values) {
        total += value;
    }
    return total;
}

}

void seed_sampler(uint32_t seed) {
    generator().seed(seed);
}

int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params) {
    if (logits == nullptr || vocab_size <= 0) {
        return 0;
    }
    const size_t n = static_cast<size_t>(vocab_size);
    std::vector<std::pair<float, int32_t>> ranked(n);
    for (size_t i = 0; i < n; ++i) {
        const float logit =
            std::isnan(logits[i]) ? -std::numeric_limits<float>::infinity() : logits[i];
        ranked[i] = {logit, static_cast<int32_t>(i)};
    }
    std::sort(ranked.begin(), ranked.end(), [](const auto & a, const auto & b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });

    const size_t k = params.top_k > 0 ? std::min(static_cast<size_t>(params.top_k), n) : n;
    const float p = std::isnan(params.top_p) ? std::numeric_limits<float>::infinity()
                                             : std::min(std::max(params.top_p, 0.0f), 1.0f);
    const float top = ranked[0].first;
    const bool greedy = params.temperature <= 0.0f;
    if (std::isinf(top)) {
        if (k > 1 && !greedy) {
            generator().discard(2);
        }
        return ranked[0].second;
    }

    std::vector<float> exps(n);
    for (size_t i = 0; i < n; ++i) {
        exps[i] = std::exp(ranked[i].first - top);
    }
    const float total = sum(exps);
    size_t kept = 0;
    float running = 0.0f;
    while (kept < k) {
        running += exps[kept] / total;
        if (kept > 0 && running > p) {
            break;
        }
        ++kept;
    }
    if (greedy || kept == 1) {
        return ranked[0].second;
    }

    std::vector<float> weights(kept);
    for (size_t i = 0; i < kept; ++i) {
        const float below = ranked[i].first - top;
        weights[i] = std::isnan(params.temperature) ? (below == 0.0f ? 1.0f : 0.0f)
                                                    : std::exp(below / params.temperature);
    }
    // Twice, as the contract's candidates are normalised once as probabilities and once as weights.
    for (int pass = 0; pass < 2; ++pass) {
        const float scale = sum(weights);
        if (!(scale > 0.0f)) {
            return ranked[0].second;
        }
        for (float & weight : weights) {
            weight /= scale;
        }
    }
    return ranked[static_cast<size_t>(draw(weights))].second;
}

}
