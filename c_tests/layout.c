/* The layout that the ABI promises, asserted by the compiler: nothing here runs, and nothing but
   freestanding headers is needed, so other platforms' compilers can check it too. */
#include <s2sampler.h>

#include <stddef.h>

#define ASSERT_THAT(name, condition) typedef char name[(condition) ? 1 : -1]

ASSERT_THAT(params_are_12_bytes, sizeof(SamplerParams) == 12);
ASSERT_THAT(params_align_like_int32, sizeof(struct { char c; SamplerParams p; }) == 16);
ASSERT_THAT(temperature_is_first, offsetof(SamplerParams, temperature) == 0);
ASSERT_THAT(top_p_is_second, offsetof(SamplerParams, top_p) == 4);
ASSERT_THAT(top_k_is_third, offsetof(SamplerParams, top_k) == 8);
ASSERT_THAT(temperature_is_binary32, sizeof(((SamplerParams *)0)->temperature) == 4);
ASSERT_THAT(top_p_is_binary32, sizeof(((SamplerParams *)0)->top_p) == 4);
ASSERT_THAT(top_k_is_32_bits, sizeof(((SamplerParams *)0)->top_k) == 4);

ASSERT_THAT(ranges_are_8_bytes, sizeof(S2TokenRange) == 8 && offsetof(S2TokenRange, first) == 0);
ASSERT_THAT(last_is_second, offsetof(S2TokenRange, last) == 4);

/* No pointers and no 64-bit fields, so the same on 32-bit platforms. */
ASSERT_THAT(config_is_48_bytes, sizeof(S2StreamConfig) == 48);
ASSERT_THAT(config_aligns_like_int32, sizeof(struct { char c; S2StreamConfig s; }) == 52);
ASSERT_THAT(struct_size_is_first, offsetof(S2StreamConfig, struct_size) == 0);
ASSERT_THAT(semantic_first_at_4, offsetof(S2StreamConfig, semantic_first) == 4);
ASSERT_THAT(semantic_last_at_8, offsetof(S2StreamConfig, semantic_last) == 8);
ASSERT_THAT(end_id_at_12, offsetof(S2StreamConfig, end_id) == 12);
ASSERT_THAT(ras_window_at_16, offsetof(S2StreamConfig, ras_window) == 16);
ASSERT_THAT(ras_temperature_at_20, offsetof(S2StreamConfig, ras_temperature) == 20);
ASSERT_THAT(ras_top_p_at_24, offsetof(S2StreamConfig, ras_top_p) == 24);
ASSERT_THAT(ras_mode_at_28, offsetof(S2StreamConfig, ras_mode) == 28);
ASSERT_THAT(ras_tau_at_32, offsetof(S2StreamConfig, ras_tau) == 32);
ASSERT_THAT(ras_end_at_36, offsetof(S2StreamConfig, ras_end) == 36);
ASSERT_THAT(ras_always_at_40, offsetof(S2StreamConfig, ras_always) == 40);
ASSERT_THAT(ras_bans_at_44, offsetof(S2StreamConfig, ras_bans) == 44);
/* Without holes wherever pointers have 4 or 8 bytes, so that later fields cannot land in one. */
#define P sizeof(void *)
ASSERT_THAT(request_starts_with_its_size, offsetof(S2SampleRequest, struct_size) == 0);
ASSERT_THAT(request_logits, offsetof(S2SampleRequest, logits) == 8);
ASSERT_THAT(request_flags, offsetof(S2SampleRequest, flags) == 4);
ASSERT_THAT(request_vocab_size, offsetof(S2SampleRequest, vocab_size) == 8 + P);
ASSERT_THAT(request_offset, offsetof(S2SampleRequest, id_offset) == 12 + P);
ASSERT_THAT(request_params, offsetof(S2SampleRequest, params) == 16 + P);
ASSERT_THAT(request_ranges, offsetof(S2SampleRequest, ranges) == 16 + 2 * P);
ASSERT_THAT(request_history, offsetof(S2SampleRequest, history) == 16 + 6 * P);
ASSERT_THAT(request_n_ranges, offsetof(S2SampleRequest, n_ranges) == 16 + 7 * P);
ASSERT_THAT(request_penalties, offsetof(S2SampleRequest, repetition_penalty) == 40 + 7 * P);
ASSERT_THAT(request_keep_id, offsetof(S2SampleRequest, keep_id) == 56 + 7 * P);
ASSERT_THAT(request_has_128_bytes, P != 8 || sizeof(S2SampleRequest) == 128);
ASSERT_THAT(request_bitmask, offsetof(S2SampleRequest, bitmask) == 16 + 4 * P);
ASSERT_THAT(dist_is_24_bytes, sizeof(S2DistOptions) == 24);
ASSERT_THAT(dist_mass, offsetof(S2DistOptions, mass) == 20);
ASSERT_THAT(chain_request_logits, offsetof(S2ChainRequest, logits) == 8);
ASSERT_THAT(chain_request_best_after, offsetof(S2ChainRequest, best_after) == 8 + 8 * P);
ASSERT_THAT(chain_request_vocab_size, offsetof(S2ChainRequest, vocab_size) == 8 + 9 * P);
ASSERT_THAT(chain_request_ends, sizeof(S2ChainRequest) == 56 + 9 * P);
ASSERT_THAT(chain_result_token, offsetof(S2ChainResult, token) == 4);
ASSERT_THAT(chain_result_raw, offsetof(S2ChainResult, raw_probability) == 40);
ASSERT_THAT(chain_result_ends, sizeof(S2ChainResult) == 152);
ASSERT_THAT(log_prob_is_8_bytes, sizeof(S2TokenLogProb) == 8);
ASSERT_THAT(result_starts_with_its_size, offsetof(S2SampleResult, struct_size) == 0);
ASSERT_THAT(result_token, offsetof(S2SampleResult, token) == 4);
ASSERT_THAT(result_candidates, offsetof(S2SampleResult, candidates) == 8);
ASSERT_THAT(result_words, offsetof(S2SampleResult, words) == 12);
ASSERT_THAT(result_nans, offsetof(S2SampleResult, nans) == 16);
ASSERT_THAT(result_raw, offsetof(S2SampleResult, raw_probability) == 24);
ASSERT_THAT(result_watched, offsetof(S2SampleResult, watched_raw_probability) == 56);
ASSERT_THAT(result_ends_there, sizeof(S2SampleResult) == 88);

