// Defines s2::sample_token for an engine that no longer compiles its own sampler.
//
// The engine keeps its header s2_sampler.h. Where that header is on the include path it is used, so
// that a changed struct stops the build here instead of changing tokens; an engine that reaches it
// by relative paths only gets the same declarations from below.

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
int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params);
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

// The qualified name makes a header that declares another signature an error.
int32_t s2::sample_token(const float * logits, int32_t vocab_size, const s2::SamplerParams & params) {
    ::SamplerParams same;
    same.temperature = params.temperature;
    same.top_p = params.top_p;
    same.top_k = params.top_k;
    const int32_t token = s2_sample_token(logits, vocab_size, &same);
    // Engines index with the result and know no statuses.
    return token < 0 ? 0 : token;
}
