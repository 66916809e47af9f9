// A program with a global SamplerParams of its own includes both headers, and uses the namespace.
#define S2_NO_BARE_NAMES
#include <s2sampler.hpp>

#include "support/check.h"

#include <vector>

struct SamplerParams {
    double temperature = 1.0;
    int beams = 4;
};

using namespace s2sampler;

int main() {
    const std::vector<float> row = {1.0F, 3.0F, 2.0F};
    const SamplerParams own;
    Params params;
    CHECK(own.beams == 4 && params.top_k == 30);
    params.temperature = 0.0F;
    CHECK(sample_token(row, params).token() == 1);
    S2SamplerParams c = s2_sampler_params_default();
    c.temperature = 0.0F;
    CHECK(s2_sample_token(row.data(), 3, &c) == 1 && sample_token(row, Params::from(c)).token() == 1);
    Sampler sampler = Sampler::with_seed(1);
    Chain chain;
    CHECK(sampler.sample(row, params).token() == 1 && chain.greedy().sample(row).token() == 1);
}
