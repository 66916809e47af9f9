// Hugging Face transformers: what the processors of generate leave of a row.
#include "recipes.hpp"

#include <algorithm>
#include <cmath>

namespace {

// The softmax in double, falling.
std::vector<double> probabilities(const std::vector<S2TokenData> &tokens) {
    float most = -INFINITY;
    for (const S2TokenData &token : tokens) most = std::max(most, token.logit);
    std::vector<double> p;
    double sum = 0.0;
    for (const S2TokenData &token : tokens) {
        p.push_back(std::exp(static_cast<double>(token.logit) - static_cast<double>(most)));
        sum += p.back();
    }
    for (double &each : p) each /= sum;
    std::sort(p.rbegin(), p.rend());
    return p;
}

// FNV-1a of 64 bits over the ids as little-endian words.
std::uint64_t fnv(const std::vector<std::int32_t> &ids) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const std::int32_t id : ids) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ (static_cast<std::uint32_t>(id) >> shift & 0xffU)) * 0x100000001b3U;
        }
    }
    return hash;
}

}  // namespace

// The processors in the order of generate, over an array.
void hugging_face(const Record &line) {
    const ChainHandle chain = new_chain();
    ok(s2_chain_add_penalties(chain.get(), -1, line.value("repetition_penalty"), 0.0F, 0.0F));
    ok(s2_chain_add_no_repeat_ngram(chain.get(), line.number("no_repeat_ngram"), -1));
    ok(s2_chain_add_temperature(chain.get(), line.value("temperature")));
    ok(s2_chain_add_top_k(chain.get(), line.number("top_k")));
    ok(s2_chain_add_top_p(chain.get(), line.value("top_p"), 1));
    ok(s2_chain_add_min_p(chain.get(), line.value("min_p"), 1));
    ok(s2_chain_add_typical(chain.get(), line.value("typical"), 1));
    ok(s2_chain_add_epsilon_cutoff(chain.get(), line.value("epsilon"), 1));
    ok(s2_chain_add_eta_cutoff(chain.get(), line.value("eta"), 1));
    accept(chain, line.numbers("history"));
    std::vector<S2TokenData> tokens = candidates(line.row());
    apply(chain, tokens);

    same("candidates", static_cast<std::int32_t>(tokens.size()), line.number("count"));
    std::vector<std::int32_t> ids;
    for (const S2TokenData &token : tokens) ids.push_back(token.id);
    std::sort(ids.begin(), ids.end());
    const std::string &listed = line.text("ids_or_hash");
    if (listed.compare(0, 2, "0x") == 0) {
        same<std::uint64_t>("hash of the ids", fnv(ids), std::stoull(listed, nullptr, 16));
    } else {
        same("id", ids, line.numbers("ids_or_hash"));
    }
    const std::vector<double> got = probabilities(tokens);
    const std::vector<std::string> largest = split(line.text("probabilities"), ',');
    same("probabilities", std::min<std::size_t>(got.size(), 8), largest.size());
    for (std::size_t i = 0; i < largest.size(); ++i) close("probability", got[i], real(largest[i]));
}
