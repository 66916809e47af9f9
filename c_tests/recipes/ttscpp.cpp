// TTS.cpp, sampler::sample: a token for each head of a frame.
#include "recipes.hpp"

#include <algorithm>
#include <random>

namespace {

ChainHandle rule(const Record &line) {
    ChainHandle chain = new_chain();
    const std::int32_t k = line.number("top_k");
    const float top_p = line.value("top_p");
    ok(s2_chain_add_penalty_run(chain.get(), line.value("rep_pen")));
    ok(s2_chain_add_temperature(chain.get(), line.value("temperature")));
    // With top_p the probabilities are those of the whole row, otherwise those of the best k.
    if (top_p < 1.0F) {
        ok(s2_chain_add_softmax(chain.get()));
        ok(s2_chain_add_top_k(chain.get(), k));
        ok(s2_chain_add_top_p(chain.get(), top_p, 1));
    } else {
        ok(s2_chain_add_top_k(chain.get(), k));
        ok(s2_chain_add_softmax(chain.get()));
    }
    S2DistOptions dist = dist_options(0, S2_DIST_INVERSION, S2_DIST_RANK_ORDER);
    dist.sums = S2_SUMS_FLOAT;
    dist.mass = std::min(top_p, 1.0F);
    ok(s2_chain_add_dist_ex(chain.get(), &dist));
    return chain;
}

}  // namespace

// A chain for each head; each remembers its own tokens. A call has a generator of its own, which gives each head
// one number: the word's place between the least and the largest, in binary32.
void tts_cpp(const Record &line) {
    const auto heads = static_cast<std::size_t>(line.number("heads"));
    std::vector<ChainHandle> chains;
    std::vector<std::vector<float>> rows;
    for (std::size_t head = 0; head < heads; ++head) {
        chains.push_back(rule(line));
        rows.push_back(line.row(line.word("seed") + head));
    }
    std::uint32_t call = 0;
    for (const std::string &text : split(line.text("calls"), '|')) {
        std::minstd_rand random(line.seed("first_seed") + call);
        std::vector<std::int32_t> got;
        std::vector<std::int32_t> want;
        for (std::size_t head = 0; head < heads; ++head) {
            const auto place = static_cast<float>(random() - random.min());
            const double uniform = place / static_cast<float>(random.max() - random.min());
            S2ChainRequest request = request_for(rows[head]);
            request.uniforms = &uniform;
            request.n_uniforms = 1;
            got.push_back(sample(chains[head], request).token);
        }
        for (const std::string &token : split(text, ',')) {
            want.push_back(static_cast<std::int32_t>(integer(token)));
        }
        same("token of call " + std::to_string(call) + ", head", got, want);
        ++call;
    }
}
