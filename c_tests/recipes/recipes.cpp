#include "recipes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

void close(const std::string &what, double got, double want) {
    // Infinities and zeros are equal; a NaN is close to nothing.
    if (got == want || std::fabs(got - want) <= 1e-5 * std::fabs(want)) return;
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, "%.9g, not %.9g", got, want);
    throw Mismatch(what + ": " + numbers);
}

Sums::Sums(const std::vector<float> &row, float t)
    : largest_logit(*std::max_element(row.begin(), row.end()) / t) {
    for (const float logit : row) {
        const float l = logit / t;
        if (!std::isfinite(l)) continue;
        in_float += std::exp(l - largest_logit);
        exact += std::exp(static_cast<double>(l) - static_cast<double>(largest_logit));
    }
}

S2DistOptions dist_options(std::uint32_t seed, std::int32_t method, std::int32_t order) {
    S2DistOptions options;
    s2_dist_options_init(&options);
    options.seed = seed;
    options.method = method;
    options.order = order;
    return options;
}

S2ChainRequest request_for(const std::vector<float> &row) {
    S2ChainRequest request;
    s2_chain_request_init(&request);
    request.logits = row.data();
    request.vocab_size = length(row);
    return request;
}

S2ChainResult sample(const ChainHandle &chain, const S2ChainRequest &request) {
    S2ChainResult result;
    s2_chain_result_init(&result);
    ok(s2_chain_sample_ex(chain.get(), &request, &result));
    return result;
}

void draw_all(const ChainHandle &chain, const Record &line, std::uint32_t flags) {
    const std::vector<float> row = line.row();
    S2ChainRequest request = request_for(row);
    request.flags = flags;
    const std::vector<std::int32_t> tokens = line.numbers("tokens");
    for (std::size_t draw = 0; draw < tokens.size(); ++draw) {
        same("token " + std::to_string(draw), sample(chain, request).token, tokens[draw]);
    }
}

std::vector<S2TokenData> candidates(const std::vector<float> &row) {
    std::vector<S2TokenData> tokens(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) tokens[i] = {static_cast<std::int32_t>(i), row[i], 0.0F};
    return tokens;
}

void apply(const ChainHandle &chain, std::vector<S2TokenData> &tokens) {
    S2TokenDataArray array{tokens.data(), tokens.size(), -1, false};
    ok(s2_chain_apply(chain.get(), &array));
    tokens.resize(array.size);
    const auto gone = [](const S2TokenData &token) { return std::isinf(token.logit); };
    tokens.erase(std::remove_if(tokens.begin(), tokens.end(), gone), tokens.end());
}
