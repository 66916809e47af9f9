// What all forms of the drop-in begin with: the library's header, the engine's own, and a check that the
// struct in it is the one that the drop-ins know.
//
// The engine keeps its header s2_sampler.h. Where that header is on the include path it is used, so that a
// changed struct or signature stops the build instead of changing tokens; for an engine that reaches it by
// relative paths only, the struct is declared here and the function beside each definition, under
// #ifndef S2SAMPLER_DROPIN_HAS_ENGINE_HEADER. (A declaration beside the engine's would be an overload,
// and a changed signature would pass.)
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

// A field that the engine has added would be ignored without a word: refuse it.
static_assert(std::is_same<decltype(s2::SamplerParams::temperature), float>::value &&
                  std::is_same<decltype(s2::SamplerParams::top_p), float>::value &&
                  std::is_same<decltype(s2::SamplerParams::top_k), int32_t>::value,
              "s2sampler::dropin: s2::SamplerParams has other types than this drop-in knows");
static_assert(sizeof(s2::SamplerParams) == 12 &&
                  offsetof(s2::SamplerParams, temperature) == 0 &&
                  offsetof(s2::SamplerParams, top_p) == 4 && offsetof(s2::SamplerParams, top_k) == 8,
              "s2sampler::dropin: s2::SamplerParams has another layout than this drop-in knows");
