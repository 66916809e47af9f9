// whisper.cpp, the log-probabilities and whisper_sample_token.
#include "recipes.hpp"

#include <cmath>

namespace {

// How far the logarithm of the engine's normaliser is from the exact one: the engine adds up, takes the logarithm
// and adds the largest logit in binary32.
double normaliser_error(const std::vector<float> &row, float t) {
    const Sums sums(row, t);
    const double exact = std::log(sums.exact) + static_cast<double>(sums.largest_logit);
    return static_cast<double>(std::log(sums.in_float) + sums.largest_logit) - exact;
}

}  // namespace

// Timestamps are the ids from token_beg on: their probability is that of a group. What the engine returns has the
// error of its normaliser, which is computed here and taken off, so that the rest agrees.
void whisper(const Record &line) {
    const std::vector<float> row = line.row();
    const float t = line.value("temperature");
    const ChainHandle chain = new_chain();
    if (t > 0.0F) {
        const S2DistOptions dist = dist_options(line.seed("rng_seed"), S2_DIST_DISCRETE, S2_DIST_ID_ORDER);
        ok(s2_chain_add_temperature(chain.get(), t));
        ok(s2_chain_add_dist_ex(chain.get(), &dist));
    } else {
        ok(s2_chain_add_greedy(chain.get()));
    }
    S2ChainRequest request = request_for(row);
    request.flags = S2_REQUEST_GROUP;
    request.group_first = line.number("token_beg");
    request.group_last = length(row) - 1;
    const double error = normaliser_error(row, t > 0.0F ? t : 1.0F);
    const std::vector<std::int32_t> tokens = line.numbers("tokens");
    const std::vector<float> logs = line.values("log_probabilities");
    const std::vector<float> pts = line.values("pt");
    same("log-probabilities", logs.size(), tokens.size());
    same("pt", pts.size(), tokens.size());
    for (std::size_t draw = 0; draw < tokens.size(); ++draw) {
        const std::string of = "draw " + std::to_string(draw) + ", ";
        const S2ChainResult result = sample(chain, request);
        same(of + "token", result.token, tokens[draw]);
        close(of + "log-probability", result.final_log_probability - error, static_cast<double>(logs[draw]));
        const double pt = result.token >= request.group_first
                              ? result.final_probability * std::exp(-error)
                              : result.group_best_probability / (result.group_probability + 1e-10);
        close(of + "pt", pt, static_cast<double>(pts[draw]));
        close(of + "ptsum", result.group_probability * std::exp(-error),
              static_cast<double>(line.value("ptsum")));
    }
}
