// bark.cpp, gpt_multinomial_sample and gpt_argmax_sample.
#include "recipes.hpp"

// eos_p is the probability of the last id at the temperature, with the engine's binary32 normaliser. The greedy
// function divides by 0.7.
void bark(const Record &line) {
    const std::vector<float> row = line.row();
    const float t = line.value("temperature");
    const ChainHandle chain = new_chain();
    if (t > 0.0F) {
        const S2DistOptions dist = dist_options(line.seed("rng_seed"), S2_DIST_DISCRETE, S2_DIST_ID_ORDER);
        ok(s2_chain_add_temperature(chain.get(), t));
        ok(s2_chain_add_dist_ex(chain.get(), &dist));
    } else {
        ok(s2_chain_add_temperature(chain.get(), 0.7F));
        ok(s2_chain_add_greedy(chain.get()));
    }
    const Sums sums(row, t > 0.0F ? t : 0.7F);
    const double error = sums.exact / static_cast<double>(sums.in_float);
    S2ChainRequest request = request_for(row);
    request.flags = S2_REQUEST_WATCH_ID;
    request.watched_id = length(row) - 1;
    for (const std::int32_t token : line.numbers("tokens")) {
        const S2ChainResult result = sample(chain, request);
        same("token", result.token, token);
        close("eos_p", result.watched_final_probability * error, static_cast<double>(line.value("eos_p")));
    }
}
