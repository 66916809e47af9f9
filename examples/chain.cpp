#include <s2sampler.hpp>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

using s2sampler::Chain;

// Percentages of five tokens, and 45 that share the rest.
static std::vector<float> logits = {16.7526f, 7.59989f, 4.84584f, 4.50433f, 4.04461f};

static void draw(const char *name, std::uint32_t seed, float temperature, float top_p) {
    S2PresetParams params = s2sampler::preset_params(s2sampler::Preset::article);
    params.temperature = temperature; // penalties, temperature, softmax, top_k, top_p, min_p, dist
    params.top_p = top_p;
    Chain chain = Chain::preset(s2sampler::Preset::article, seed, params);
    std::cout << name;
    for (int i = 0; i < 8; ++i) std::cout << ' ' << chain.sample(logits).token();
    std::cout << '\n';
}

static void count(const char *name, Chain &chain) {
    std::vector<s2sampler::TokenData> left;
    for (const float logit : logits) left.push_back({static_cast<std::int32_t>(left.size()), logit, 0.0f});
    const auto applied = chain.apply(left);
    std::cout << name << (applied ? std::to_string(left.size()) + " left\n" : applied.message());
}

int main() {
    logits.resize(50, (100 - 37.74727f) / 45);
    for (float &logit : logits) logit = std::log(logit);
    draw("greedy:        ", 1, 0.0f, 0.9f);
    draw("greedy, again: ", 2, 0.0f, 0.9f);
    draw("seed 42:       ", 42, 0.8f, 0.9f);
    draw("seed 42, again:", 42, 0.8f, 0.9f);
    draw("seed 43:       ", 43, 0.8f, 0.9f);
    draw("T 0.2:         ", 42, 0.2f, 0.9f);
    draw("T 1.2, p 0.95: ", 42, 1.2f, 0.95f);
    // min_p is a share of the best token's probability: 0.9 of it, nobody else has.
    Chain near = Chain::with_seed(1);
    count("min_p 0.9: ", near.min_p(0.9f));
    Chain nucleus = Chain::with_seed(1);
    count("top_p 0.9: ", nucleus.top_p(0.9f));
}
