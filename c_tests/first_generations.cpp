// The rule of s2.cpp's first generations, by each way that C has to it: every recorded token. argv[1]: the
// directory tests/data.
#include <s2sampler.h>

#include "support/check.h"
#include "support/first_generations.hpp"
#include "support/handles.hpp"

namespace {

void check(const FirstLine &line) {
    const auto n = static_cast<std::int32_t>(line.row.size());
    s2_seed_thread(line.seed);
    const SamplerHandle sampler = own(s2_sampler_new(line.seed));
    const ChainHandle chain = own(s2_chain_new());
    CHECK(s2_chain_add_s2_first(chain.get(), &line.params, line.keep_id) == 0);
    CHECK(s2_chain_add_dist(chain.get(), line.seed) == 1);
    S2SampleRequest request;
    s2_sample_request_init(&request);
    request.logits = line.row.data();
    request.vocab_size = n;
    request.params = &line.params;
    request.keep_id = line.keep_id;
    request.flags = S2_REQUEST_S2_FIRST | (line.keep_id < 0 ? 0U : S2_REQUEST_KEEP_ID);
    for (const std::int32_t token : line.tokens) {
        CHECK(s2_sample_token_first(line.row.data(), n, &line.params, line.keep_id) == token);
        CHECK(s2_chain_sample(chain.get(), line.row.data(), n) == token);
        CHECK(s2_sampler_sample_ex(sampler.get(), &request, nullptr) == token);
    }
    if (line.keep_id >= 0) return;
    S2PresetParams params;
    CHECK(s2_preset_params_init(&params, S2_PRESET_S2_FIRST) == 0);
    params.temperature = line.params.temperature;
    params.top_p = line.params.top_p;
    params.top_k = line.params.top_k;
    const ChainHandle preset = own(s2_chain_new_preset(S2_PRESET_S2_FIRST, line.seed, &params));
    for (const std::int32_t token : line.tokens) {
        CHECK(s2_chain_sample(preset.get(), line.row.data(), n) == token);
    }
}

void defaults_and_errors() {
    const std::vector<float> row = bell(300, 0x1p-20F, 5);
    const SamplerParams defaults = {0.7F, 0.7F, 30};
    S2PresetParams params;
    CHECK(s2_preset_params_init(&params, S2_PRESET_S2_FIRST) == 0);
    CHECK(params.temperature == 0.7F && params.top_p == 0.7F && params.top_k == 30);
    const ChainHandle chain = own(s2_chain_new());
    CHECK(s2_chain_add_s2_first(chain.get(), nullptr, -1) == 0 && s2_chain_add_dist(chain.get(), 3) == 1);
    const SamplerHandle sampler = own(s2_sampler_new(3));
    S2SampleRequest request;
    s2_sample_request_init(&request);
    request.logits = row.data();
    request.vocab_size = 300;
    request.flags = S2_REQUEST_S2_FIRST;
    for (int i = 0; i < 50; ++i) {
        if (i == 0) s2_seed_thread(3);
        const std::int32_t token = s2_sample_token_first(row.data(), 300, i % 2 == 0 ? nullptr : &defaults, -1);
        CHECK(s2_chain_sample(chain.get(), row.data(), 300) == token);
        CHECK(s2_sampler_sample_ex(sampler.get(), &request, nullptr) == token);
    }
    CHECK(s2_sample_token_first(nullptr, 0, nullptr, -1) == 0 && s2_sample_token_first(row.data(), -3, nullptr, 1) == 0);
    CHECK(s2_sample_token_first(nullptr, 3, nullptr, -1) == S2_ERROR_NULL_POINTER);
    const float *const odd = reinterpret_cast<const float *>(reinterpret_cast<const char *>(row.data()) + 1);
    CHECK(s2_sample_token_first(odd, 3, nullptr, -1) == S2_ERROR_BAD_ARGUMENT);
    request.min_p = 0.1F;
    CHECK(s2_sampler_sample_ex(sampler.get(), &request, nullptr) == S2_ERROR_BAD_ARGUMENT);
}

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 2);
    for (const bool with_kept_id : {false, true}) {
        for (const FirstLine &line : first_lines(argv[1], with_kept_id)) check(line);
    }
    defaults_and_errors();
    return 0;
}
