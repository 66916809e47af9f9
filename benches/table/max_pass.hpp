// The bare pass: the largest value of a row and nothing else, as fast as this CPU can read.
#pragma once

#include <cstddef>

// With AVX-512 or AVX2, else as the compiler makes it. No NaNs; n > 0.
extern "C" float s2_bench_max_pass(const float * values, size_t n);

// Which of them: "avx512", "avx2" or "plain".
extern "C" const char * s2_bench_max_pass_name();
