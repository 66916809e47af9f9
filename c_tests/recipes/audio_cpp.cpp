// audio.cpp: HfSampler::sample, and the loop of fish_audio.
#include "recipes.hpp"

#include "../examples/toy_model.hpp"

#include <algorithm>
#include <deque>
#include <random>

// The history stays as it is.
void hf_sampler(const Record &line) {
    const ChainHandle chain = new_chain();
    const std::int32_t min_keep = line.number("min_keep");
    const std::int32_t k = line.number("top_k");
    ok(s2_chain_add_penalties(chain.get(), -1, line.value("rep_pen"), 0.0F, 0.0F));
    ok(s2_chain_add_temperature(chain.get(), line.value("temperature")));
    ok(s2_chain_add_top_k_ties(chain.get(), k > 0 ? std::max(k, min_keep) : 0));
    ok(s2_chain_add_top_p(chain.get(), line.value("top_p"), static_cast<std::size_t>(min_keep)));
    const S2DistOptions dist = dist_options(line.seed("rng_seed"), S2_DIST_DISCRETE, S2_DIST_ID_ORDER);
    ok(s2_chain_add_dist_ex(chain.get(), &dist));
    accept(chain, line.numbers("history"));
    draw_all(chain, line, S2_REQUEST_NO_ACCEPT);
}

namespace {

ChainHandle fish_rule(float t, float top_p, std::int32_t k) {
    ChainHandle chain = new_chain();
    ok(s2_chain_add_softmax(chain.get()));
    ok(s2_chain_add_top_k(chain.get(), std::max(k, 1)));
    ok(s2_chain_add_top_p_exclusive(chain.get(), top_p));
    ok(s2_chain_add_temperature(chain.get(), std::max(t, 1e-5F)));
    const S2DistOptions dist = dist_options(0, S2_DIST_DISCRETE, S2_DIST_LIST_ORDER);
    ok(s2_chain_add_dist_ex(chain.get(), &dist));
    return chain;
}

// A draw that takes two words of the engine's generator, or none where one candidate is left.
std::int32_t draw(const ChainHandle &chain, const std::vector<float> &row,
                  const std::vector<S2TokenRange> &ranges, std::mt19937 &random) {
    std::mt19937 after = random;
    const double g0 = static_cast<double>(after());
    const double g1 = static_cast<double>(after());
    const double u = (g0 + g1 * 0x1p32) / 0x1p64;
    S2ChainRequest request = request_for(row);
    request.uniforms = &u;
    request.n_uniforms = 1;
    request.ranges = ranges.data();
    request.n_ranges = static_cast<std::int32_t>(ranges.size());
    const S2ChainResult result = sample(chain, request);
    if (result.uniforms == 1) random = after;
    return result.token;
}

}  // namespace

// Two main tokens in every frame; the second replaces a semantic one that came lately. All numbers are those of
// one std::mt19937, which is the caller's.
void fish_audio(const Record &line) {
    const std::int32_t begin = line.number("sem_begin");
    const std::int32_t last = line.number("sem_end");
    const std::int32_t end = line.number("im_end");
    toy::Model model({line.number("vocab"), begin, end, line.number("codebook_size"),
                      line.word("model_seed"), line.value("scale"), line.value("hot"), line.number("stop_after")});
    const std::int32_t k = line.number("top_k");
    const ChainHandle user = fish_rule(line.value("temperature"), line.value("top_p"), k);
    const ChainHandle redraw = fish_rule(1.0F, 0.9F, k);
    std::mt19937 random(line.seed("rng_seed"));
    const auto codebooks = static_cast<std::size_t>(line.number("codebooks"));
    std::deque<std::int32_t> window(10, 0);
    std::vector<std::string> frames;
    std::int32_t hits = 0;
    std::vector<float> row;
    while (frames.size() < static_cast<std::size_t>(line.number("max_frames"))) {
        model.slow_logits(row);
        const std::vector<S2TokenRange> ranges = {{begin, last}, {end, end}};
        std::int32_t token = draw(user, row, ranges, random);
        const std::int32_t second = draw(redraw, row, ranges, random);
        const bool lately = std::count(window.begin(), window.end(), token) > 0;
        if (!frames.empty() && begin <= token && token <= last && lately) {
            token = second;
            ++hits;
        }
        window.pop_front();
        window.push_back(token);
        if (token == end) break;
        // Not clamped to the codebook.
        std::vector<std::int32_t> codes = {token - begin};
        std::string frame = std::to_string(token);
        while (codes.size() < codebooks) {
            model.fast_logits(codes, row);
            codes.push_back(draw(user, row, {}, random));
            frame += ":" + std::to_string(codes.back());
        }
        model.accept(token, codes);
        frames.push_back(frame);
    }
    const std::vector<std::string> want = split(line.text("frames"), ',');
    for (std::size_t i = 0; i < std::min(frames.size(), want.size()); ++i) {
        if (frames[i] != want[i]) throw Mismatch("frame " + frames[i] + ", not " + want[i]);
    }
    same("frames", frames.size(), want.size());
    same("hits", hits, line.number("hits"));
}
