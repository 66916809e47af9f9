// The drop-in that keeps one id among the candidates: how often it is drawn follows from its logit.
#include <s2sampler.h>

#include "support/check.h"
#include "support/rows.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace s2 {
struct SamplerParams {
    float temperature = 0.8F;
    float top_p = 0.8F;
    int32_t top_k = 30;
};
int32_t sample_token(const float *logits, int32_t vocab_size, const SamplerParams &params,
                     int32_t always_include_id);
}  // namespace s2

namespace s2sampler {
void seed_dropin_thread(std::uint32_t seed);
}

namespace {

constexpr int kDraws = 4000;

// How often `id` was drawn; nothing but it and the best token may be.
int count(const std::vector<float> &row, std::int32_t id, std::int32_t keep) {
    s2::SamplerParams params;
    params.temperature = 1;
    params.top_k = 1;
    s2sampler::seed_dropin_thread(3);
    int seen = 0;
    for (int i = 0; i < kDraws; ++i) {
        const std::int32_t token =
            s2::sample_token(row.data(), static_cast<std::int32_t>(row.size()), params, keep);
        CHECK(token == id || token == 0);
        seen += token == id;
    }
    return seen;
}

}  // namespace

int main() {
    const std::vector<float> row = {std::log(0.6F), std::log(0.2F), std::log(0.2F), -kInf};
    // One in four; five standard deviations are 137.
    CHECK(std::abs(count(row, 2, 2) - kDraws / 4) < 137);
    CHECK(count(row, 2, -1) == 0);
    CHECK(count(row, 3, 3) == 0);
    CHECK(count(row, 4, 4) == 0);

    // Without an id it is the plain sampler, with a generator of its own, seeded alike.
    s2sampler::seed_dropin_thread(8);
    s2_seed_thread(8);
    const SamplerParams defaults = s2_sampler_params_default();
    for (int i = 0; i < 200; ++i) {
        CHECK(s2::sample_token(row.data(), 4, s2::SamplerParams(), -1) ==
              s2_sample_token(row.data(), 4, &defaults));
    }
    CHECK(s2::sample_token(row.data(), 0, s2::SamplerParams(), 1) == 0);
    CHECK(s2::sample_token(nullptr, 3, s2::SamplerParams(), 1) == 0);
    return 0;
}
