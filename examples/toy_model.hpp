// A toy model: a counter-based generator makes its logits, so it has no weights and is the same on every machine.
//
// Its state is a hash of every token it accepted, so one wrong token changes all later logits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace toy {

// splitmix64 (Steele, Lea, Flood 2014): the next output, advancing the state.
inline uint64_t next(uint64_t & state) {
    state += 0x9E3779B97F4A7C15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

inline uint64_t mix(uint64_t state, uint64_t value) {
    uint64_t mixed = state ^ value;
    return next(mixed);
}

// One bell-shaped value: three 21-bit parts of one output, added, centred and scaled.
inline float bell_value(uint64_t & state, float scale) {
    const uint64_t r = next(state);
    const uint64_t part = 0x1fffff;
    const int64_t x = static_cast<int64_t>((r & part) + (r >> 21 & part) + (r >> 42 & part));
    return static_cast<float>(x - 3145727) * scale;
}

inline void bell(size_t n, float scale, uint64_t seed, std::vector<float> & out) {
    out.resize(n);
    for (float & value : out) {
        value = bell_value(seed, scale);
    }
}

struct ModelParams {
    int32_t vocab;
    int32_t sem_begin;
    int32_t im_end;
    int32_t codebook_size;
    uint64_t seed;
    float scale;
    float hot; // raises four semantic tokens, so that repetitions occur
    int32_t stop_after; // frames after which the end token outweighs all others
};

class Model {
public:
    explicit Model(const ModelParams & params) : params_(params), state_(params.seed) {}

    void slow_logits(std::vector<float> & out) const {
        bell(static_cast<size_t>(params_.vocab), params_.scale, state_, out);
        for (int j = 0; j < 4; ++j) {
            out[static_cast<size_t>(params_.sem_begin + 11 * j)] +=
                params_.hot + 0.25f * static_cast<float>(j);
        }
        if (steps_ >= params_.stop_after) {
            out[static_cast<size_t>(params_.im_end)] = 30.0f;
        }
    }

    void fast_logits(const std::vector<int32_t> & codes, std::vector<float> & out) const {
        uint64_t state = state_;
        for (int32_t code : codes) {
            state = mix(state, static_cast<uint64_t>(code) + 1);
        }
        bell(static_cast<size_t>(params_.codebook_size), params_.scale, state, out);
    }

    void accept(int32_t main_token, const std::vector<int32_t> & codes) {
        state_ = mix(state_, static_cast<uint64_t>(main_token));
        for (int32_t code : codes) {
            state_ = mix(state_, static_cast<uint64_t>(code));
        }
        ++steps_;
    }

private:
    ModelParams params_;
    uint64_t state_;
    int32_t steps_ = 0;
};

}
