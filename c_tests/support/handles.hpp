// Handles that free themselves, and what tests do with them.
#ifndef S2_TESTS_HANDLES_HPP
#define S2_TESTS_HANDLES_HPP

#include <s2sampler.h>

#include "check.h"

#include <cstdint>
#include <memory>
#include <vector>

struct FreeHandle {
    void operator()(S2Sampler *sampler) const { s2_sampler_free(sampler); }
    void operator()(S2Stream *stream) const { s2_stream_free(stream); }
    void operator()(S2Chain *chain) const { s2_chain_free(chain); }
};
using SamplerHandle = std::unique_ptr<S2Sampler, FreeHandle>;
using StreamHandle = std::unique_ptr<S2Stream, FreeHandle>;
using ChainHandle = std::unique_ptr<S2Chain, FreeHandle>;

// A handle that must be there.
template <class T>
std::unique_ptr<T, FreeHandle> own(T *handle) {
    CHECK(handle != nullptr);
    return std::unique_ptr<T, FreeHandle>(handle);
}

inline std::int32_t draw(const SamplerHandle &sampler, const std::vector<float> &row,
                         const SamplerParams &params) {
    return s2_sampler_sample(sampler.get(), row.data(), static_cast<std::int32_t>(row.size()), &params);
}

using State = std::vector<unsigned char>;

// Equal states: the same seed, the same number of words taken, the same words to come.
inline State save(const SamplerHandle &sampler) {
    State state(s2_sampler_state_size());
    CHECK(s2_sampler_save(sampler.get(), state.data(), state.size()) == 0);
    return state;
}

// Draws among equal candidates: alike only if the generator stands at the same place.
inline std::vector<std::int32_t> draws_among_equals(const SamplerHandle &sampler, int count) {
    const std::vector<float> row(4096, 0.0F);
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < count; ++i) tokens.push_back(draw(sampler, row, {1.0F, 1.0F, 0}));
    return tokens;
}

#endif
