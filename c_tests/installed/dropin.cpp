// Draws with the engine's own function, whose definition comes from the drop-in.
#include "s2_sampler.h"

int main() {
    const float row[3] = {0.0f, 50.0f, 1.0f};
#if defined(FORM_dropin)
    return s2::sample_token(row, 3, s2::SamplerParams()) == 1 ? 0 : 1;
#elif defined(FORM_dropin_mt19937)
    std::mt19937 rng(42);
    return s2::sample_token(row, 3, s2::SamplerParams(), &rng) == 1 ? 0 : 1;
#elif defined(FORM_dropin_first)
    return s2::sample_token(row, 3, s2::SamplerParams()) == 1 ? 0 : 1;
#elif defined(FORM_dropin_first_keep_id)
    return s2::sample_token(row, 3, s2::SamplerParams(), -1) == 1 ? 0 : 1;
#elif defined(FORM_dropin_first_keep_id_mt19937)
    std::mt19937 rng(42);
    return s2::sample_token(row, 3, s2::SamplerParams(), -1, &rng) == 1 ? 0 : 1;
#endif
}
