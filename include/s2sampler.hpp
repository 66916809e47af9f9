/*
 * s2sampler for C++17 and later: the calls of s2sampler.h with containers, result types and owners.
 *
 * Licence: MIT OR Apache-2.0. Header only; needs the library s2sampler and nothing else.
 *
 * s2sampler.h is the manual: the steps of a draw, special values, random words, threads, fork, memory,
 * bit identity. This file refers to it and adds three rules:
 *
 *  - Nothing throws, and errors are values. Not noexcept are only the functions that make a std::vector or
 *    a std::string (save(), Chain::describe(), dry(), sequence_bias()), and Chain::custom(), which moves your
 *    object.
 *  - A count that no int32_t holds is S2_ERROR_BAD_ARGUMENT.
 *  - A Chain keeps the first error of its stages, and every draw with it returns that error.
 *
 *     s2sampler::Params params;                                     // 0.8, 0.8, 30
 *     params.top_k = 50;
 *     if (auto drawn = s2sampler::sample_token(logits, params)) {   // logits: vector, array, span ...
 *         use(drawn.token());
 *     } else {
 *         log(drawn.message());
 *     }
 *
 *     s2sampler::Stream stream = s2sampler::Stream::with_seed(42, {151678, 155773, 151645});
 *     if (!stream) log(s2sampler::new_message());   // no memory, or a bad configuration
 *
 * The namespace is s2sampler, not s2, because engines have a namespace s2 of their own. `using
 * namespace s2sampler;` is fine: no name in it is a global one of s2sampler.h.
 */
#ifndef S2SAMPLER_HPP
#define S2SAMPLER_HPP

#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "s2sampler.hpp needs C++17; s2sampler.h does not"
#endif

#include "s2sampler.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace s2sampler {

/**
 * The parameters of a draw, with the defaults of s2_sampler_params_default() in place.
 *
 * Field by field S2SamplerParams, with the same meaning. An aggregate: write `Params{0.7F, 0.9F, 50}`, or
 * in C++20 `Params{.top_k = 50}`.
 */
struct Params {
    float temperature = 0.8F;
    float top_p = 0.8F;
    std::int32_t top_k = 30;

    /** These values as the C struct. */
    constexpr operator ::S2SamplerParams() const noexcept { return {temperature, top_p, top_k}; }

    /** The C struct's values. */
    [[nodiscard]] static constexpr Params from(const ::S2SamplerParams &c) noexcept {
        return {c.temperature, c.top_p, c.top_k};
    }
};

static_assert(sizeof(Params) == sizeof(::S2SamplerParams), "one layout in C and C++");
static_assert(alignof(Params) == alignof(::S2SamplerParams), "one layout in C and C++");
static_assert(std::is_standard_layout_v<Params>, "one layout in C and C++");
static_assert(offsetof(Params, temperature) == offsetof(::S2SamplerParams, temperature));
static_assert(offsetof(Params, top_p) == offsetof(::S2SamplerParams, top_p));
static_assert(offsetof(Params, top_k) == offsetof(::S2SamplerParams, top_k));

