// koboldcpp, kcpp_quick_sample.
#include "recipes.hpp"

#include <algorithm>

namespace {

ChainHandle rule(const Record &line) {
    ChainHandle chain = new_chain();
    const float t = line.value("temperature");
    if (t <= 0.0F) {
        ok(s2_chain_add_greedy(chain.get()));
        return chain;
    }
    const std::int32_t k = line.number("top_k");
    const S2DistOptions dist = dist_options(line.seed("rng_seed"), S2_DIST_DISCRETE, S2_DIST_LIST_ORDER);
    ok(s2_chain_add_scale(chain.get(), 1.0F / t));
    // A penalty below 1 is off.
    ok(s2_chain_add_penalties(chain.get(), -1, std::max(line.value("rep_pen"), 1.0F), 0.0F, 0.0F));
    ok(s2_chain_add_top_k(chain.get(), k <= 0 || k > 300 ? 300 : k));
    ok(s2_chain_add_top_p(chain.get(), line.value("top_p"), 1));
    ok(s2_chain_add_dist_ex(chain.get(), &dist));
    return chain;
}

}  // namespace

// The history is what was accepted before; each draw starts from it.
void koboldcpp(const Record &line) {
    const ChainHandle chain = rule(line);
    accept(chain, line.numbers("history"));
    std::uint64_t seed = line.word("seed");
    const std::uint64_t step = line.family_ends_in('+') ? 1 : 0;
    for (const std::int32_t token : line.numbers("tokens")) {
        const std::vector<float> row = line.row(seed);
        S2ChainRequest request = request_for(row);
        request.flags = S2_REQUEST_NO_ACCEPT;
        same("token of row " + std::to_string(seed), sample(chain, request).token, token);
        seed += step;
    }
}
