/*
 * s2sampler for llama.cpp: a chain of this library as a llama_sampler.
 *
 * Licence: MIT OR Apache-2.0. Header only, C++17. Includes the host's llama.h, so compile it with the host's
 * include path; needs the library s2sampler and what the host links.
 *
 *     s2sampler::Chain chain;
 *     chain.top_k(40).top_p(0.95F).temperature(0.8F).dist(LLAMA_DEFAULT_SEED);
 *     llama_sampler *sampler = llama_sampler_chain_init(llama_sampler_chain_default_params());
 *     llama_sampler_chain_add(sampler, llama_sampler_init_grammar(vocab, grammar, "root"));
 *     llama_sampler_chain_add(sampler, s2sampler::llama_sampler_of(std::move(chain)));
 *     llama_token token = llama_sampler_sample(sampler, context, -1);
 *     llama_sampler_free(sampler);
 *
 * The tokens are those of llama.cpp's own stages with the same seeds, up to the differences in docs/chain.md.
 *
 *  - Such a sampler can stand anywhere in a chain of llama.cpp, beside llama.cpp's own samplers, more than
 *    once, and alone.
 *  - A stage whose seed is LLAMA_DEFAULT_SEED gets a seed from the operating system, now and anew at each
 *    llama_sampler_reset(). llama_sampler_get_seed() does not know foreign samplers: ask the chain that
 *    llama_sampler_chain_of() returns.
 *  - If the chain does not select, the token that an earlier sampler selected stays selected. If the chain
 *    dropped it, the best candidate left is selected.
 *  - An array that llama.cpp marks as sorted is not verified. llama.cpp's logit_bias changes the order but leaves the
 *    mark: put it before the samplers that sort.
 *  - llama.cpp's apply returns nothing, and llama.cpp ends the process if no candidate is selected. So an
 *    error selects the best candidate, and llama_sampler_status() returns the status of the last apply.
 *  - llama.cpp runs the sampler on the CPU: the hooks of its backend sampling are NULL.
 */
#ifndef S2SAMPLER_LLAMA_HPP
#define S2SAMPLER_LLAMA_HPP

#include "s2sampler.hpp"

#include <llama.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace s2sampler {

// s2_chain_apply() works on the host's array in place.
static_assert(sizeof(::llama_token_data) == sizeof(::S2TokenData) &&
                  offsetof(::llama_token_data, id) == offsetof(::S2TokenData, id) &&
                  offsetof(::llama_token_data, logit) == offsetof(::S2TokenData, logit) &&
                  offsetof(::llama_token_data, p) == offsetof(::S2TokenData, p),
              "this llama.h has another layout of llama_token_data");
static_assert(sizeof(::llama_token_data_array) == sizeof(::S2TokenDataArray) &&
                  offsetof(::llama_token_data_array, data) == offsetof(::S2TokenDataArray, data) &&
                  offsetof(::llama_token_data_array, size) == offsetof(::S2TokenDataArray, size) &&
                  offsetof(::llama_token_data_array, selected) == offsetof(::S2TokenDataArray, selected) &&
                  offsetof(::llama_token_data_array, sorted) == offsetof(::S2TokenDataArray, sorted),
              "this llama.h has another layout of llama_token_data_array");

namespace detail {

/** What a llama_sampler of this header holds. */
struct LlamaContext {
    LlamaContext(Chain &&moved, std::int32_t first_status) noexcept
        : chain(std::move(moved)), status(first_status) {}

