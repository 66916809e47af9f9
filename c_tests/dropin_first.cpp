// The drop-ins for s2.cpp's first generations: every token that these returned, through the engine's own
// function. FORM_... names the form that is linked. argv[1]: the directory tests/data.
#include <s2sampler.h>

#include "support/check.h"
#include "support/first_generations.hpp"

#include <random>

namespace s2 {
struct SamplerParams {
    float temperature = 0.7F;
    float top_p = 0.7F;
    int32_t top_k = 30;
};
#if defined(FORM_first)
int32_t sample_token(const float *logits, int32_t vocab_size, const SamplerParams &params);
#elif defined(FORM_first_keep_id)
int32_t sample_token(const float *logits, int32_t vocab_size, const SamplerParams &params,
                     int32_t always_include_id);
#else
int32_t sample_token(const float *logits, int32_t vocab_size, const SamplerParams &params,
                     int32_t always_include_id, std::mt19937 *rng);
#endif
}  // namespace s2

namespace {

std::int32_t draw(const float *logits, std::int32_t n, const s2::SamplerParams &params, std::int32_t keep_id,
                  std::mt19937 *rng) {
    static_cast<void>(keep_id);
    static_cast<void>(rng);
#if defined(FORM_first)
    return s2::sample_token(logits, n, params);
#elif defined(FORM_first_keep_id)
    return s2::sample_token(logits, n, params, keep_id);
#else
    return s2::sample_token(logits, n, params, keep_id, rng);
#endif
}

void check(const FirstLine &line, std::mt19937 *rng) {
    s2::SamplerParams params;
    params.temperature = line.params.temperature;
    params.top_p = line.params.top_p;
    params.top_k = line.params.top_k;
    for (const std::int32_t token : line.tokens) {
        const std::int32_t got =
            draw(line.row.data(), static_cast<std::int32_t>(line.row.size()), params, line.keep_id, rng);
        CHECK_CASE(got == token, "%d, not %d", got, token);
    }
}

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 2);
    for (const bool with_kept_id : {false, true}) {
#if defined(FORM_first)
        if (with_kept_id) continue;
#endif
        for (const FirstLine &line : first_lines(argv[1], with_kept_id)) {
            s2_seed_thread(line.seed);
            check(line, nullptr);
            std::mt19937 own(line.seed);
            if (draw(line.row.data(), 0, {}, -1, &own) != 0) return 1;
            s2_seed_thread(line.seed);
            check(line, &own);
        }
    }

    // Nothing to draw from, and errors: token 0.
    const float row[] = {-kInf, kNan, -kInf};
    std::mt19937 rng(7);
    s2_seed_thread(7);
    CHECK(draw(row, 3, {}, 1, &rng) == 0);
    CHECK(draw(nullptr, 3, {}, 1, &rng) == 0 && draw(nullptr, 0, {}, -1, &rng) == 0);
#if defined(FORM_first_keep_id_mt19937)
    // Three candidates of no weight: two words, as with the library's own generator.
    std::mt19937 mirror(7);
    mirror.discard(2);
    CHECK(rng == mirror);
    s2_seed_thread(7);
    CHECK(draw(row, 3, {}, 1, nullptr) == 0);
    const std::vector<float> even(50, 0.0F);
    for (int i = 0; i < 20; ++i) {
        CHECK(draw(even.data(), 50, {}, -1, &rng) == draw(even.data(), 50, {}, -1, nullptr));
    }
#endif
    return 0;
}
