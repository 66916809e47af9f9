// The drop-in with the caller's own std::mt19937: the tokens, and the words it takes, are those of a
// sampler that hands the generator to std::discrete_distribution.
#include <s2sampler.h>

#include "support/check.h"
#include "support/oracle.hpp"
#include "support/rows.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace s2 {
struct SamplerParams {
    float temperature = 0.8F;
    float top_p = 0.8F;
    int32_t top_k = 30;
};
int32_t sample_token(const float *logits, int32_t vocab_size, const SamplerParams &params,
                     std::mt19937 *rng);
}  // namespace s2

namespace {

std::int32_t draw(const std::vector<float> &row, const SamplerParams &params, std::mt19937 *rng) {
    s2::SamplerParams same;
    same.temperature = params.temperature;
    same.top_p = params.top_p;
    same.top_k = params.top_k;
    return s2::sample_token(row.data(), static_cast<std::int32_t>(row.size()), same, rng);
}

}  // namespace

int main() {
    const std::vector<std::vector<float>> rows = {
        {1, 2, 3, 2.5F}, {7}, {5, -kInf, -kInf}, {kNan, 1, 1.5F}, {-kInf, kNan}, {1, kInf, kInf}};
    const SamplerParams all_params[] = {{0.8F, 0.8F, 30}, {1, kNan, 0}, {1, 1, 0}, {0, 1, 0},
                                        {kNan, 1, 0},     {1, 0, 0},    {2, 1, 1}, {kInf, 1, 0}};
    std::mt19937 rng(11);
    std::mt19937 mirror(11);
    for (int round = 0; round < 50; ++round) {
        for (const std::vector<float> &row : rows) {
            for (const SamplerParams &params : all_params) {
                CHECK(draw(row, params, &rng) == oracle_draw(row, params, mirror));
                CHECK(rng == mirror);
            }
        }
    }

    // Without a generator it is this thread's.
    s2_seed_thread(4);
    std::mt19937 thread(4);
    for (int i = 0; i < 50; ++i) {
        CHECK(draw(rows[0], {1, 1, 0}, nullptr) == oracle_draw(rows[0], {1, 1, 0}, thread));
    }

    // Errors are token 0 and take no words.
    CHECK(draw({}, {1, 1, 0}, &rng) == 0);
    CHECK(s2::sample_token(nullptr, 3, s2::SamplerParams(), &rng) == 0);
    CHECK(s2::sample_token(nullptr, 3, s2::SamplerParams(), nullptr) == 0);
    CHECK(rng == mirror);
    return 0;
}
