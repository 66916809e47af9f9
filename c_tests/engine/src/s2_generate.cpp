// Slow-AR and Fast-AR: a masked main token with repetition-aware redraw, then the other codebooks.
#include "../include/s2_generate.h"
#include "../include/s2_sampler.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>

namespace s2 {
namespace {

constexpr size_t RAS_WINDOW = 10;
constexpr float RAS_TEMPERATURE = 1.0f;
constexpr float RAS_TOP_P = 0.9f;

int32_t sample(const std::vector<float> & row, const SamplerParams & params) {
    return sample_token(row.data(), static_cast<int32_t>(row.size()), params);
}

// 0 for the semantic ids and the end, -inf elsewhere; added to the row as engines do.
std::vector<float> build_mask(size_t vocab, const GenerateParams & params) {
    std::vector<float> mask(vocab, -std::numeric_limits<float>::infinity());
    for (int32_t id = params.sem_begin; id <= params.sem_end; ++id) {
        mask[static_cast<size_t>(id)] = 0.0f;
    }
    mask[static_cast<size_t>(params.im_end)] = 0.0f;
    return mask;
}

}

std::vector<Frame> generate(Model & model, const GenerateParams & params) {
    std::vector<Frame> frames;
    std::deque<int32_t> window;
    std::vector<float> slow;
    std::vector<float> fast;
    std::vector<float> mask;

    for (int32_t step = 0; step < params.max_new_tokens; ++step) {
        model.slow_logits(slow);
        if (mask.empty()) {
            mask = build_mask(slow.size(), params);
        }
        std::vector<float> row(slow);
        for (size_t i = 0; i < row.size(); ++i) {
            row[i] += mask[i];
        }
        if (step < params.min_tokens_before_end) {
            row[static_cast<size_t>(params.im_end)] = -std::numeric_limits<float>::infinity();
        }

        int32_t token = sample(row, params.sampler);
        if (token == params.im_end) {
            break;
        }
        const bool semantic = token >= params.sem_begin && token <= params.sem_end;
        if (semantic && std::find(window.begin(), window.end(), token) != window.end()) {
            SamplerParams redraw = params.sampler;
            redraw.temperature = RAS_TEMPERATURE;
            redraw.top_p = RAS_TOP_P;
            token = sample(row, redraw);
            // An end token from here does not end the loop: the frame gets code 0, and the loop goes on.
        }
        window.push_back(token);
        if (window.size() > RAS_WINDOW) {
            window.pop_front();
        }

        Frame frame;
        frame.push_back(std::min(std::max(token - params.sem_begin, 0), params.codebook_size - 1));
        while (frame.size() < static_cast<size_t>(params.codebooks)) {
            model.fast_logits(frame, fast);
            frame.push_back(sample(fast, params.sampler));
        }
        model.accept(token, frame);
        frames.push_back(std::move(frame));
    }
    return frames;
}

}
