// CrispASR: run_with_probs of greedy_decode.h, and cosyvoice3_tts_sample_ras.
#include "recipes.hpp"

#include "../examples/toy_model.hpp"

#include <algorithm>
#include <random>

namespace {

// A word of the engine's generator as a number from 0 to 1.
double uniform(std::mt19937_64 &random) { return static_cast<double>(random()) / 0x1p64; }

}  // namespace

// The probability is that of the penalised row at temperature 1.
void greedy_decode(const Record &line) {
    const float t = line.value("temperature");
    const ChainHandle chain = new_chain();
    ok(s2_chain_add_penalties(chain.get(), -1, 1.0F, line.value("frequency_penalty"), 0.0F));
    if (t > 0.0F) {
        const S2DistOptions dist = dist_options(0, S2_DIST_INVERSION, S2_DIST_ID_ORDER);
        ok(s2_chain_add_scale(chain.get(), 1.0F / t));
        ok(s2_chain_add_dist_ex(chain.get(), &dist));
    } else {
        ok(s2_chain_add_greedy(chain.get()));
    }
    std::mt19937_64 random(line.word("rng_seed"));
    std::uint64_t h = line.word("model_seed");
    std::vector<std::int32_t> tokens = {line.number("first_token")};
    std::vector<double> probabilities = {static_cast<double>(line.value("first_prob"))};
    accept(chain, tokens);
    const auto most = static_cast<std::size_t>(line.number("max_new_tokens"));
    while (tokens.back() != line.number("eos_id") && tokens.size() < most) {
        h = toy::mix(h, static_cast<std::uint64_t>(tokens.back()));
        const std::vector<float> row = line.row(h);
        const double u = uniform(random);
        S2ChainRequest request = request_for(row);
        request.uniforms = &u;
        request.n_uniforms = 1;
        const S2ChainResult result = sample(chain, request);
        tokens.push_back(result.token);
        probabilities.push_back(result.penalised_probability);
    }
    same("token", tokens, line.numbers("tokens"));
    const std::vector<float> want = line.values("probabilities");
    same("probabilities", probabilities.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
        close("probability " + std::to_string(i), probabilities[i], static_cast<double>(want[i]));
    }
}

// The second draw of a repeated token is from the full softmax, without that token.
void cosyvoice3(const Record &line) {
    const ChainHandle first = new_chain();
    ok(s2_chain_add_softmax(first.get()));
    ok(s2_chain_add_top_k(first.get(), line.number("top_k")));
    ok(s2_chain_add_top_p(first.get(), line.value("top_p"), 1));
    const S2DistOptions by_rank = dist_options(0, S2_DIST_INVERSION, S2_DIST_RANK_ORDER);
    ok(s2_chain_add_dist_ex(first.get(), &by_rank));
    const ChainHandle second = new_chain();
    const S2DistOptions by_id = dist_options(0, S2_DIST_INVERSION, S2_DIST_ID_ORDER);
    ok(s2_chain_add_dist_ex(second.get(), &by_id));

    std::mt19937_64 random(line.word("rng_seed"));
    std::uint64_t h = line.word("model_seed");
    const std::int32_t window = line.number("window");
    const float limit = static_cast<float>(window) * line.value("tau");
    std::vector<std::int32_t> tokens;
    std::int32_t hits = 0;
    const std::vector<std::int32_t> want = line.numbers("tokens");
    while (tokens.size() < want.size()) {
        const std::vector<float> row = line.row(h);
        double u = uniform(random);
        S2ChainRequest request = request_for(row);
        request.uniforms = &u;
        request.n_uniforms = 1;
        std::int32_t token = sample(first, request).token;
        const auto lately = tokens.end() - std::min<std::ptrdiff_t>(window, tokens.end() - tokens.begin());
        if (static_cast<float>(std::count(lately, tokens.end(), token)) >= limit) {
            u = uniform(random);
            const std::int32_t banned = token;
            request.banned = &banned;
            request.n_banned = 1;
            token = sample(second, request).token;
            ++hits;
        }
        tokens.push_back(token);
        if (!line.family_ends_in('=')) h = toy::mix(h, static_cast<std::uint64_t>(token));
    }
    same("token", tokens, want);
    same("hits", hits, line.number("hits"));
}
