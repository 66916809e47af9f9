/*
 * s2sampler for C++17 and later: the calls of s2sampler.h with containers and a result type.
 *
 * Licence: MIT OR Apache-2.0. Header only; needs the library s2sampler and nothing else.
 *
 * What the library does and promises stands in s2sampler.h and is the same here: the steps of a
 * draw, special values, random words, threads, fork, memory, bit identity. This file adds no rule of
 * its own except one: nothing throws. Every function is noexcept; errors are values.
 *
 *     #include <s2sampler.hpp>
 *
 *     s2sampler::SamplerParams params;                    // 0.8, 0.8, 30
 *     params.top_k = 50;
 *     if (auto drawn = s2sampler::sample_token(logits, params)) {    // logits: vector, array, span ...
 *         use(drawn.token());
 *     } else {
 *         log(drawn.message());
 *     }
 *
 * The namespace is s2sampler, not s2, because engines have a namespace s2 of their own.
 */
#ifndef S2SAMPLER_HPP
#define S2SAMPLER_HPP

#include "s2sampler.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace s2sampler {

/**
 * The parameters of a draw, with the defaults of s2_sampler_params_default() already in place.
 *
 * The same 12 bytes as ::SamplerParams, field by field, with the same meaning. An aggregate: write
 * `SamplerParams{0.7F, 0.9F, 50}`, or in C++20 `SamplerParams{.top_k = 50}`. Since: 0.1.0
 */
struct SamplerParams {
    float temperature = 0.8F;
    float top_p = 0.8F;
    std::int32_t top_k = 30;

    /** These values as the C struct. */
    constexpr operator ::SamplerParams() const noexcept { return {temperature, top_p, top_k}; }

    /** The C struct's values. */
    [[nodiscard]] static constexpr SamplerParams from(const ::SamplerParams &c) noexcept {
        return {c.temperature, c.top_p, c.top_k};
    }
};

static_assert(sizeof(SamplerParams) == sizeof(::SamplerParams), "one layout in C and C++");
static_assert(alignof(SamplerParams) == alignof(::SamplerParams), "one layout in C and C++");
static_assert(std::is_standard_layout_v<SamplerParams>, "one layout in C and C++");
static_assert(offsetof(SamplerParams, temperature) == offsetof(::SamplerParams, temperature));
static_assert(offsetof(SamplerParams, top_p) == offsetof(::SamplerParams, top_p));
static_assert(offsetof(SamplerParams, top_k) == offsetof(::SamplerParams, top_k));

/**
 * What a draw gave: a token, or the status that says why there is none.
 *
 * A plain value of four bytes, free to copy and to keep. Since: 0.1.0
 */
class [[nodiscard]] Result {
public:
    /** A result from what a C function returned: a token if `value` is zero or more. */
    constexpr explicit Result(std::int32_t value) noexcept : value_(value) {}

    /** Whether there is a token. */
    [[nodiscard]] constexpr bool ok() const noexcept { return value_ >= 0; }

    /** As ok(), for `if (auto drawn = ...)`. Explicit: a token is never taken for a truth value. */
    constexpr explicit operator bool() const noexcept { return ok(); }

    /**
     * The token, from 0 to the row's length - 1. If there is none it is the negative status, which
     * no row has at any index: ask ok() first, or use value_or().
     */
    [[nodiscard]] constexpr std::int32_t token() const noexcept { return value_; }

    /** 0 if there is a token, else one of S2_ERROR_*. */
    [[nodiscard]] constexpr std::int32_t status() const noexcept { return ok() ? 0 : value_; }

    /** The token, or `fallback` if there is none. */
    [[nodiscard]] constexpr std::int32_t value_or(std::int32_t fallback) const noexcept {
        return ok() ? value_ : fallback;
    }

    /** What status() means, in English; static text, never null. "success" if there is a token. */
    [[nodiscard]] const char *message() const noexcept { return s2_status_string(value_); }

private:
    std::int32_t value_;
};

/**
 * Draws one token from `count` logits at `logits` with the calling thread's generator.
 *
 * Parameters:
 *
 * - `logits`: as in s2_sample_token(); null is an error unless `count` is 0.
 * - `count`: the number of logits. 0 gives token 0, as s2_sample_token() does.
 * - `params`: defaults if left out; every bit pattern is allowed.
 *
 * Returns: the token, or a status of s2_sample_token(), or S2_ERROR_BAD_ARGUMENT if `count` is more
 * than 2147483647.
 *
 * Randomness, threads, memory: as s2_sample_token(). Never throws. Since: 0.1.0
 */
inline Result sample_token(const float *logits, std::size_t count,
                           const SamplerParams &params = SamplerParams{}) noexcept {
    if (count > static_cast<std::size_t>(INT32_MAX)) {
        return Result(S2_ERROR_BAD_ARGUMENT);
    }
    const ::SamplerParams c = params;
    return Result(s2_sample_token(logits, static_cast<std::int32_t>(count), &c));
}

namespace detail {

/** Whether std::data and std::size give a run of floats: vector, array, span, initializer_list ... */
template <class Row, class = void>
struct is_row : std::false_type {};

template <class Row>
struct is_row<Row, std::void_t<decltype(std::data(std::declval<const Row &>())),
                               decltype(std::size(std::declval<const Row &>()))>>
    : std::is_convertible<decltype(std::data(std::declval<const Row &>())), const float *> {};

}  // namespace detail

/**
 * Draws one token from a contiguous container of floats with the calling thread's generator.
 *
 * Parameters:
 *
 * - `logits`: anything for which std::data() gives a pointer to float and std::size() its length:
 *   std::vector, std::array, a C array, std::span, a view of an engine's own. An empty one gives
 *   token 0.
 * - `params`: defaults if left out; every bit pattern is allowed.
 *
 * Returns, randomness, threads, memory: as the call with pointer and length. Never throws, unless the
 * container's own data() or size() does: then the program ends, as for all noexcept functions.
 * Since: 0.1.0
 */
template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
Result sample_token(const Row &logits, const SamplerParams &params = SamplerParams{}) noexcept {
    return sample_token(std::data(logits), static_cast<std::size_t>(std::size(logits)), params);
}

/** Puts the calling thread's generator in the state of std::mt19937(seed); see s2_seed_thread(). */
inline void seed_thread(std::uint32_t seed) noexcept { s2_seed_thread(seed); }

/** The name of the vector unit that draws use: static text, never null; see s2_simd_level(). */
[[nodiscard]] inline const char *simd_level() noexcept { return s2_simd_level(); }

}  // namespace s2sampler

#endif  // S2SAMPLER_HPP
