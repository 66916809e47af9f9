/* A request of zero bytes, but for its size, row and length, is the plain default draw. */
#include <s2sampler.h>

#include "support/check.h"

int main(void) {
    float row[500];
    S2Sampler *const by_request = s2_sampler_new(5);
    S2Sampler *const plain = s2_sampler_new(5);
    int i;
    for (i = 0; i < 500; ++i) row[i] = (float)(i * 7919 % 500) * 0.01F;
    for (i = 0; i < 300; ++i) {
        S2SampleRequest request = {0};
        S2SampleResult result = {0};
        int32_t token;
        request.struct_size = sizeof request;
        request.logits = row;
        request.vocab_size = 500;
        result.struct_size = sizeof result;
        token = s2_sampler_sample_ex(by_request, &request, i % 2 == 0 ? NULL : &result);
        CHECK(token == s2_sampler_sample(plain, row, 500, NULL));
        if (i % 2 != 0) CHECK(result.token == token && result.candidates > 1 && result.words == 2);
    }
    s2_sampler_free(by_request);
    s2_sampler_free(plain);
    return 0;
}
