// Reports of two chains: min_p 0.9 and top_p 0.9 sound alike and differ widely.
#include <s2sampler.h>

#include <cmath>
#include <cstdio>
#include <vector>

// Prints one line for each stage and for each of the five likeliest tokens, and the warnings.
static void show(S2Chain *chain, const std::vector<float> &logits) {
    S2Report *report = nullptr;
    if (s2_chain_report_first(chain, logits.data(), static_cast<int32_t>(logits.size()), 5, &report) < 0) return;
    for (int32_t i = 0; i < report->n_stages; ++i) {
        const S2ReportStage *stage = report->stages[i];
        std::printf("%-5s %-17s %2d -> %2d  keeps %5.1f %%", stage->name, stage->parameters, int{stage->before},
                    int{stage->after}, 100 * stage->kept_mass);
        if (*stage->unit != '\0') std::printf("  cut at %s %.6f", stage->unit, stage->threshold);
        std::printf("\n");
    }
    for (int32_t i = 0; i < report->n_candidates; ++i) {
        const S2ReportCandidate *token = report->candidates[i];
        std::printf("  token %d  raw %8.5f %%  final %8.5f %%", int{token->id}, 100 * token->raw_probability,
                    100 * token->final_probability);
        if (token->dropped_by >= 0) std::printf("  dropped by %s", report->stages[token->dropped_by]->name);
        std::printf("\n");
    }
    for (int32_t i = 0; i < report->n_warnings; ++i) std::printf("  warning: %s\n", report->warnings[i]);
    s2_report_free(report);
}

int main() {
    // The probabilities of five tokens in percent; 45 more share the rest.
    std::vector<float> logits = {16.7526f, 7.59989f, 4.84584f, 4.50433f, 4.04461f};
    logits.resize(50, (100 - 37.74727f) / 45);
    for (float &logit : logits) logit = std::log(logit);

    S2Chain *near = s2_chain_new();
    S2Chain *nucleus = s2_chain_new();
    const bool made = s2_chain_add_min_p(near, 0.9f, 1) >= 0 && s2_chain_add_dist(near, 42) >= 0 &&
                      s2_chain_add_top_p(nucleus, 0.9f, 1) >= 0 && s2_chain_add_dist(nucleus, 42) >= 0;
    if (made) {
        show(near, logits);
        show(nucleus, logits);
    }
    s2_chain_free(near);
    s2_chain_free(nucleus);
    return made ? 0 : 1;
}

/* Prints:
min_p p 0.9, min_keep 1 50 ->  1  keeps  16.8 %  cut at probability 0.150773
dist  seed 42            1 ->  1  keeps 100.0 %
  token 0  raw 16.75260 %  final 100.00000 %
  token 1  raw  7.59989 %  final  0.00000 %  dropped by min_p
  token 2  raw  4.84584 %  final  0.00000 %  dropped by min_p
  token 3  raw  4.50433 %  final  0.00000 %  dropped by min_p
  token 4  raw  4.04461 %  final  0.00000 %  dropped by min_p
  warning: min_p 0.9 leaves 1 candidate: equals greedy
top_p p 0.9, min_keep 1 50 -> 43  keeps  90.3 %  cut at running probability 0.900000
dist  seed 42           43 -> 43  keeps 100.0 %
  token 0  raw 16.75260 %  final 18.54882 %
  token 1  raw  7.59989 %  final  8.41475 %
  token 2  raw  4.84584 %  final  5.36541 %
  token 3  raw  4.50433 %  final  4.98729 %
  token 4  raw  4.04461 %  final  4.47828 %
*/