/* llama.cpp's llama_token_data and llama_token_data_array. */
ASSERT_THAT(tokens_are_12_bytes, sizeof(S2TokenData) == 12 && offsetof(S2TokenData, id) == 0);
ASSERT_THAT(logit_is_second, offsetof(S2TokenData, logit) == 4);
ASSERT_THAT(p_is_third, offsetof(S2TokenData, p) == 8);
typedef struct {
    S2TokenData *data;
    size_t size;
    int64_t selected;
    bool sorted;
} llamas_array;
ASSERT_THAT(array_is_llamas, sizeof(S2TokenDataArray) == sizeof(llamas_array));
ASSERT_THAT(array_data, offsetof(S2TokenDataArray, data) == 0);
ASSERT_THAT(array_size, offsetof(S2TokenDataArray, size) == P);
ASSERT_THAT(array_selected, offsetof(S2TokenDataArray, selected) == 2 * P);
ASSERT_THAT(array_sorted, offsetof(S2TokenDataArray, sorted) == 8 + 2 * P);
ASSERT_THAT(sorted_is_a_byte, sizeof(((S2TokenDataArray *)0)->sorted) == 1);

ASSERT_THAT(biases_are_8_bytes, sizeof(S2LogitBias) == 8 && offsetof(S2LogitBias, id) == 0);
ASSERT_THAT(bias_is_second, offsetof(S2LogitBias, bias) == 4);
ASSERT_THAT(preset_is_28_bytes, sizeof(S2PresetParams) == 28);
ASSERT_THAT(preset_starts_with_its_size, offsetof(S2PresetParams, struct_size) == 0);
ASSERT_THAT(preset_temperature, offsetof(S2PresetParams, temperature) == 4);
ASSERT_THAT(preset_top_p, offsetof(S2PresetParams, top_p) == 8);
ASSERT_THAT(preset_top_k, offsetof(S2PresetParams, top_k) == 12);
ASSERT_THAT(preset_min_p, offsetof(S2PresetParams, min_p) == 16);
ASSERT_THAT(preset_repeat_penalty, offsetof(S2PresetParams, repeat_penalty) == 20);
ASSERT_THAT(preset_last_n, offsetof(S2PresetParams, penalty_last_n) == 24);
/* Reports are the library's own, so only the order matters: struct_size first, then no holes. */
ASSERT_THAT(report_starts_with_its_size, offsetof(S2Report, struct_size) == 0);
ASSERT_THAT(report_entropy, offsetof(S2Report, entropy) == 16);
ASSERT_THAT(report_stages, offsetof(S2Report, stages) == 40);
ASSERT_THAT(report_ends_there, sizeof(S2Report) == 40 + 4 * P);
ASSERT_THAT(report_stage_masses, offsetof(S2ReportStage, raw_mass) == 16);
ASSERT_THAT(report_stage_name, offsetof(S2ReportStage, name) == 48);
ASSERT_THAT(report_stage_unit, offsetof(S2ReportStage, unit) == 48 + 2 * P);
ASSERT_THAT(report_candidate_raw, offsetof(S2ReportCandidate, raw_probability) == 16);
ASSERT_THAT(report_candidate_ends_there, sizeof(S2ReportCandidate) == 48);
