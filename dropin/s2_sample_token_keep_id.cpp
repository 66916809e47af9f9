// Defines the form of s2::sample_token that keeps one id, the end token for example, among the candidates.
#include "engine_header.hpp"

#include <cstdint>

#ifndef S2SAMPLER_DROPIN_HAS_ENGINE_HEADER
namespace s2 {
int32_t sample_token(const float * logits, int32_t vocab_size, const SamplerParams & params,
                     int32_t always_include_id);
}
#endif

namespace {

// This thread's generator. The system seeds it unless seed_dropin_thread() does.
struct Generator {
    Generator() : sampler(s2_sampler_new_random()) {}
    Generator(const Generator &) = delete;
    Generator & operator=(const Generator &) = delete;
    ~Generator() { s2_sampler_free(sampler); }
    S2Sampler * const sampler;
};

S2Sampler * generator() {
    static thread_local const Generator own;
    return own.sampler;
}

}  // namespace

namespace s2sampler {

// Seeds the generator that this drop-in uses in the calling thread. It is not the one that
// s2_seed_thread() seeds. No header declares this function: declare it where you call it.
void seed_dropin_thread(std::uint32_t seed);
void seed_dropin_thread(std::uint32_t seed) { s2_sampler_seed(generator(), seed); }

}  // namespace s2sampler

// The kept id joins the candidates, whatever its rank, if its logit is above -inf; -1 keeps none. An error
// returns token 0, since engines use the result as an index.
int32_t s2::sample_token(const float * logits, int32_t vocab_size, const s2::SamplerParams & params,
                         int32_t always_include_id) {
    ::S2SamplerParams same;
    same.temperature = params.temperature;
    same.top_p = params.top_p;
    same.top_k = params.top_k;
    S2SampleRequest request;
    s2_sample_request_init(&request);
    request.logits = logits;
    request.vocab_size = vocab_size;
    request.params = &same;
    request.keep_id = always_include_id;
    request.flags = S2_REQUEST_KEEP_ID;
    const int32_t token = s2_sampler_sample_ex(generator(), &request, nullptr);
    return token < 0 ? 0 : token;
}
