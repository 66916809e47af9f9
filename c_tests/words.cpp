// The random words each call uses, 0 or 2, as the header states them; and what the streams of seeds
// are.
#include <s2sampler.h>

#include "support/check.h"
#include "support/rows.hpp"
#include "support/stream.hpp"

#include <random>
#include <vector>

namespace {

struct Case {
    std::vector<float> row;
    SamplerParams params;
    unsigned words;
};

const std::vector<Case> &cases() {
    static const std::vector<Case> all = {
        {{0, 0}, {1, 1, 0}, 2},
        {{0, 0}, {1, 0.5F, 0}, 0},             // the second would carry the sum past top_p
        {{0, 0}, {1, 1, 1}, 0},                // one candidate by top_k
        {{0, 0}, {1, 1, 2}, 2},
        {{0, 0}, {0, 1, 0}, 0},                // greedy
        {{0, 0}, {-0.0F, 1, 0}, 0},
        {{0, 0}, {-kInf, 1, 0}, 0},
        {{0, 0}, {kNan, 1, 0}, 2},             // NaN is not greedy
        {{0, 0}, {kInf, 1, 0}, 2},
        {{0, 0}, {1e-45F, 1, 0}, 2},
        {{0, 0}, {1, kNan, 0}, 2},
        {{3}, {1, 1, 0}, 0},
        {{5, -kInf, -kInf}, {1, 1, 0}, 2},     // -inf entries are ranks
        {{5, -kInf, -kInf}, {1, 0.9F, 0}, 0},
        {{5, kNan, kNan}, {1, 1, 0}, 2},       // and NaN counts as -inf
        {{5, -kInf, -kInf}, {1, 1, 1}, 0},
        {{-kInf, -kInf}, {1, 0.9F, 0}, 2},
        {{-kInf, -kInf}, {0, 0.9F, 0}, 0},
        {{-kInf, -kInf}, {1, 0.9F, 1}, 0},
        {{-kInf}, {1, 0.9F, 0}, 0},
        {{kNan, kNan, kNan}, {1, 0.9F, 0}, 2},
        {{0, kInf}, {1, 0.9F, 0}, 2},
        {{0, kInf}, {0, 0.9F, 0}, 0},
        {{0, kInf}, {1, 0.9F, 1}, 0},
        {{kInf}, {1, 0.9F, 0}, 0},
    };
    return all;
}

std::int32_t draw(const Case &one) {
    return s2_sample_token(one.row.data(), static_cast<std::int32_t>(one.row.size()), &one.params);
}

}  // namespace

int main() {
    for (std::size_t i = 0; i < cases().size(); ++i) {
        s2_seed_thread(99);
        std::mt19937 mirror(99);
        CHECK_CASE(draw(cases()[i]) >= 0, "case %zu", i);
        mirror.discard(cases()[i].words);
        CHECK_CASE(stream_is_at(mirror), "case %zu does not use %u words", i, cases()[i].words);
    }

    // Calls that fail or have nothing to draw from use none.
    s2_seed_thread(99);
    std::mt19937 mirror(99);
    const float row[2] = {0, 0};
    CHECK(s2_sample_token(nullptr, 2, nullptr) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sample_token(row, 0, nullptr) == 0);
    CHECK(s2_sample_token(row, -1, nullptr) == 0);
    CHECK(stream_is_at(mirror));

    // No seed is special.
    for (const std::uint32_t seed : {0U, 1U, 5489U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
        s2_seed_thread(seed);
        mirror.seed(seed);
        CHECK_CASE(stream_is_at(mirror), "seed %u", seed);
        // Beyond the first block of 624 words too.
        for (int i = 0; i < 100; ++i) CHECK_CASE(stream_is_at(mirror), "seed %u", seed);
    }
}
