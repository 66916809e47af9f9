#include <s2sampler.hpp>
#include <iostream>

int main() {
    const float logits[] = {1.0f, 3.0f, 2.5f, 2.0f};
    s2sampler::Params params; // temperature 0.8, top_p 0.8, top_k 30
    params.top_p = 0.95f;
    auto sampler = s2sampler::Sampler::with_seed(42); // a generator that belongs to one request
    std::cout << "tokens:";
    for (int i = 0; i < 5; ++i) {
        const auto drawn = sampler.sample(logits, params);
        if (!drawn) return std::cerr << drawn.message() << '\n', 1;
        std::cout << ' ' << drawn.token();
    }
    std::cout << '\n';
}

/* Prints:
tokens: 2 1 2 2 1
*/