/** The result of a draw: a token, or the status that says why there is none. A value of four bytes. */
class [[nodiscard]] Result {
public:
    /** A result from the return value of a C function: a token if `value` is >= 0. */
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

namespace detail {

/** Whether std::data and std::size give a run of floats: vector, array, span, initializer_list ... */
template <class Row, class = void>
struct is_row : std::false_type {};

template <class Row>
struct is_row<Row, std::void_t<decltype(std::data(std::declval<const Row &>())),
                               decltype(std::size(std::declval<const Row &>()))>>
    : std::is_convertible<decltype(std::data(std::declval<const Row &>())), const float *> {};

/** Whether std::data and std::size give a run of ranges. */
template <class Ranges, class = void>
struct is_ranges : std::false_type {};

template <class Ranges>
struct is_ranges<Ranges, std::void_t<decltype(std::data(std::declval<const Ranges &>())),
                                     decltype(std::size(std::declval<const Ranges &>()))>>
    : std::is_convertible<decltype(std::data(std::declval<const Ranges &>())), const ::S2TokenRange *> {
};

/** Whether an int32_t can hold a count. A larger count is an error and never truncated. */
constexpr bool fits(std::size_t count) noexcept {
    return count <= static_cast<std::size_t>(INT32_MAX);
}

}  // namespace detail

/** Draws one token from `count` logits with the calling thread's generator; see s2_sample_token(). */
inline Result sample_token(const float *logits, std::size_t count,
                           const Params &params = Params{}) noexcept {
    if (!detail::fits(count)) {
        return Result(S2_ERROR_BAD_ARGUMENT);
    }
    const ::S2SamplerParams c = params;
    return Result(s2_sample_token(logits, static_cast<std::int32_t>(count), &c));
}

/**
 * As above, from a contiguous container of floats: anything for which std::data() gives a pointer to float
 * and std::size() a length. An empty one gives token 0. (If the container's own data() or size() throws,
 * the program ends, as in every noexcept function.)
 */
template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
Result sample_token(const Row &logits, const Params &params = Params{}) noexcept {
    return sample_token(std::data(logits), static_cast<std::size_t>(std::size(logits)), params);
}

/** The defaults of the S2 engines' first generations, for the functions with "first" in their names. */
inline constexpr Params kFirstParams{0.7F, 0.7F, 30};

/** As sample_token(), by the rule of the S2 engines' first generations; see s2_sample_token_first(). */
inline Result sample_token_first(const float *logits, std::size_t count,
                                 const Params &params = kFirstParams, std::int32_t keep_id = -1) noexcept {
    if (!detail::fits(count)) {
        return Result(S2_ERROR_BAD_ARGUMENT);
    }
    const ::S2SamplerParams c = params;
    return Result(s2_sample_token_first(logits, static_cast<std::int32_t>(count), &c, keep_id));
}

/** As above, from a contiguous container of floats. */
template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
Result sample_token_first(const Row &logits, const Params &params = kFirstParams,
                          std::int32_t keep_id = -1) noexcept {
    return sample_token_first(std::data(logits), static_cast<std::size_t>(std::size(logits)), params,
                              keep_id);
}

/** Puts the calling thread's generator in the state of std::mt19937(seed); see s2_seed_thread(). */
inline void seed_thread(std::uint32_t seed) noexcept { s2_seed_thread(seed); }

/** A seed from the operating system, to use and to log; false, and `seed` unchanged, if it gives none. */
[[nodiscard]] inline bool random_seed(std::uint32_t &seed) noexcept { return s2_random_seed(&seed) == 0; }

/** The NaN and the +inf in a row; see s2_count_special(). */
struct SpecialCounts {
    std::int32_t nans = 0;
    std::int32_t infinities = 0;
};

/** Counts the NaN and +inf of a row; see s2_count_special(). An invalid row counts as empty. */
template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
[[nodiscard]] SpecialCounts count_special(const Row &logits) noexcept {
    SpecialCounts counts;
    const auto size = static_cast<std::size_t>(std::size(logits));
    if (detail::fits(size)) {
        static_cast<void>(s2_count_special(std::data(logits), static_cast<std::int32_t>(size), &counts.nans,
                                           &counts.infinities));
    }
    return counts;
}

/** Why the calling thread's last with_seed(), from_system(), preset(), restored(), clone() or Chain() made an empty
    object; 0 if it did not. See s2_new_status(). */
[[nodiscard]] inline std::int32_t new_status() noexcept { return s2_new_status(); }

/** What new_status() means, in English; static text, never null. */
[[nodiscard]] inline const char *new_message() noexcept { return s2_status_string(new_status()); }

/** The ids from first to last, both included; see S2TokenRange. */
using TokenRange = ::S2TokenRange;

/**
 * A request for a draw from `count` logits with all its options off: see S2SampleRequest. The row, and all
 * that the request's pointers are set to, must live until the draw.
 */
[[nodiscard]] inline ::S2SampleRequest make_request(const float *logits, std::size_t count) noexcept {
    ::S2SampleRequest request;
    s2_sample_request_init(&request);
    request.logits = logits;
    if (detail::fits(count)) {
        request.vocab_size = static_cast<std::int32_t>(count);
    } else {
        request.flags = ~0U;  // no set of flags, so the draw is S2_ERROR_BAD_ARGUMENT
    }
    return request;
}

/** As above with parameters, which must live until the draw, too: no temporary object. */
[[nodiscard]] inline ::S2SampleRequest make_request(const float *logits, std::size_t count,
                                                    const Params &params) noexcept {
    ::S2SampleRequest request = make_request(logits, count);
    // Only the library reads them through the pointer.
    request.params = reinterpret_cast<const ::S2SamplerParams *>(&params);
    return request;
}
::S2SampleRequest make_request(const float *logits, std::size_t count, const Params &&params) = delete;

/** As above, for a container of floats. */
template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
[[nodiscard]] ::S2SampleRequest make_request(const Row &logits) noexcept {
    return make_request(std::data(logits), static_cast<std::size_t>(std::size(logits)));
}
template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
[[nodiscard]] ::S2SampleRequest make_request(const Row &logits, const Params &params) noexcept {
    return make_request(std::data(logits), static_cast<std::size_t>(std::size(logits)), params);
}
template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
::S2SampleRequest make_request(const Row &logits, const Params &&params) = delete;

/** A result for a draw to write to; see S2SampleResult. */
[[nodiscard]] inline ::S2SampleResult make_result() noexcept {
    ::S2SampleResult result;
    s2_sample_result_init(&result);
    return result;
}

/**
 * A generator for a request or an utterance, instead of a thread. See S2Sampler.
 *
 * Owns the handle: it can be moved, and copied by clone() only. An object is empty after a move, or if it could
 * not be made: then new_status() says why. Ask with `if (sampler)`; a draw with an empty one is
 * S2_ERROR_NULL_POINTER.
 */
class Sampler {
public:
    /** A generator in the state of std::mt19937(seed). */
    [[nodiscard]] static Sampler with_seed(std::uint32_t seed) noexcept {
        return Sampler(s2_sampler_new(seed));
    }

    /** A generator seeded by the operating system; seed() returns the seed. */
    [[nodiscard]] static Sampler from_system() noexcept { return Sampler(s2_sampler_new_random()); }

    /** Takes over a handle of the C interface, and frees it; null makes an empty object. */
    explicit Sampler(::S2Sampler *handle) noexcept : handle_(handle) {}

    /** A second generator in the same state; empty if this one is. */
    [[nodiscard]] Sampler clone() const noexcept { return Sampler(s2_sampler_clone(get())); }

    /** Whether there is a generator. */
    [[nodiscard]] explicit operator bool() const noexcept { return handle_ != nullptr; }

    /** The handle, which this object still owns; null if empty. For calls of the C interface. */
    [[nodiscard]] ::S2Sampler *get() const noexcept { return handle_.get(); }

    /** Starts again, in the state of std::mt19937(seed). */
    void reseed(std::uint32_t seed) noexcept { s2_sampler_seed(get(), seed); }

    /** The seed, for the log; 0 if empty. See s2_sampler_get_seed(). */
    [[nodiscard]] std::uint32_t seed() const noexcept { return s2_sampler_get_seed(get()); }

    /** Draws a token from `count` logits; see s2_sampler_sample(). No logits are an error here. */
    Result sample(const float *logits, std::size_t count,
                  const Params &params = Params{}) noexcept {
        if (!detail::fits(count)) {
            return Result(S2_ERROR_BAD_ARGUMENT);
        }
        const ::S2SamplerParams c = params;
        return Result(s2_sampler_sample(get(), logits, static_cast<std::int32_t>(count), &c));
    }

    /** Draws a token from a contiguous container of floats. */
    template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
    Result sample(const Row &logits, const Params &params = Params{}) noexcept {
        return sample(std::data(logits), static_cast<std::size_t>(std::size(logits)), params);
    }

    /** Draws a token from the ids in `n_ranges` ranges; see s2_sampler_sample_ranges(). */
    Result sample_ranges(const float *logits, std::size_t count, const TokenRange *ranges,
                         std::size_t n_ranges,
                         const Params &params = Params{}) noexcept {
        if (!detail::fits(count) || !detail::fits(n_ranges)) {
            return Result(S2_ERROR_BAD_ARGUMENT);
        }
        const ::S2SamplerParams c = params;
        return Result(s2_sampler_sample_ranges(get(), logits, static_cast<std::int32_t>(count), ranges,
                                               static_cast<std::int32_t>(n_ranges), &c));
    }

