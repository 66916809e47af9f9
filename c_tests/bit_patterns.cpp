// 300,000 calls on arbitrary bits in logits and parameters: ids in range, nothing that is masked, and
// the oracle's token.
#include <s2sampler.h>

#include "support/check.h"
#include "support/oracle.hpp"
#include "support/rows.hpp"
#include "support/stream.hpp"

#include <cstring>
#include <memory>
#include <vector>

namespace {

float from_bits(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Uniform bits are a NaN or an infinity once in 128 and hardly ever a special number or a tie, so a
// part of the values comes from a list of those.
float any_float(SplitMix64 &rng, std::uint64_t specials_in_16) {
    static const float specials[] = {kNan,    -kNan, kInf,  -kInf,   0.0F,    -0.0F,    1e-45F, -1e-45F,
                                     0x1p-126F, 1.0F,  -1.0F, 3.0e38F, -3.0e38F, from_bits(0x7f800001), 88.0F, -104.0F};
    const std::uint64_t r = rng.next();
    return (r >> 60) < specials_in_16 ? specials[(r >> 32) % 16] : from_bits(static_cast<std::uint32_t>(r));
}

bool drawable(float logit) { return logit > -kInf; }  // false for NaN

}  // namespace

int main() {
    constexpr int calls = 300000;
    s2_seed_thread(300);
    std::mt19937 mirror(300);
    SplitMix64 rng(2);
    int rows_without_inf = 0;
    for (int call = 0; call < calls; ++call) {
        const std::size_t n = 1 + rng.below(300);
        // Pure bits, half and half, specials only. +inf decides a row at once, so every other row has
        // none.
        const std::uint64_t specials_in_16 = (call / 2 % 3) * 8;
        // Of exact size and at every alignment a float allows, for the tools that watch the edges.
        const std::size_t shift = rng.below(4);
        const std::unique_ptr<float[]> buffer(new float[shift + n]);
        float *row = buffer.get() + shift;
        bool has_drawable = false;
        bool has_inf = false;
        for (std::size_t i = 0; i < n; ++i) {
            row[i] = any_float(rng, specials_in_16);
            if (call % 2 == 0 && row[i] == kInf) row[i] = 3.0e38F;
            has_drawable = has_drawable || drawable(row[i]);
            has_inf = has_inf || row[i] == kInf;
        }
        rows_without_inf += has_inf ? 0 : 1;
        const SamplerParams params = {any_float(rng, 8), any_float(rng, 8),
                                      static_cast<std::int32_t>(static_cast<std::uint32_t>(rng.next() >> (rng.below(2) * 24 + 32)))};
        const std::int32_t token = s2_sample_token(row, static_cast<std::int32_t>(n), &params);
        CHECK_CASE(token >= 0 && token < static_cast<std::int32_t>(n), "call %d: %d", call, token);
        CHECK_CASE(drawable(row[token]) || !has_drawable, "call %d: %d", call, token);
        const std::int32_t expected = oracle_draw(std::vector<float>(row, row + n), params, mirror);
        CHECK_CASE(token == expected, "call %d, n=%zu, T=%g p=%g k=%d: %d, not %d", call, n,
                   static_cast<double>(params.temperature), static_cast<double>(params.top_p),
                   params.top_k, token, expected);
    }
    CHECK(rows_without_inf > calls / 3);
    CHECK(stream_is_at(mirror));
}
