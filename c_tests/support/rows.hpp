// Rows of logits that are the same on every machine: the families of the golden files.
#ifndef S2_TESTS_ROWS_HPP
#define S2_TESTS_ROWS_HPP

#include "check.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t state) : state_(state) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }

    // A number below `limit`; the slight bias does not matter to a test.
    std::uint64_t below(std::uint64_t limit) { return next() % limit; }

private:
    std::uint64_t state_;
};

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Sums of three uniforms, scaled: the shape of a normal distribution.
inline std::vector<float> bell(std::size_t n, float scale, std::uint64_t seed) {
    SplitMix64 rng(seed);
    std::vector<float> row(n);
    for (float &logit : row) {
        const std::uint64_t r = rng.next();
        const std::uint64_t x = (r & 0x1fffff) + (r >> 21 & 0x1fffff) + (r >> 42 & 0x1fffff);
        logit = static_cast<float>(static_cast<std::int64_t>(x) - 3145727) * scale;
    }
    return row;
}

// A bell with a few logits far above it.
inline std::vector<float> peaky(std::size_t n, float scale, std::uint64_t seed) {
    std::vector<float> row = bell(n, scale, seed);
    SplitMix64 rng(seed ^ 0xD1B54A32D192ED03U);
    const std::size_t peaks = n < 50 ? 1 + n / 8 : 50;
    for (std::size_t i = 0; i < peaks; ++i) {
        const std::uint64_t a = rng.next();
        const std::uint64_t b = rng.next();
        row[a % n] = static_cast<float>(b & 0xffffff) * 0x1p-21F + 8.0F;
    }
    return row;
}

// A bell of which only the last stretch and one id before it are allowed.
inline std::vector<float> masked(std::size_t n, float scale, std::uint64_t seed) {
    std::vector<float> row = bell(n, scale, seed);
    const std::size_t allowed = n >= 4097 ? 4096 : (n + 1) / 2;
    const std::size_t begin = n - allowed;
    for (std::size_t i = 0; i < begin; ++i) {
        if (i != begin / 2) {
            row[i] = -kInf;
        }
    }
    return row;
}

// A bell in steps of an eighth, so that many logits are equal.
inline std::vector<float> tied(std::size_t n, float scale, std::uint64_t seed) {
    std::vector<float> row = bell(n, scale, seed);
    for (float &logit : row) {
        logit = std::floor(logit * 8.0F) * 0.125F;
    }
    return row;
}

inline std::vector<float> family_row(const std::string &family, std::size_t n, float scale,
                                     std::uint64_t seed) {
    if (family == "bell") return bell(n, scale, seed);
    if (family == "peaky") return peaky(n, scale, seed);
    if (family == "masked") return masked(n, scale, seed);
    CHECK_CASE(family == "tied", "family %s", family.c_str());
    return tied(n, scale, seed);
}

#endif
