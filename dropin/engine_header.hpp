// Included first by all forms of the drop-in: the library's header, the engine's header, and a check of
// the engine's struct.
//
// If the engine's s2_sampler.h is on the include path, it is used, so a changed struct or signature fails the
// build instead of changing tokens. Otherwise the struct is declared here, and each form declares its function
// under #ifndef S2SAMPLER_DROPIN_HAS_ENGINE_HEADER. Beside the engine's own declaration that would be an
// overload, and a changed signature would pass.
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
    float temperature = 0.8f;
    float top_p = 0.8f;
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
