// As zero_request.c, in C++20, where a struct is set by the names of its fields.
#include <s2sampler.hpp>

#include "support/check.h"
#include "support/rows.hpp"

int main() {
    const std::vector<float> row = bell(500, 0x1p-20F, 1);
    s2sampler::Sampler by_request = s2sampler::Sampler::with_seed(5);
    s2sampler::Sampler plain = s2sampler::Sampler::with_seed(5);
    const ::S2SamplerParams flat{.temperature = 1.0F, .top_p = 1.0F, .top_k = 0};
    for (int i = 0; i < 300; ++i) {
        const S2SampleRequest request{
            .struct_size = sizeof(S2SampleRequest), .logits = row.data(), .vocab_size = 500};
        CHECK(by_request.sample(request).token() == plain.sample(row).token());
        const S2SampleRequest with_params{.struct_size = sizeof(S2SampleRequest),
                                          .logits = row.data(),
                                          .vocab_size = 500,
                                          .params = &flat,
                                          .keep_id = 7,
                                          .watched_id = 7,
                                          .uniform = 0.5};  // without their flags the last three are off
        CHECK(by_request.sample(with_params).token() ==
              plain.sample(row, {.temperature = 1.0F, .top_p = 1.0F, .top_k = 0}).token());
    }
}
