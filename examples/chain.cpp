// Five experiments that show whether temperature, top_p and the seed work, and one that shows why min_p 0.9 is
// not top_p 0.9.
#include <s2sampler.hpp>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

using s2sampler::Chain;

// The probabilities of five tokens in percent; 45 more share the rest.
static std::vector<float> logits = {16.7526f, 7.59989f, 4.84584f, 4.50433f, 4.04461f};

// Draws eight tokens with the preset: penalties, temperature, softmax, top_k, top_p, min_p, dist.
static void draw(const char *name, std::uint32_t seed, float temperature, float top_p) {
    S2PresetParams params = s2sampler::preset_params(s2sampler::Preset::temperature_first);
    params.temperature = temperature;
    params.top_p = top_p;
    Chain chain = Chain::preset(s2sampler::Preset::temperature_first, seed, params);
    std::cout << name;
    for (int i = 0; i < 8; ++i) std::cout << ' ' << chain.sample(logits).token();
    std::cout << '\n';
}

// Applies the chain to an array of candidates, as llama.cpp does, and counts those left.
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
    // min_p keeps tokens with at least that share of the best token's probability: here the best alone.
    Chain near;
    count("min_p 0.9: ", near.min_p(0.9f));
    Chain nucleus;
    count("top_p 0.9: ", nucleus.top_p(0.9f));
}

/* Prints:
greedy:         0 0 0 0 0 0 0 0
greedy, again:  0 0 0 0 0 0 0 0
seed 42:        23 0 24 10 3 0 4 1
seed 42, again: 23 0 24 10 3 0 4 1
seed 43:        3 0 0 0 26 0 0 12
T 0.2:          0 0 0 0 0 0 0 0
T 1.2, p 0.95:  28 1 27 18 9 0 12 4
min_p 0.9: 1 left
top_p 0.9: 43 left
*/