    Chain chain;
    /** The status of the last apply or of the last reset, 0 if it succeeded. */
    std::int32_t status;
    /** The stages with LLAMA_DEFAULT_SEED, one bit for each of the first 64 stages. */
    std::uint64_t random_stages = 0;
};

/** Gives the stages with a random seed a new one; 0 or a status. */
inline std::int32_t reseed(LlamaContext &context) noexcept {
    for (std::int32_t stage = 0; stage < 64; ++stage) {
        if ((context.random_stages >> stage & 1) != 0) {
            std::uint32_t seed = 0;
            const std::int32_t status = s2_random_seed(&seed);
            if (status < 0) {
                return status;
            }
            (void)context.chain.set_seed(stage, seed);
        }
    }
    return 0;
}

/** The index of the best candidate, 0 if none is above -inf. */
inline std::size_t best_of(const ::llama_token_data_array &array) noexcept {
    std::size_t best = 0;
    for (std::size_t i = 1; i < array.size; ++i) {
        // A NaN never is the best, also not as the first.
        if (array.data[i].logit > array.data[best].logit ||
            array.data[best].logit != array.data[best].logit) {
            best = i;
        }
    }
    return best;
}

/** Applies the chain. Afterwards a candidate is selected if one was before or if there was an error. */
inline void llama_apply(LlamaContext *context, ::llama_token_data_array &array) noexcept {
    const bool had = array.selected >= 0 && static_cast<std::size_t>(array.selected) < array.size;
    const std::int32_t selected = had ? array.data[array.selected].id : -1;
    std::int32_t status = S2_ERROR_OUT_OF_MEMORY;  // The clone of a chain failed.
    if (context != nullptr) {
        status = context->chain.apply(array).status;
        context->status = status;
    }
    if (array.size == 0 || (status == 0 && (array.selected >= 0 || !had))) {
        return;
    }
    array.selected = static_cast<std::int64_t>(best_of(array));
    for (std::size_t i = 0; had && i < array.size; ++i) {
        if (array.data[i].id == selected) {
            array.selected = static_cast<std::int64_t>(i);
            break;
        }
    }
}

inline LlamaContext *llama_context_of(const ::llama_sampler *sampler) noexcept {
    return static_cast<LlamaContext *>(sampler->ctx);
}

/** Makes the host's object, by llama_sampler_init() where this llama.h has it. */
template <class Interface>
auto make_llama_sampler(Interface *interface, LlamaContext *context, int) noexcept
    -> decltype(llama_sampler_init(interface, static_cast<void *>(context))) {
    return llama_sampler_init(interface, static_cast<void *>(context));
}
template <class Interface>
::llama_sampler *make_llama_sampler(Interface *interface, LlamaContext *context, long) noexcept {
    return new (std::nothrow)::llama_sampler{interface, context};
}

/** The interface of the samplers of this header, the same object for all. Members are assigned by name, and
    those that this header does not know, such as the hooks of backend sampling, are NULL. */
inline ::llama_sampler_i *llama_interface() noexcept;

inline ::llama_sampler *llama_clone(const ::llama_sampler *sampler) noexcept {
    LlamaContext *copy = nullptr;
    if (const LlamaContext *context = llama_context_of(sampler)) {
        if (Chain chain = context->chain.clone()) {
            copy = new (std::nothrow) LlamaContext(std::move(chain), context->status);
        }
        if (copy != nullptr) {
            copy->random_stages = context->random_stages;
        }
    }
    // Never NULL: the host dereferences it. Without memory the copy selects the best candidate.
    return make_llama_sampler(llama_interface(), copy, 0);
}

inline ::llama_sampler_i *llama_interface() noexcept {
    static ::llama_sampler_i interface = [] {
        ::llama_sampler_i i{};
        i.name = [](const ::llama_sampler *) -> const char * { return "s2sampler"; };
        i.accept = [](::llama_sampler *sampler, ::llama_token token) {
            if (LlamaContext *context = llama_context_of(sampler)) {
                (void)context->chain.accept(token);
            }
        };
        i.apply = [](::llama_sampler *sampler, ::llama_token_data_array *array) {
            llama_apply(llama_context_of(sampler), *array);
        };
        i.reset = [](::llama_sampler *sampler) {
            if (LlamaContext *context = llama_context_of(sampler)) {
                const std::int32_t status = context->chain.reset();
                context->status = status < 0 ? status : reseed(*context);
            }
        };
        i.clone = [](const ::llama_sampler *sampler) { return llama_clone(sampler); };
        i.free = [](::llama_sampler *sampler) { delete llama_context_of(sampler); };
        return i;
    }();
    return &interface;
}

}  // namespace detail

/**
 * Makes a llama_sampler of a chain, which moves into it.
 *
 * The caller owns the result and frees it with llama_sampler_free(), or gives it to a chain of llama.cpp. NULL
 * if the chain is empty or has an error (see Chain::status()), if the system gives no seed, or if there is no
 * memory; then the chain is gone.
 */
[[nodiscard]] inline ::llama_sampler *llama_sampler_of(Chain &&chain) noexcept {
    if (!chain || chain.status() < 0) {
        return nullptr;
    }
    auto *context = new (std::nothrow) detail::LlamaContext(std::move(chain), 0);
    if (context == nullptr) {
        return nullptr;
    }
    const std::int32_t stages = context->chain.count();
    for (std::int32_t stage = 0; stage < stages && stage < 64; ++stage) {
        std::uint32_t seed = 0;
        if (context->chain.get_seed(stage, seed) == 0 && seed == LLAMA_DEFAULT_SEED) {
            context->random_stages |= std::uint64_t{1} << stage;
        }
    }
    ::llama_sampler *sampler = detail::reseed(*context) < 0
                                   ? nullptr
                                   : detail::make_llama_sampler(detail::llama_interface(), context, 0);
    if (sampler == nullptr) {
        delete context;
    }
    return sampler;
}

/** The chain of a sampler that llama_sampler_of() made; NULL for another sampler. Stages may be added and
    removed, but a stage with LLAMA_DEFAULT_SEED must keep its index. */
[[nodiscard]] inline Chain *llama_sampler_chain_of(::llama_sampler *sampler) noexcept {
    const bool own = sampler != nullptr && sampler->iface == detail::llama_interface();
    detail::LlamaContext *context = own ? detail::llama_context_of(sampler) : nullptr;
    return context == nullptr ? nullptr : &context->chain;
}

/** The status of the last apply or reset of such a sampler: 0 or one of S2_ERROR_*. For another sampler
    S2_ERROR_BAD_ARGUMENT, for the copy of one that could not be copied S2_ERROR_OUT_OF_MEMORY. */
[[nodiscard]] inline std::int32_t llama_sampler_status(const ::llama_sampler *sampler) noexcept {
    if (sampler == nullptr || sampler->iface != detail::llama_interface()) {
        return S2_ERROR_BAD_ARGUMENT;
    }
    const detail::LlamaContext *context = detail::llama_context_of(sampler);
    return context == nullptr ? S2_ERROR_OUT_OF_MEMORY : context->status;
}

}  // namespace s2sampler

#endif  // S2SAMPLER_LLAMA_HPP