    /** Draws a token of a container of floats from the ids in a container of ranges. */
    template <class Row, class Ranges,
              std::enable_if_t<detail::is_row<Row>::value && detail::is_ranges<Ranges>::value, int> = 0>
    Result sample_ranges(const Row &logits, const Ranges &ranges,
                         const Params &params = Params{}) noexcept {
        return sample_ranges(std::data(logits), static_cast<std::size_t>(std::size(logits)),
                             std::data(ranges), static_cast<std::size_t>(std::size(ranges)), params);
    }

    /** As above, for ranges that are written out: `sample_ranges(row, {{10, 20}, {3, 3}})`. */
    template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
    Result sample_ranges(const Row &logits, std::initializer_list<TokenRange> ranges,
                         const Params &params = Params{}) noexcept {
        return sample_ranges(std::data(logits), static_cast<std::size_t>(std::size(logits)),
                             ranges.begin(), ranges.size(), params);
    }

    /** Draws a token as a request says; see s2_sampler_sample_ex(). make_request() and make_result() prepare
        the structs. */
    Result sample(const ::S2SampleRequest &request, ::S2SampleResult *result = nullptr) noexcept {
        return Result(s2_sampler_sample_ex(get(), &request, result));
    }

    /** The size of a saved state in bytes. */
    [[nodiscard]] static std::size_t state_size() noexcept { return s2_sampler_state_size(); }

    /** The state as bytes; none if empty. Throws what the vector's allocation throws. */
    [[nodiscard]] std::vector<unsigned char> save() const {
        std::vector<unsigned char> state(state_size());
        if (!save(state.data(), state.size())) {
            state.clear();
        }
        return state;
    }

    /** Writes the state to `size` bytes at `state`; false if there are too few, or this is empty. */
    [[nodiscard]] bool save(void *state, std::size_t size) const noexcept {
        return s2_sampler_save(get(), state, size) == 0;
    }

    /** Continues from a saved state; false, and nothing changes, if the bytes are not one. */
    [[nodiscard]] bool restore(const void *state, std::size_t size) noexcept {
        return s2_sampler_restore(get(), state, size) == 0;
    }

    /** As above. */
    [[nodiscard]] bool restore(const std::vector<unsigned char> &state) noexcept {
        return restore(state.data(), state.size());
    }

private:
    struct Free {
        void operator()(::S2Sampler *handle) const noexcept { s2_sampler_free(handle); }
    };
    std::unique_ptr<::S2Sampler, Free> handle_;
};

/** When a main token is drawn again: see S2_RAS_OFF, S2_RAS_ANY_HIT, S2_RAS_SHARE. */
enum class Ras : std::int32_t { off = S2_RAS_OFF, any_hit = S2_RAS_ANY_HIT, share = S2_RAS_SHARE };

/** What an end token from the second draw does: see S2_RAS_END_STOPS, S2_RAS_END_CONTINUES. */
enum class RasEnd : std::int32_t { stops = S2_RAS_END_STOPS, continues = S2_RAS_END_CONTINUES };

/**
 * What a stream knows about its engine: S2StreamConfig without its size, with the defaults of
 * s2_stream_config_init() in place. An aggregate: `StreamConfig{151678, 155773, 151645}`.
 */
struct StreamConfig {
    std::int32_t semantic_first = 0;
    std::int32_t semantic_last = -1;
    std::int32_t end_id = -1;
    std::int32_t ras_window = 10;
    float ras_temperature = 1.0F;
    float ras_top_p = 0.9F;
    Ras ras_mode = Ras::any_hit;
    float ras_tau = 0.1F;
    RasEnd ras_end = RasEnd::stops;
    bool ras_always = false;
    bool ras_bans = false;

    /** These values as the C struct. */
    operator ::S2StreamConfig() const noexcept {
        ::S2StreamConfig c;
        s2_stream_config_init(&c);
        c.semantic_first = semantic_first;
        c.semantic_last = semantic_last;
        c.end_id = end_id;
        c.ras_window = ras_window;
        c.ras_temperature = ras_temperature;
        c.ras_top_p = ras_top_p;
        c.ras_mode = static_cast<std::int32_t>(ras_mode);
        c.ras_tau = ras_tau;
        c.ras_end = static_cast<std::int32_t>(ras_end);
        c.ras_always = ras_always ? 1 : 0;
        c.ras_bans = ras_bans ? 1 : 0;
        return c;
    }
};

/** One utterance of a speech engine: mask, draw, RAS, window and end. See S2Stream. Owns the handle as Sampler
    does. */
class Stream {
public:
    /** A stream that starts in the state of std::mt19937(seed). */
    [[nodiscard]] static Stream with_seed(std::uint32_t seed, const StreamConfig &config) noexcept {
        const ::S2StreamConfig c = config;
        return Stream(s2_stream_new(seed, &c));
    }

    /** A stream seeded by the operating system; seed() returns the seed. */
    [[nodiscard]] static Stream from_system(const StreamConfig &config) noexcept {
        const ::S2StreamConfig c = config;
        return Stream(s2_stream_new_random(&c));
    }

    /** Takes over a handle of the C interface, and frees it; null makes an empty object. */
    explicit Stream(::S2Stream *handle) noexcept : handle_(handle) {}

    /** A second stream in the same state; empty if this one is. */
    [[nodiscard]] Stream clone() const noexcept { return Stream(s2_stream_clone(get())); }

    /** A stream in the state that save() wrote; empty if the bytes are no saved stream. */
    [[nodiscard]] static Stream restored(const void *state, std::size_t size) noexcept {
        return Stream(s2_stream_new_restored(state, size));
    }

    /** The stream as bytes; empty if there is no stream. Throws what the vector's allocation throws. */
    [[nodiscard]] std::vector<unsigned char> save() const {
        std::vector<unsigned char> state(s2_stream_state_size(get()));
        if (state.empty() || s2_stream_save(get(), state.data(), state.size()) < 0) {
            state.clear();
        }
        return state;
    }

    /** Whether there is a stream. */
    [[nodiscard]] explicit operator bool() const noexcept { return handle_ != nullptr; }

    /** The handle, which this object still owns; null if empty. */
    [[nodiscard]] ::S2Stream *get() const noexcept { return handle_.get(); }

    /** Begins another utterance, in the state of std::mt19937(seed); 0 or a status. */
    std::int32_t reset(std::uint32_t seed) noexcept { return s2_stream_reset(get(), seed); }

