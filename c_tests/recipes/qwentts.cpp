// qwentts.cpp, sample_top_k_p.
#include "recipes.hpp"

#include <cmath>

namespace {

ChainHandle rule(const Record &line) {
    ChainHandle chain = new_chain();
    const float t = line.value("temperature");
    if (t <= 0.0F) {
        ok(s2_chain_add_greedy(chain.get()));
        return chain;
    }
    ok(s2_chain_add_penalties(chain.get(), -1, line.value("rep_pen"), 0.0F, 0.0F));
    ok(s2_chain_add_scale(chain.get(), 1.0F / t));
    ok(s2_chain_add_top_k_ties(chain.get(), line.number("top_k")));
    const float top_p = line.value("top_p");
    if (0.0F < top_p && top_p < 1.0F) {
        // The probabilities are those before the logits below m - 16 go.
        ok(s2_chain_add_softmax(chain.get()));
        ok(s2_chain_add_min_p(chain.get(), std::exp(-16.0F), 1));
        ok(s2_chain_add_top_p(chain.get(), top_p, 1));
    }
    S2DistOptions dist = dist_options(0, S2_DIST_INVERSION, S2_DIST_ID_ORDER);
    dist.sums = S2_SUMS_FLOAT;
    ok(s2_chain_add_dist_ex(chain.get(), &dist));
    return chain;
}

}  // namespace

// The engine's Philox numbers are the caller's.
void qwentts(const Record &line) {
    const std::vector<float> row = line.row();
    const ChainHandle chain = rule(line);
    accept(chain, line.numbers("history"));
    const std::vector<float> uniforms = line.values("uniforms");
    const std::vector<std::int32_t> tokens = line.numbers("tokens");
    same("uniforms", uniforms.size(), tokens.size());
    for (std::size_t draw = 0; draw < tokens.size(); ++draw) {
        const auto uniform = static_cast<double>(uniforms[draw]);
        S2ChainRequest request = request_for(row);
        request.flags = S2_REQUEST_NO_ACCEPT;
        // A greedy line has -1 instead of a number.
        if (uniform >= 0.0) {
            request.uniforms = &uniform;
            request.n_uniforms = 1;
        }
        same("token " + std::to_string(draw), sample(chain, request).token, tokens[draw]);
    }
}
