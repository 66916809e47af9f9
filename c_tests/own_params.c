/* A program with a global SamplerParams of its own includes the header all the same. */
#define S2_NO_BARE_NAMES
#include <s2sampler.h>

#include "support/check.h"

typedef struct SamplerParams {
    double temperature;
    int beams;
} SamplerParams;

int main(void) {
    const float row[3] = {1.0F, 3.0F, 2.0F};
    const SamplerParams own = {0.0, 4};
    S2SamplerParams params = s2_sampler_params_default();
    CHECK(sizeof(S2SamplerParams) == 12 && own.beams == 4);
    params.temperature = (float)own.temperature;
    CHECK(s2_sample_token(row, 3, &params) == 1);
    return 0;
}
