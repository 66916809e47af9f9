#include <s2sampler.hpp>

#include <iostream>
#include <vector>

int main() {
    const std::vector<float> logits = {1.0f, 3.0f, 2.5f, 2.0f};
    s2sampler::SamplerParams params; // 0.8, 0.8, 30
    params.top_p = 0.95f;

    s2sampler::seed_thread(42); // left out: seeded by the operating system
    std::cout << "tokens:";
    for (int i = 0; i < 5; ++i) {
        const auto drawn = s2sampler::sample_token(logits, params);
        if (!drawn) {
            std::cerr << drawn.message() << '\n';
            return 1;
        }
        std::cout << ' ' << drawn.token();
    }
    std::cout << '\n';
}
