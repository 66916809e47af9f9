// Included first by all forms of the drop-in: the library's header, the engine's header, and checks of the
// engine's struct. A form for the first generations defines S2SAMPLER_DROPIN_FIRST before.
//
// If the engine's s2_sampler.h is on the include path, it is used, so a changed struct or signature, or the
// defaults of another generation, fail the build instead of changing tokens. Otherwise the struct is declared
// here, and each form declares its function under #ifndef S2SAMPLER_DROPIN_HAS_ENGINE_HEADER. Beside the
// engine's own declaration that would be an overload, and a changed signature would pass.
#pragma once

#include <s2sampler.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__has_include)
#if __has_include(<s2_sampler.h>)
#include <s2_sampler.h>
#define S2SAMPLER_DROPIN_HAS_ENGINE_HEADER
#endif
#endif

#ifndef S2SAMPLER_DROPIN_HAS_ENGINE_HEADER
namespace s2 {
struct SamplerParams {
#ifdef S2SAMPLER_DROPIN_FIRST
    float temperature = 0.7f;
    float top_p = 0.7f;
#else
    float temperature = 0.8f;
    float top_p = 0.8f;
#endif
    int32_t top_k = 30;
};
}
#endif

// A field that the engine added would be ignored, so it fails the build.
static_assert(std::is_same<decltype(s2::SamplerParams::temperature), float>::value &&
                  std::is_same<decltype(s2::SamplerParams::top_p), float>::value &&
                  std::is_same<decltype(s2::SamplerParams::top_k), int32_t>::value,
              "s2sampler::dropin: s2::SamplerParams has field types that this drop-in does not know");
static_assert(sizeof(s2::SamplerParams) == 12 &&
                  offsetof(s2::SamplerParams, temperature) == 0 &&
                  offsetof(s2::SamplerParams, top_p) == 4 && offsetof(s2::SamplerParams, top_k) == 8,
              "s2sampler::dropin: s2::SamplerParams has a layout that this drop-in does not know");

namespace s2sampler_dropin {

// Without ==: some engines build with -Wfloat-equal.
constexpr bool equal(float a, float b) { return a <= b && b <= a; }

constexpr bool has_defaults(const s2::SamplerParams & params, float both, int32_t top_k) {
    return equal(params.temperature, both) && equal(params.top_p, both) && params.top_k == top_k;
}

inline ::S2SamplerParams same(const s2::SamplerParams & params) {
    ::S2SamplerParams same;
    same.temperature = params.temperature;
    same.top_p = params.top_p;
    same.top_k = params.top_k;
    return same;
}

}  // namespace s2sampler_dropin

// Two generations share one signature and differ in the rule; their defaults tell them apart. An engine that
// changed its defaults alone defines S2SAMPLER_DROPIN_ANY_DEFAULTS.
#ifndef S2SAMPLER_DROPIN_ANY_DEFAULTS
#ifdef S2SAMPLER_DROPIN_FIRST
static_assert(!s2sampler_dropin::has_defaults(s2::SamplerParams(), 0.8f, 30),
              "s2sampler::dropin_first is for the first generations; the defaults 0.8, 0.8, 30 of "
              "s2::SamplerParams are those of a later one: link s2sampler::dropin");
#else
static_assert(!s2sampler_dropin::has_defaults(s2::SamplerParams(), 0.7f, 30),
              "s2sampler::dropin is for s2.cpp from 0e543f0 on; the defaults 0.7, 0.7, 30 of "
              "s2::SamplerParams are those of the first generations: link s2sampler::dropin_first");
#endif
#endif