    /** The seed, for the log; 0 if empty. */
    [[nodiscard]] std::uint32_t seed() const noexcept { return s2_stream_get_seed(get()); }

    /** The Slow-AR draw: the main token of a frame, from the whole, unmasked row. See s2_stream_slow(). */
    Result slow(const float *logits, std::size_t count, const Params &params,
                bool allow_end) noexcept {
        if (!detail::fits(count)) {
            return Result(S2_ERROR_BAD_ARGUMENT);
        }
        const ::S2SamplerParams c = params;
        return Result(s2_stream_slow(get(), logits, static_cast<std::int32_t>(count), &c,
                                     static_cast<std::int32_t>(allow_end)));
    }

    /** As above, from a contiguous container of floats. */
    template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
    Result slow(const Row &logits, const Params &params, bool allow_end) noexcept {
        return slow(std::data(logits), static_cast<std::size_t>(std::size(logits)), params, allow_end);
    }

    /** The Fast-AR draw: a codebook token of a frame. See s2_stream_fast(). */
    Result fast(const float *logits, std::size_t count, const Params &params) noexcept {
        if (!detail::fits(count)) {
            return Result(S2_ERROR_BAD_ARGUMENT);
        }
        const ::S2SamplerParams c = params;
        return Result(s2_stream_fast(get(), logits, static_cast<std::int32_t>(count), &c));
    }

    /** As above, from a contiguous container of floats. */
    template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
    Result fast(const Row &logits, const Params &params) noexcept {
        return fast(std::data(logits), static_cast<std::size_t>(std::size(logits)), params);
    }

    /** The code of a main token; see s2_stream_code(). A result that is no token stays its status. */
    [[nodiscard]] Result code(Result token, std::int32_t codebook_size) const noexcept {
        return token ? Result(s2_stream_code(get(), token.token(), codebook_size)) : token;
    }

    /** Whether the last main token ended the utterance. */
    [[nodiscard]] bool ended() const noexcept { return s2_stream_ended(get()) > 0; }

    /** Whether the last main token is that of the second draw. */
    [[nodiscard]] bool redrawn() const noexcept { return s2_stream_redrawn(get()) > 0; }

private:
    struct Free {
        void operator()(::S2Stream *handle) const noexcept { s2_stream_free(handle); }
    };
    std::unique_ptr<::S2Stream, Free> handle_;
};

/** A candidate of a chain: id, logit, probability; see S2TokenData. */
using TokenData = ::S2TokenData;

/** A number added to the logit of a token; see S2LogitBias. */
using LogitBias = ::S2LogitBias;

/** A known order of stages: see S2_PRESET_S2 and those after it. */
enum class Preset : std::int32_t {
    s2 = S2_PRESET_S2,
    temperature_first = S2_PRESET_TEMPERATURE_FIRST,
    llama = S2_PRESET_LLAMA,
    huggingface = S2_PRESET_HUGGINGFACE,
    s2_first = S2_PRESET_S2_FIRST
};

/**
 * The parameters of a preset with its defaults in place; see S2PresetParams. The struct is C's: change
 * what differs.
 */
[[nodiscard]] inline ::S2PresetParams preset_params(Preset preset) noexcept {
    ::S2PresetParams params{};
    // A number that is no preset leaves struct_size 0, and with that no chain is made.
    static_cast<void>(s2_preset_params_init(&params, static_cast<std::int32_t>(preset)));
    return params;
}

/** The options of dist, those of Chain::dist(seed); see S2DistOptions. The struct is C's: change what differs. */
[[nodiscard]] inline ::S2DistOptions dist_options(std::uint32_t seed) noexcept {
    ::S2DistOptions options;
    s2_dist_options_init(&options);
    options.seed = seed;
    return options;
}

/** A token with the logarithm of its probability; see S2TokenLogProb. */
using TokenLogProb = ::S2TokenLogProb;

/** A request for a draw of a chain from `count` logits with all its options off: see S2ChainRequest. The row, and
    all that the request's pointers are set to, must live until the draw. */
[[nodiscard]] inline ::S2ChainRequest make_chain_request(const float *logits, std::size_t count) noexcept {
    ::S2ChainRequest request;
    s2_chain_request_init(&request);
    request.logits = logits;
    if (detail::fits(count)) {
        request.vocab_size = static_cast<std::int32_t>(count);
    } else {
        request.flags = ~0U;  // no set of flags, so the draw is S2_ERROR_BAD_ARGUMENT
    }
    return request;
}

/** As above, for a container of floats. */
template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
[[nodiscard]] ::S2ChainRequest make_chain_request(const Row &logits) noexcept {
    return make_chain_request(std::data(logits), static_cast<std::size_t>(std::size(logits)));
}

/** As above, from an array of candidates, which must live until the draw, too. */
[[nodiscard]] inline ::S2ChainRequest make_chain_request(const ::S2TokenDataArray &array) noexcept {
    ::S2ChainRequest request;
    s2_chain_request_init(&request);
    request.array = &array;
    return request;
}
::S2ChainRequest make_chain_request(const ::S2TokenDataArray &&array) = delete;

/** A result for a draw of a chain to write to; see S2ChainResult. */
[[nodiscard]] inline ::S2ChainResult make_chain_result() noexcept {
    ::S2ChainResult result;
    s2_chain_result_init(&result);
    return result;
}

namespace detail {

/** Lists of tokens one after the other, with their lengths. */
struct Lists {
    explicit Lists(const std::vector<std::vector<std::int32_t>> &lists) {
        for (const std::vector<std::int32_t> &list : lists) {
            tokens.insert(tokens.end(), list.begin(), list.end());
            lengths.push_back(fits(list.size()) ? static_cast<std::int32_t>(list.size()) : -1);
        }
    }

    /** -1, an error, where an int32_t cannot hold it. */
    [[nodiscard]] std::int32_t count() const noexcept {
        return fits(lengths.size()) ? static_cast<std::int32_t>(lengths.size()) : -1;
    }

