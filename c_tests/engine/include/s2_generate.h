// The engine's generation loop over a model that it knows only by its logits.
#pragma once

#include "s2_sampler.h"

#include <cstdint>
#include <vector>

namespace s2 {

// A two-stage model: one slow row for each frame, one fast row for each further codebook.
class Model {
public:
    virtual ~Model() = default;
    virtual void slow_logits(std::vector<float> & out) = 0;
    // `codes` are those already chosen in this frame.
    virtual void fast_logits(const std::vector<int32_t> & codes, std::vector<float> & out) = 0;
    virtual void accept(int32_t main_token, const std::vector<int32_t> & codes) = 0;
};

struct GenerateParams {
    SamplerParams sampler;
    int32_t sem_begin = 0;
    int32_t sem_end = 0; // inclusive
    int32_t im_end = 0;
    int32_t codebooks = 0; // the semantic one included
    int32_t codebook_size = 0;
    int32_t min_tokens_before_end = 0;
    int32_t max_new_tokens = 0;
};

using Frame = std::vector<int32_t>;

std::vector<Frame> generate(Model & model, const GenerateParams & params);

}
