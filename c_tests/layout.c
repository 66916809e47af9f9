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

ASSERT_THAT(ranges_are_8_bytes, sizeof(S2TokenRange) == 8 && offsetof(S2TokenRange, first) == 0);
ASSERT_THAT(last_is_second, offsetof(S2TokenRange, last) == 4);

/* No pointers and no 64-bit fields, so the same on 32-bit platforms. */
ASSERT_THAT(config_is_36_bytes, sizeof(S2StreamConfig) == 36);
ASSERT_THAT(config_aligns_like_int32, sizeof(struct { char c; S2StreamConfig s; }) == 40);
ASSERT_THAT(struct_size_is_first, offsetof(S2StreamConfig, struct_size) == 0);
ASSERT_THAT(semantic_first_at_4, offsetof(S2StreamConfig, semantic_first) == 4);
ASSERT_THAT(semantic_last_at_8, offsetof(S2StreamConfig, semantic_last) == 8);
ASSERT_THAT(end_id_at_12, offsetof(S2StreamConfig, end_id) == 12);
ASSERT_THAT(ras_window_at_16, offsetof(S2StreamConfig, ras_window) == 16);
ASSERT_THAT(ras_temperature_at_20, offsetof(S2StreamConfig, ras_temperature) == 20);
ASSERT_THAT(ras_top_p_at_24, offsetof(S2StreamConfig, ras_top_p) == 24);
ASSERT_THAT(ras_mode_at_28, offsetof(S2StreamConfig, ras_mode) == 28);
ASSERT_THAT(ras_tau_at_32, offsetof(S2StreamConfig, ras_tau) == 32);