    std::vector<std::int32_t> tokens;
    std::vector<std::int32_t> lengths;
};

/** The result of a function of the caller's; an exception is S2_ERROR_INTERNAL. */
template <class Function>
std::int32_t caught(Function &&function) noexcept {
#if defined(__cpp_exceptions)
    try {
        return function();
    } catch (...) {
        return S2_ERROR_INTERNAL;
    }
#else
    return function();
#endif
}

template <class Stage, class = void>
struct accepts : std::false_type {};

template <class Stage>
struct accepts<Stage, std::void_t<decltype(std::declval<Stage &>().accept(std::int32_t{}))>>
    : std::true_type {};

template <class Stage, class = void>
struct resets : std::false_type {};

template <class Stage>
struct resets<Stage, std::void_t<decltype(std::declval<Stage &>().reset())>> : std::true_type {};

/** A function object as the functions of an S2CustomStage. */
template <class Stage>
struct CustomStage {
    Stage stage;
    /** What accept or reset threw comes with the next apply. */
    std::int32_t status = 0;

    static CustomStage &of(void *user) noexcept { return *static_cast<CustomStage *>(user); }

    static std::int32_t apply(void *user, ::S2TokenDataArray *array) noexcept {
        CustomStage &self = of(user);
        return self.status < 0 ? self.status : caught([&]() -> std::int32_t {
            if constexpr (std::is_void_v<decltype(self.stage(*array))>) {
                self.stage(*array);
                return 0;
            } else {
                return self.stage(*array);
            }
        });
    }

    static void accept(void *user, std::int32_t token) noexcept {
        CustomStage &self = of(user);
        const std::int32_t status = caught([&]() -> std::int32_t {
            if constexpr (accepts<Stage>::value) {
                self.stage.accept(token);
            }
            (void)token;
            return 0;
        });
        self.status = self.status < 0 ? self.status : status;
    }

    static void reset(void *user) noexcept {
        CustomStage &self = of(user);
        self.status = caught([&]() -> std::int32_t {
            if constexpr (resets<Stage>::value) {
                self.stage.reset();
            }
            return 0;
        });
    }

    static std::int32_t clone(void *user, void **copy) noexcept {
        return caught([&]() -> std::int32_t {
            if constexpr (std::is_copy_constructible_v<Stage>) {
                *copy = new (std::nothrow) CustomStage(of(user));
                return *copy != nullptr ? 0 : S2_ERROR_OUT_OF_MEMORY;
            } else {
                (void)user;
                return S2_ERROR_BAD_ARGUMENT;
            }
        });
    }

    static void free(void *user) noexcept { delete static_cast<CustomStage *>(user); }
};

/** Whether a struct is a candidate by another name, as llama.cpp's llama_token_data is. */
template <class Token, class = void>
struct is_token : std::false_type {};

template <class Token>
struct is_token<Token, std::void_t<decltype(std::declval<Token &>().id),
                                   decltype(std::declval<Token &>().logit),
                                   decltype(std::declval<Token &>().p)>>
    : std::bool_constant<std::is_same_v<decltype(Token::id), std::int32_t> &&
                         std::is_same_v<decltype(Token::logit), float> &&
                         std::is_same_v<decltype(Token::p), float> &&
                         sizeof(Token) == sizeof(::S2TokenData) &&
                         std::is_standard_layout_v<Token> && std::is_trivially_copyable_v<Token>> {};

/** Whether a struct is an array of candidates by another name, as llama_token_data_array is. */
template <class Array, class = void>
struct is_token_array : std::false_type {};

template <class Array>
struct is_token_array<Array,
                      std::void_t<decltype(std::declval<Array &>().selected),
                                  decltype(std::declval<Array &>().sorted),
                                  decltype(std::declval<Array &>().size + std::size_t{0}),
                                  std::enable_if_t<std::is_pointer_v<decltype(Array::data)>>>>
    : is_token<std::remove_pointer_t<decltype(Array::data)>> {};

}  // namespace detail

/**
 * The candidates that a chain left of an array, or the status that says why there are none.
 */
struct [[nodiscard]] Applied {
    std::int32_t status;
    /** How many candidates are left, at the front of the array. */
    std::size_t size;
    /** The index of the one that was selected, -1 if no stage selects. */
    std::int64_t selected;
    /** Whether they are sorted. */
    bool sorted;

    [[nodiscard]] bool ok() const noexcept { return status == 0; }
    explicit operator bool() const noexcept { return ok(); }
    /** What `status` means, in English; static text, never null. */
    [[nodiscard]] const char *message() const noexcept { return s2_status_string(status); }
};

/**
 * What each stage did to the candidates of a row; see S2Report.
 *
 *     if (const auto report = chain.report(logits)) std::cout << report->json;
 *
 * Owns the report as Sampler does its handle; empty where status() is not 0.
 */
class Report {
public:
    /** Takes over a report of the C interface, with the status of the call. */
    explicit Report(::S2Report *report, std::int32_t status = 0) noexcept : report_(report), status_(status) {}

    /** Whether there is a report. */
    [[nodiscard]] explicit operator bool() const noexcept { return report_ != nullptr; }

    /** 0, or the status of the call that failed to make it. */
    [[nodiscard]] std::int32_t status() const noexcept { return status_; }

    /** The struct, which this object still owns; null if empty. */
    [[nodiscard]] const ::S2Report *get() const noexcept { return report_.get(); }

    /** Its fields; undefined if empty. */
    [[nodiscard]] const ::S2Report *operator->() const noexcept { return get(); }

private:
    struct Free {
        void operator()(::S2Report *report) const noexcept { s2_report_free(report); }
    };
    std::unique_ptr<::S2Report, Free> report_;
    std::int32_t status_;
};

/** The number of tokens of a report unless another is asked for. */
constexpr std::int32_t report_tokens = 64;

/** A report of what the three parameters do to a row of `count` logits; see s2_draw_report_first(). */
[[nodiscard]] inline Report report(const float *logits, std::size_t count, const Params &params = {},
                                   std::int32_t first = report_tokens) noexcept {
    if (!detail::fits(count)) {
        return Report(nullptr, S2_ERROR_BAD_ARGUMENT);
    }
    ::S2Report *made = nullptr;
    const ::S2SamplerParams c = params;
    const std::int32_t status =
        s2_draw_report_first(logits, static_cast<std::int32_t>(count), &c, first, &made);
    return Report(made, status);
}

/** As above, of a contiguous container of floats. */
template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
[[nodiscard]] Report report(const Row &logits, const Params &params = {},
                            std::int32_t first = report_tokens) noexcept {
    return report(std::data(logits), static_cast<std::size_t>(std::size(logits)), params, first);
}

/**
 * Stages in the order in which you add them; see S2Chain.
 *
 *     s2sampler::Chain chain;
 *     chain.penalties(64, 1.1F).top_k(40).top_p(0.95F).temperature(0.8F).dist(42);
 *     auto drawn = chain.sample(logits);
 *
 * If a stage cannot be added, status() is its error, and every draw returns it. Owns the handle as Sampler
 * does.
 */
class Chain {
public:
    /** A chain without stages; empty if there is no memory. */
    Chain() noexcept : Chain(s2_chain_new()) {}

