// zonos2.cpp, zonos2_sampler::sample.
#include "recipes.hpp"

// Where top_k cuts, the engine draws in rank order, otherwise in id order. The history stays as it is.
void zonos2(const Record &line) {
    const ChainHandle chain = new_chain();
    const std::int32_t k = line.number("top_k");
    const bool cuts = 0 < k && k < line.number("n");
    const float top_p = line.value("top_p");
    ok(s2_chain_add_penalty_each(chain.get(), -1, line.value("rep_pen")));
    ok(s2_chain_add_temperature(chain.get(), line.value("temperature")));
    ok(s2_chain_add_top_k(chain.get(), k));
    ok(s2_chain_add_softmax(chain.get()));
    // 0 is off.
    ok(s2_chain_add_top_p(chain.get(), top_p > 0.0F ? top_p : 1.0F, 1));
    ok(s2_chain_add_min_p(chain.get(), line.value("min_p"), 1));
    const S2DistOptions dist = dist_options(line.seed("rng_seed"), S2_DIST_INVERSION,
                                            cuts ? S2_DIST_RANK_ORDER : S2_DIST_ID_ORDER);
    ok(s2_chain_add_dist_ex(chain.get(), &dist));
    accept(chain, line.numbers("history"));
    draw_all(chain, line, S2_REQUEST_NO_ACCEPT);
}
