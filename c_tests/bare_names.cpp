// With the bare name, too, nothing in the namespace is ambiguous.
#include <s2sampler.hpp>

#include "support/check.h"

#include <vector>

using namespace s2sampler;

int main() {
    const std::vector<float> row = {1.0F, 3.0F, 2.0F};
    SamplerParams c = s2_sampler_params_default();
    const Params params = Params::from(c);
    c.temperature = 0.0F;
    CHECK(s2_sample_token(row.data(), 3, &c) == 1);
    Sampler sampler = Sampler::with_seed(1);
    const Result drawn = sampler.sample_ranges(row, {{0, 1}}, params);
    CHECK(drawn.ok() && drawn.token() <= 1);
    Stream stream = Stream::with_seed(1, StreamConfig{0, 2, -1});
    CHECK(stream.slow(row, params, true).ok() && sizeof(TokenRange) == sizeof(S2TokenRange));
    CHECK(static_cast<bool>(report(row, params)) && count_special(row).nans == 0);
}
