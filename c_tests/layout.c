/* The layout that the ABI promises, asserted by the compiler: nothing here runs, and nothing but
   freestanding headers is needed, so other platforms' compilers can check it too. */
#include <s2sampler.h>

#include <stddef.h>

#define ASSERT_THAT(name, condition) typedef char name[(condition) ? 1 : -1]

ASSERT_THAT(params_are_12_bytes, sizeof(SamplerParams) == 12);
ASSERT_THAT(params_align_like_int32, sizeof(struct { char c; SamplerParams p; }) == 16);
ASSERT_THAT(temperature_is_first, offsetof(SamplerParams, temperature) == 0);
ASSERT_THAT(top_p_is_second, offsetof(SamplerParams, top_p) == 4);
ASSERT_THAT(top_k_is_third, offsetof(SamplerParams, top_k) == 8);
ASSERT_THAT(temperature_is_binary32, sizeof(((SamplerParams *)0)->temperature) == 4);
ASSERT_THAT(top_p_is_binary32, sizeof(((SamplerParams *)0)->top_p) == 4);
ASSERT_THAT(top_k_is_32_bits, sizeof(((SamplerParams *)0)->top_k) == 4);