    /** A chain with the stages of a preset and its defaults. */
    [[nodiscard]] static Chain preset(Preset preset, std::uint32_t seed) noexcept {
        return Chain(s2_chain_new_preset(static_cast<std::int32_t>(preset), seed, nullptr));
    }

    /** As above with other parameters; empty also if one is out of range. */
    [[nodiscard]] static Chain preset(Preset preset, std::uint32_t seed,
                                      const ::S2PresetParams &params) noexcept {
        return Chain(s2_chain_new_preset(static_cast<std::int32_t>(preset), seed, &params));
    }

    /** A chain in the state that save() wrote; empty if the bytes are no saved chain. */
    [[nodiscard]] static Chain restored(const void *state, std::size_t size) noexcept {
        return Chain(s2_chain_new_restored(state, size));
    }

    /** The chain as bytes; empty if it cannot be saved. Throws what the vector's allocation throws. */
    [[nodiscard]] std::vector<unsigned char> save() const {
        std::vector<unsigned char> state(status_ < 0 ? 0 : s2_chain_state_size(get()));
        if (state.empty() || s2_chain_save(get(), state.data(), state.size()) < 0) {
            state.clear();
        }
        return state;
    }

    /** Takes over a handle of the C interface, and frees it; null makes an empty object. */
    explicit Chain(::S2Chain *handle) noexcept : handle_(handle) {}

    /** A second chain in the same state; empty if this one is. */
    [[nodiscard]] Chain clone() const noexcept {
        Chain copy(s2_chain_clone(get()));
        copy.status_ = status_;
        return copy;
    }

    /** Whether there is a chain. */
    [[nodiscard]] explicit operator bool() const noexcept { return handle_ != nullptr; }

    /** The handle, which this object still owns; null if empty. For calls of the C interface. */
    [[nodiscard]] ::S2Chain *get() const noexcept { return handle_.get(); }

    /** 0, or the status of the first stage that could not be added. */
    [[nodiscard]] std::int32_t status() const noexcept { return status_; }

    /** The number of stages; 0 if empty. */
    [[nodiscard]] std::int32_t count() const noexcept { return *this ? s2_chain_count(get()) : 0; }

    /** The name of a stage, static text; null if there is none. */
    [[nodiscard]] const char *stage_name(std::int32_t index) const noexcept {
        return s2_chain_stage_name(get(), index);
    }

    /** Removes a stage; false if there is none. */
    bool remove(std::int32_t index) noexcept { return s2_chain_remove(get(), index) == 0; }

    /** Moves a stage to another place; false if there is none. See s2_chain_move(). */
    bool move(std::int32_t from, std::int32_t to) noexcept { return s2_chain_move(get(), from, to) == 0; }

    /** Puts one stage in the place of another; false if there is none. See s2_chain_replace(). */
    bool replace(std::int32_t from, std::int32_t index) noexcept {
        return s2_chain_replace(get(), from, index) == 0;
    }

    /** The parameters of a stage as text; empty if there is none. See s2_chain_describe(). Throws what the
        string's allocation throws. */
    [[nodiscard]] std::string describe(std::int32_t index) const {
        const std::int32_t length = s2_chain_describe(get(), index, nullptr, 0);
        std::string text(length > 0 ? static_cast<std::size_t>(length) + 1 : 0, '\0');
        const std::int32_t again = s2_chain_describe(get(), index, text.data(), text.size());
        text.resize(again > 0 && again <= length ? static_cast<std::size_t>(again) : 0);
        return text;
    }

    /** Gives a bitmask stage other words; 0 or a status. See s2_chain_set_bitmask(). */
    std::int32_t set_bitmask(std::int32_t index, const std::int32_t *words, std::size_t count) noexcept {
        return detail::fits(count)
                   ? s2_chain_set_bitmask(get(), index, words, static_cast<std::int32_t>(count))
                   : S2_ERROR_BAD_ARGUMENT;
    }

    /** Histories empty, generators as seeded; 0 or a status. See s2_chain_reset(). */
    std::int32_t reset() noexcept { return s2_chain_reset(get()); }

    /** Restarts a stage's generator from another seed; 0 or a status. See s2_chain_set_seed(). */
    std::int32_t set_seed(std::int32_t index, std::uint32_t seed) noexcept {
        return s2_chain_set_seed(get(), index, seed);
    }

    /** Writes the seed of a stage to `seed`; 0 or a status. See s2_chain_get_seed(). */
    std::int32_t get_seed(std::int32_t index, std::uint32_t &seed) const noexcept {
        return s2_chain_get_seed(get(), index, &seed);
    }

