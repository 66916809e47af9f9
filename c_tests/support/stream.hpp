// Where the library's stream stands: found by drawing, since the library does not tell.
#ifndef S2_TESTS_STREAM_HPP
#define S2_TESTS_STREAM_HPP

#include <s2sampler.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

// Whether this thread's generator is in the state of `mirror`. Six draws of one among 1,024 equal
// candidates are compared: a stream at another place passes once in 2^60. Both move on by 12 words.
inline bool stream_is_at(std::mt19937 &mirror) {
    static const std::vector<float> equal(1024, 0.0F);
    const SamplerParams uniform = {1.0F, std::nanf(""), 0};
    std::discrete_distribution<std::int32_t> expected(equal.size(), 0.0, 1.0,
                                                      [](double) { return 1.0; });
    bool same = true;
    for (int i = 0; i < 6; ++i) {
        same &= s2_sample_token(equal.data(), 1024, &uniform) == expected(mirror);
    }
    return same;
}

#endif
