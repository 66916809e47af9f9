// A million draws against the standard library's own std::mt19937 and std::discrete_distribution.
//
// The streams are seeded once and never brought together again, so one draw that uses another number
// of random words than the oracle's makes all that follow differ.
#include <s2sampler.h>

#include "support/check.h"
#include "support/oracle.hpp"
#include "support/rows.hpp"
#include "support/stream.hpp"

#include <vector>

namespace {

// A draw in 50,000 is from a long row: the sums of long rows round more often.
std::size_t row_length(int draw, SplitMix64 &rng) {
    return draw % 50000 == 0 ? 20000 : 1 + rng.below(40);
}

std::vector<float> any_row(std::size_t n, SplitMix64 &rng) {
    const float scale = std::ldexp(1.0F, -18 - static_cast<int>(rng.below(5)));
    const char *const families[] = {"bell", "peaky", "masked", "tied"};
    return family_row(families[rng.below(4)], n, scale, rng.next());
}

SamplerParams any_params(SplitMix64 &rng) {
    const float temperatures[] = {0.8F, 1.0F, 0.1F, 2.0F, 1e-6F, 0.0F, -1.0F, kInf, kNan};
    const float nuclei[] = {0.8F, 0.9F, 0.95F, 1.0F, 0.5F, 0.0F, 2.0F, kNan};
    const std::int32_t limits[] = {30, 0, 1, 2, 5, 50, -1, INT32_MAX, INT32_MIN};
    return {temperatures[rng.below(9)], nuclei[rng.below(8)], limits[rng.below(9)]};
}

}  // namespace

int main() {
    constexpr int draws = 1000000;
    constexpr std::uint32_t seed = 5489;
    s2_seed_thread(seed);
    std::mt19937 mirror(seed);
    SplitMix64 rng(1);
    for (int draw = 0; draw < draws; ++draw) {
        const std::vector<float> row = any_row(row_length(draw, rng), rng);
        const SamplerParams params = any_params(rng);
        const std::int32_t expected = oracle_draw(row, params, mirror);
        const std::int32_t token =
            s2_sample_token(row.data(), static_cast<std::int32_t>(row.size()), &params);
        CHECK_CASE(token == expected, "draw %d, n=%zu, T=%g p=%g k=%d: %d, not %d", draw, row.size(),
                   static_cast<double>(params.temperature), static_cast<double>(params.top_p),
                   params.top_k, token, expected);
    }
    CHECK(stream_is_at(mirror));
}