    /** The functions from here to dist_random() append a stage, as the s2_chain_add_*() of their name. They return
        the object itself, hence the &: not for a temporary object. */
    Chain &logit_bias(const LogitBias *biases, std::size_t count) & noexcept {
        const bool fits = detail::fits(count);
        return add(fits ? s2_chain_add_logit_bias(get(), biases, static_cast<std::int32_t>(count))
                        : S2_ERROR_BAD_ARGUMENT);
    }
    Chain &logit_bias(std::initializer_list<LogitBias> biases) & noexcept {
        return logit_bias(biases.begin(), biases.size());
    }
    Chain &penalties(std::int32_t last_n, float repeat, float frequency = 0.0F,
                     float presence = 0.0F) & noexcept {
        return add(s2_chain_add_penalties(get(), last_n, repeat, frequency, presence));
    }
    /** The sequences are written out: `sequence_bias({{198, 198}, {7}}, {-1.0F, 2.0F})`. Another number of biases
        is an error. Throws what the vectors' allocation throws. */
    Chain &sequence_bias(const std::vector<std::vector<std::int32_t>> &sequences,
                         const std::vector<float> &biases) & {
        const detail::Lists lists(sequences);
        return add(sequences.size() == biases.size()
                       ? s2_chain_add_sequence_bias(get(), lists.tokens.data(), lists.lengths.data(),
                                                    biases.data(), lists.count())
                       : S2_ERROR_BAD_ARGUMENT);
    }
    Chain &min_tokens(std::int32_t count, const std::int32_t *ids, std::size_t n_ids) & noexcept {
        return add(detail::fits(n_ids)
                       ? s2_chain_add_min_tokens(get(), count, ids, static_cast<std::int32_t>(n_ids))
                       : S2_ERROR_BAD_ARGUMENT);
    }
    Chain &min_tokens(std::int32_t count, std::initializer_list<std::int32_t> ids) & noexcept {
        return min_tokens(count, ids.begin(), ids.size());
    }
    Chain &bitmask(const std::int32_t *words, std::size_t count) & noexcept {
        return add(detail::fits(count) ? s2_chain_add_bitmask(get(), words, static_cast<std::int32_t>(count))
                                       : S2_ERROR_BAD_ARGUMENT);
    }
    Chain &penalty_decay(std::int32_t sustain, std::int32_t decay, float repeat) & noexcept {
        return add(s2_chain_add_penalty_decay(get(), sustain, decay, repeat));
    }
    Chain &penalty_each(std::int32_t last_n, float repeat) & noexcept {
        return add(s2_chain_add_penalty_each(get(), last_n, repeat));
    }
    Chain &penalty_run(float repeat) & noexcept { return add(s2_chain_add_penalty_run(get(), repeat)); }
    Chain &no_repeat_ngram(std::int32_t n, std::int32_t last_n = -1) & noexcept {
        return add(s2_chain_add_no_repeat_ngram(get(), n, last_n));
    }
    Chain &top_k(std::int32_t k) & noexcept { return add(s2_chain_add_top_k(get(), k)); }
    Chain &top_k_ties(std::int32_t k) & noexcept { return add(s2_chain_add_top_k_ties(get(), k)); }
    Chain &top_p(float p, std::size_t min_keep = 1) & noexcept {
        return add(s2_chain_add_top_p(get(), p, min_keep));
    }
    Chain &top_p_exclusive(float p) & noexcept { return add(s2_chain_add_top_p_exclusive(get(), p)); }
    Chain &min_p(float p, std::size_t min_keep = 1) & noexcept {
        return add(s2_chain_add_min_p(get(), p, min_keep));
    }
    Chain &typical(float p, std::size_t min_keep = 1) & noexcept {
        return add(s2_chain_add_typical(get(), p, min_keep));
    }
    Chain &epsilon_cutoff(float epsilon, std::size_t min_keep = 1) & noexcept {
        return add(s2_chain_add_epsilon_cutoff(get(), epsilon, min_keep));
    }
    Chain &eta_cutoff(float eta, std::size_t min_keep = 1) & noexcept {
        return add(s2_chain_add_eta_cutoff(get(), eta, min_keep));
    }
    Chain &top_a(float a, std::size_t min_keep = 1) & noexcept {
        return add(s2_chain_add_top_a(get(), a, min_keep));
    }
    Chain &smoothing(float factor, float curve = 1.0F) & noexcept {
        return add(s2_chain_add_smoothing(get(), factor, curve));
    }
    Chain &top_n_sigma(float n) & noexcept { return add(s2_chain_add_top_n_sigma(get(), n)); }
    Chain &xtc(float probability, float threshold, std::size_t min_keep, std::uint32_t seed) & noexcept {
        return add(s2_chain_add_xtc(get(), probability, threshold, min_keep, seed));
    }
    Chain &xtc_protected(float probability, float threshold, std::size_t min_keep, std::uint32_t seed,
                         const std::int32_t *ids, std::size_t n_ids) & noexcept {
        return add(detail::fits(n_ids)
                       ? s2_chain_add_xtc_protected(get(), probability, threshold, min_keep, seed, ids,
                                                    static_cast<std::int32_t>(n_ids))
                       : S2_ERROR_BAD_ARGUMENT);
    }
    Chain &xtc_protected(float probability, float threshold, std::size_t min_keep, std::uint32_t seed,
                         std::initializer_list<std::int32_t> ids) & noexcept {
        return xtc_protected(probability, threshold, min_keep, seed, ids.begin(), ids.size());
    }
    Chain &scale(float factor) & noexcept { return add(s2_chain_add_scale(get(), factor)); }
    Chain &temperature(float t) & noexcept { return add(s2_chain_add_temperature(get(), t)); }
    Chain &temperature_ext(float t, float delta, float exponent) & noexcept {
        return add(s2_chain_add_temperature_ext(get(), t, delta, exponent));
    }
    /** The breakers are written out: `dry(0.8F, 1.75F, 2, -1, {{13}, {198, 198}})`. Throws what the vectors'
        allocation throws. */
    Chain &dry(float multiplier, float base, std::int32_t allowed_length, std::int32_t last_n,
               const std::vector<std::vector<std::int32_t>> &breakers = {}) & {
        const detail::Lists lists(breakers);
        return add(s2_chain_add_dry(get(), multiplier, base, allowed_length, last_n, lists.tokens.data(),
                                    lists.lengths.data(), lists.count()));
    }
    Chain &mirostat(std::uint32_t seed, float tau, float eta, std::int32_t m = 100) & noexcept {
        return add(s2_chain_add_mirostat(get(), seed, tau, eta, m));
    }
    Chain &adaptive_p(float target, float decay, std::uint32_t seed) & noexcept {
        return add(s2_chain_add_adaptive_p(get(), target, decay, seed));
    }
    Chain &mirostat_v2(std::uint32_t seed, float tau, float eta) & noexcept {
        return add(s2_chain_add_mirostat_v2(get(), seed, tau, eta));
    }
    /** Appends a stage of your own: an object that is called with an S2TokenDataArray &, such as a lambda, and
        returns nothing or a status; see S2CustomStage. Members `accept(std::int32_t)` and `reset()` are called if
        it has them. If it cannot be copied, nor can the chain. An exception becomes S2_ERROR_INTERNAL. `selects`:
        whether it selects a token. */
    template <class Stage>
    Chain &custom(const char *name, Stage stage, bool selects = false) & {
        using Held = detail::CustomStage<Stage>;
        std::unique_ptr<Held> held(new (std::nothrow) Held{std::move(stage)});
        if (held == nullptr) {
            return add(S2_ERROR_OUT_OF_MEMORY);
        }
        ::S2CustomStage c;
        s2_custom_stage_init(&c);
        c.selects = selects ? 1 : 0;
        c.name = name;
        c.apply = &Held::apply;
        c.accept = &Held::accept;
        c.reset = &Held::reset;
        c.clone = &Held::clone;
        c.free = &Held::free;
        c.user = held.get();
        const std::int32_t index = s2_chain_add_custom(get(), &c);
        if (index >= 0) {
            // The chain frees it from now on.
            (void)held.release();
        }
        return add(index);
    }
    Chain &s2(const Params &params = Params{}) & noexcept {
        const ::S2SamplerParams c = params;
        return add(s2_chain_add_s2(get(), &c));
    }
    /** Appends s2_first; see s2_chain_add_s2_first(). The defaults are those of the first generations. */
    Chain &s2_first(const Params &params = kFirstParams, std::int32_t keep_id = -1) & noexcept {
        const ::S2SamplerParams c = params;
        return add(s2_chain_add_s2_first(get(), &c, keep_id));
    }
    Chain &softmax() & noexcept { return add(s2_chain_add_softmax(get())); }
    Chain &greedy() & noexcept { return add(s2_chain_add_greedy(get())); }
    Chain &dist(std::uint32_t seed) & noexcept { return add(s2_chain_add_dist(get(), seed)); }
    /** Appends dist with options; see dist_options(). */
    Chain &dist(const ::S2DistOptions &options) & noexcept { return add(s2_chain_add_dist_ex(get(), &options)); }
    /** Appends dist with a seed from the operating system, which is written to `seed` for the log. */
    Chain &dist_random(std::uint32_t &seed) & noexcept {
        const std::int32_t status = s2_random_seed(&seed);
        return status < 0 ? add(status) : dist(seed);
    }

