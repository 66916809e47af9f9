// The bare pass, with eight accumulators so that loads and not latencies set the pace.
#include "max_pass.hpp"

#include <algorithm>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

float plain(const float * values, size_t n) {
    float largest = -std::numeric_limits<float>::infinity();
    for (size_t i = 0; i < n; ++i) {
        largest = std::max(largest, values[i]);
    }
    return largest;
}

#if defined(__x86_64__)

__attribute__((target("avx512f"))) float avx512(const float * values, size_t n) {
    __m512 most[8];
    for (__m512 & m : most) {
        m = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
    }
    size_t i = 0;
    for (; i + 128 <= n; i += 128) {
        for (size_t j = 0; j < 8; ++j) {
            most[j] = _mm512_max_ps(_mm512_loadu_ps(values + i + 16 * j), most[j]);
        }
    }
    for (size_t j = 1; j < 8; ++j) {
        most[0] = _mm512_max_ps(most[0], most[j]);
    }
    alignas(64) float lanes[16];
    _mm512_store_ps(lanes, most[0]);
    return std::max(plain(lanes, 16), plain(values + i, n - i));
}

__attribute__((target("avx2"))) float avx2(const float * values, size_t n) {
    __m256 most[8];
    for (__m256 & m : most) {
        m = _mm256_set1_ps(-std::numeric_limits<float>::infinity());
    }
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        for (size_t j = 0; j < 8; ++j) {
            most[j] = _mm256_max_ps(_mm256_loadu_ps(values + i + 8 * j), most[j]);
        }
    }
    for (size_t j = 1; j < 8; ++j) {
        most[0] = _mm256_max_ps(most[0], most[j]);
    }
    alignas(32) float lanes[8];
    _mm256_store_ps(lanes, most[0]);
    return std::max(plain(lanes, 8), plain(values + i, n - i));
}

#endif

struct Pass {
    float (*run)(const float *, size_t);
    const char * name;
};

const Pass pass = [] {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) {
        return Pass{avx512, "avx512"};
    }
    if (__builtin_cpu_supports("avx2")) {
        return Pass{avx2, "avx2"};
    }
#endif
    return Pass{plain, "plain"};
}();

}

float s2_bench_max_pass(const float * values, size_t n) {
    return pass.run(values, n);
}

const char * s2_bench_max_pass_name() {
    return pass.name;
}
