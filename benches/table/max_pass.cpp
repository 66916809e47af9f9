// The bare pass, with eight accumulators so that loads and not latencies set the pace.
#include "max_pass.hpp"

#include <algorithm>
#include <cstdint>
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

// Vectors of `Lanes` values from an aligned address, for a load across two cache lines takes twice the time. The
// head and the tail are loads of their own, which overlap the others: a maximum may count a value twice.
const float * aligned(const float * values, size_t bytes) {
    const auto address = reinterpret_cast<uintptr_t>(values);
    return values + (bytes - address % bytes) % bytes / sizeof(float);
}

__attribute__((target("avx512f"))) float avx512(const float * values, size_t n) {
    if (n < 16) {
        return plain(values, n);
    }
    const float * const end = values + n;
    const float * at = aligned(values, 64);
    __m512 most[8];
    for (__m512 & m : most) {
        m = _mm512_loadu_ps(values);
    }
    for (; end - at >= 128; at += 128) {
#pragma GCC unroll 8
        for (size_t j = 0; j < 8; ++j) {
            most[j] = _mm512_max_ps(_mm512_load_ps(at + 16 * j), most[j]);
        }
    }
    for (; end - at >= 16; at += 16) {
        most[0] = _mm512_max_ps(_mm512_load_ps(at), most[0]);
    }
    most[0] = _mm512_max_ps(_mm512_loadu_ps(end - 16), most[0]);
    for (size_t j = 1; j < 8; ++j) {
        most[0] = _mm512_max_ps(most[0], most[j]);
    }
    alignas(64) float lanes[16];
    _mm512_store_ps(lanes, most[0]);
    return plain(lanes, 16);
}

__attribute__((target("avx2"))) float avx2(const float * values, size_t n) {
    if (n < 8) {
        return plain(values, n);
    }
    const float * const end = values + n;
    const float * at = aligned(values, 32);
    __m256 most[8];
    for (__m256 & m : most) {
        m = _mm256_loadu_ps(values);
    }
    for (; end - at >= 64; at += 64) {
#pragma GCC unroll 8
        for (size_t j = 0; j < 8; ++j) {
            most[j] = _mm256_max_ps(_mm256_load_ps(at + 8 * j), most[j]);
        }
    }
    for (; end - at >= 8; at += 8) {
        most[0] = _mm256_max_ps(_mm256_load_ps(at), most[0]);
    }
    most[0] = _mm256_max_ps(_mm256_loadu_ps(end - 8), most[0]);
    for (size_t j = 1; j < 8; ++j) {
        most[0] = _mm256_max_ps(most[0], most[j]);
    }
    alignas(32) float lanes[8];
    _mm256_store_ps(lanes, most[0]);
    return plain(lanes, 8);
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