    /** Draws a token from `count` logits and accepts it; see s2_chain_sample(). */
    Result sample(const float *logits, std::size_t count) noexcept {
        if (status_ < 0) {
            return Result(status_);
        }
        if (!detail::fits(count)) {
            return Result(S2_ERROR_BAD_ARGUMENT);
        }
        return Result(s2_chain_sample(get(), logits, static_cast<std::int32_t>(count)));
    }

    /** As above, from a contiguous container of floats. */
    template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
    Result sample(const Row &logits) noexcept {
        return sample(std::data(logits), static_cast<std::size_t>(std::size(logits)));
    }

    /** Draws a token as a request says; see s2_chain_sample_ex(). make_chain_request() and make_chain_result()
        prepare the structs. */
    Result sample(const ::S2ChainRequest &request, ::S2ChainResult *result = nullptr) noexcept {
        return Result(status_ < 0 ? status_ : s2_chain_sample_ex(get(), &request, result));
    }

    /** Applies the stages to `count` candidates; see s2_chain_apply(). They are TokenData, or a struct of
        another name with the same members, such as llama_token_data. */
    template <class Token, std::enable_if_t<detail::is_token<Token>::value, int> = 0>
    Applied apply(Token *tokens, std::size_t count, bool sorted = false) noexcept {
        return apply(tokens, count, -1, sorted);
    }

    /** As above, on a vector, which shrinks to the candidates left. */
    template <class Token, std::enable_if_t<detail::is_token<Token>::value, int> = 0>
    Applied apply(std::vector<Token> &tokens, bool sorted = false) noexcept {
        const Applied applied = apply(tokens.data(), tokens.size(), sorted);
        if (applied) {
            tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(applied.size), tokens.end());
        }
        return applied;
    }

    /** As above, on an S2TokenDataArray or a struct of another name with the same members, such as
        llama_token_data_array, in which the results are written too. */
    template <class Array, std::enable_if_t<detail::is_token_array<Array>::value, int> = 0>
    Applied apply(Array &array) noexcept {
        const Applied applied = apply(array.data, array.size, array.selected, array.sorted);
        array.size = applied.size;
        array.selected = applied.selected;
        array.sorted = applied.sorted;
        return applied;
    }

    /** A report of what the stages would do to a row of `count` logits. See s2_chain_report_first(). */
    [[nodiscard]] Report report(const float *logits, std::size_t count,
                                std::int32_t first = report_tokens) const noexcept {
        if (status_ < 0 || !detail::fits(count)) {
            return Report(nullptr, status_ < 0 ? status_ : S2_ERROR_BAD_ARGUMENT);
        }
        ::S2Report *made = nullptr;
        const std::int32_t status =
            s2_chain_report_first(get(), logits, static_cast<std::int32_t>(count), first, &made);
        return Report(made, status);
    }

    /** As above, of a contiguous container of floats. */
    template <class Row, std::enable_if_t<detail::is_row<Row>::value, int> = 0>
    [[nodiscard]] Report report(const Row &logits, std::int32_t first = report_tokens) const noexcept {
        return report(std::data(logits), static_cast<std::size_t>(std::size(logits)), first);
    }

    /** Accepts a token; 0 or a status. See s2_chain_accept(). */
    std::int32_t accept(std::int32_t token) noexcept {
        return status_ < 0 ? status_ : s2_chain_accept(get(), token);
    }

private:
    template <class Token>
    Applied apply(Token *tokens, std::size_t count, std::int64_t selected, bool sorted) noexcept {
        // Only the library reads them through the pointer.
        ::S2TokenDataArray array = {reinterpret_cast<::S2TokenData *>(tokens), count, selected, sorted};
        const std::int32_t status = status_ < 0 ? status_ : s2_chain_apply(get(), &array);
        return {status, array.size, array.selected, array.sorted};
    }

    Chain &add(std::int32_t index) noexcept {
        if (status_ == 0 && index < 0) {
            status_ = index;
        }
        return *this;
    }

    struct Free {
        void operator()(::S2Chain *handle) const noexcept { s2_chain_free(handle); }
    };
    std::unique_ptr<::S2Chain, Free> handle_;
    std::int32_t status_ = 0;
};

/** The SIMD level of the draws: static text, never null. See s2_simd_level(). */
[[nodiscard]] inline const char *simd_level() noexcept { return s2_simd_level(); }

}  // namespace s2sampler

#endif  // S2SAMPLER_HPP
