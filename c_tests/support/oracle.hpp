// The slow, obvious sampler: sorts the whole row and draws with the standard library's own
// std::discrete_distribution. It shares nothing with the library under test.
#ifndef S2_TESTS_ORACLE_HPP
#define S2_TESTS_ORACLE_HPP

#include <s2sampler.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#if !defined(__GLIBCXX__)
#error "the draw is defined as that of libstdc++; these tests need it"
#endif

inline float running_sum(const std::vector<float> &values) {
    return std::accumulate(values.begin(), values.end(), 0.0F);
}

inline void divide(std::vector<float> &values, float by) {
    for (float &value : values) {
        value /= by;
    }
}

inline std::int32_t oracle_draw(const std::vector<float> &logits, const SamplerParams &params,
                                std::mt19937 &rng) {
    std::vector<float> row(logits);
    for (float &logit : row) {
        if (std::isnan(logit)) logit = -INFINITY;
    }
    std::vector<std::int32_t> ids(row.size());
    std::iota(ids.begin(), ids.end(), 0);
    std::stable_sort(ids.begin(), ids.end(), [&row](std::int32_t a, std::int32_t b) {
        return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
    });
    std::vector<float> ranked;
    for (std::int32_t id : ids) ranked.push_back(row[static_cast<std::size_t>(id)]);

    const std::size_t n = ids.size();
    const std::size_t k =
        params.top_k > 0 ? std::min(static_cast<std::size_t>(params.top_k), n) : n;
    const float max = ranked[0];
    if (params.temperature <= 0.0F) return ids[0];
    if (std::isinf(max)) {
        if (k > 1) rng.discard(2);
        return ids[0];
    }

    std::vector<float> share;
    for (float logit : ranked) share.push_back(std::exp(logit - max));
    divide(share, running_sum(share));
    const float p = std::min(std::max(params.top_p, 0.0F), 1.0F);
    float reached = 0.0F;
    std::size_t kept = 0;
    for (; kept < k; ++kept) {
        reached += share[kept];
        if (kept > 0 && !std::isnan(params.top_p) && reached > p) break;
    }

    std::vector<float> weights;
    for (std::size_t i = 0; i < kept; ++i) {
        weights.push_back(std::isnan(params.temperature)
                              ? (ranked[i] == max ? 1.0F : 0.0F)
                          : params.temperature == INFINITY
                              ? (ranked[i] > -INFINITY ? 1.0F : 0.0F)
                              : std::exp((ranked[i] - max) / params.temperature));
    }
    if (running_sum(weights) > 0.0F) divide(weights, running_sum(weights));
    const float total = running_sum(weights);
    if (total <= 0.0F) return ids[0];
    divide(weights, total);
    std::discrete_distribution<std::int32_t> draw(weights.begin(), weights.end());
    return ids[static_cast<std::size_t>(draw(rng))];
}

#endif
