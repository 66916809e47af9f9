// s2sampler.hpp's Chain: the tokens of the C functions, candidates by other names, errors kept.
#include <s2sampler.hpp>

#include "support/check.h"
#include "support/rows.hpp"

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// llama.cpp's structs, by its names.
typedef std::int32_t llama_token;
struct llama_token_data {
    llama_token id;
    float logit;
    float p;
};
struct llama_token_data_array {
    llama_token_data *data;
    std::size_t size;
    std::int64_t selected;
    bool sorted;
};

namespace {

using s2sampler::Chain;
using s2sampler::Preset;
using s2sampler::TokenData;

static_assert(!std::is_copy_constructible_v<Chain> && !std::is_copy_assignable_v<Chain>);
static_assert(std::is_nothrow_move_constructible_v<Chain> && std::is_nothrow_move_assignable_v<Chain>);
static_assert(std::is_nothrow_default_constructible_v<Chain> && !std::is_convertible_v<Chain, bool>);
static_assert(!std::is_convertible_v<S2Chain *, Chain>);

// Candidates, and what only looks like one.
struct Wider {
    std::int32_t id;
    float logit;
    float p;
    float more;
};
struct Doubles {
    std::int32_t id;
    double logit;
    float p;
};
template <class Token, class = void>
struct can_apply : std::false_type {};
template <class Token>
struct can_apply<Token, std::void_t<decltype(std::declval<Chain &>().apply(std::declval<std::vector<Token> &>()))>>
    : std::true_type {};
static_assert(can_apply<TokenData>::value && can_apply<llama_token_data>::value);
static_assert(!can_apply<Wider>::value && !can_apply<Doubles>::value && !can_apply<float>::value);

const std::vector<float> &row() {
    static const std::vector<float> one = bell(64, 0x1p-20F, 1);
    return one;
}

// The stages of single engines by both faces, their places and their texts.
void more_stages_as_in_c() {
    Chain chain;
    S2Chain *const c = s2_chain_new();
    const std::int32_t words[] = {-1, -2};
    const std::int32_t tokens[] = {3, 4, 5};
    const std::int32_t lengths[] = {2, 1};
    const float biases[] = {1.0F, -1.0F};
    chain.sequence_bias({{3, 4}, {5}}, {1.0F, -1.0F}).min_tokens(3, {3, 4}).bitmask(words, 2);
    chain.penalty_each(64, 1.1F).penalty_run(1.1F).penalty_decay(4, 4, 1.1F).no_repeat_ngram(3);
    chain.scale(1.25F).smoothing(0.1F, 1.5F).top_k_ties(40).top_p_exclusive(0.99F).top_a(0.01F).eta_cutoff(1e-3F);
    chain.xtc_protected(0.5F, 0.1F, 1, 7, {3}).adaptive_p(0.3F, 0.9F, 8).mirostat(9, 5.0F, 0.1F);
    const std::int32_t added[] = {
        s2_chain_add_sequence_bias(c, tokens, lengths, biases, 2), s2_chain_add_min_tokens(c, 3, tokens, 2),
        s2_chain_add_bitmask(c, words, 2), s2_chain_add_penalty_each(c, 64, 1.1F), s2_chain_add_penalty_run(c, 1.1F),
        s2_chain_add_penalty_decay(c, 4, 4, 1.1F), s2_chain_add_no_repeat_ngram(c, 3, -1),
        s2_chain_add_scale(c, 1.25F), s2_chain_add_smoothing(c, 0.1F, 1.5F), s2_chain_add_top_k_ties(c, 40),
        s2_chain_add_top_p_exclusive(c, 0.99F), s2_chain_add_top_a(c, 0.01F, 1), s2_chain_add_eta_cutoff(c, 1e-3F, 1),
        s2_chain_add_xtc_protected(c, 0.5F, 0.1F, 1, 7, tokens, 1), s2_chain_add_adaptive_p(c, 0.3F, 0.9F, 8),
        s2_chain_add_mirostat(c, 9, 5.0F, 0.1F, 100)};
    CHECK(chain.status() == 0 && chain.count() == 16);
    const auto same_stages = [&] {
        for (std::int32_t i = 0; i < chain.count(); ++i) {
            char text[100];
            CHECK_CASE(std::strcmp(chain.stage_name(i), s2_chain_stage_name(c, i)) == 0, "stage %d", i);
            CHECK(s2_chain_describe(c, i, text, sizeof text) > 0);
            CHECK_CASE(chain.describe(i) == text, "stage %d: %s and %s", i, chain.describe(i).c_str(), text);
        }
        CHECK(chain.describe(chain.count()).empty());
    };
    for (std::int32_t i = 0; i < 16; ++i) {
        CHECK(added[i] == i);
    }
    const auto same_draws = [&] {
        for (int i = 0; i < 50; ++i) {
            const std::int32_t token = chain.sample(row()).token();
            CHECK(token >= 0 && token == s2_chain_sample(c, row().data(), 64));
        }
    };
    same_stages();
    same_draws();
    CHECK(chain.move(15, 14) && s2_chain_move(c, 15, 14) == 0);
    CHECK(chain.replace(2, 0) && s2_chain_replace(c, 2, 0) == 0 && !chain.replace(1, 1) && !chain.move(0, 15));
    CHECK(chain.set_bitmask(0, words + 1, 1) == 0 && s2_chain_set_bitmask(c, 0, words + 1, 1) == 0);
    CHECK(chain.set_bitmask(1, words, 1) == S2_ERROR_BAD_ARGUMENT);
    same_stages();
    same_draws();
    s2_chain_free(c);
    Chain wrong;
    wrong.sequence_bias({{1}, {2}}, {1.0F});
    CHECK(wrong.status() == S2_ERROR_BAD_ARGUMENT && wrong.count() == 0);
}

// Every stage by both faces, one after the other.
void stages_as_in_c() {
    Chain chain;
    S2Chain *const c = s2_chain_new();
    CHECK(chain && chain.count() == 0 && chain.stage_name(0) == nullptr);
    const S2LogitBias biases[] = {{3, 1.0F}, {5, -1.0F}};
    const std::int32_t breakers[] = {9, 1, 2};
    const std::int32_t lengths[] = {1, 2};
    const ::SamplerParams params = {0.9F, 1.0F, 40};
    const ::SamplerParams first = {1.5F, 0.9F, 40};
    chain.logit_bias({{3, 1.0F}, {5, -1.0F}}).penalties(64, 1.1F).penalties(8, 1.0F, 0.25F, 0.125F);
    chain.dry(0.5F, 1.5F, 1, -1, {{9}, {1, 2}}).dry(0.5F, 1.5F, 3, 9).xtc(0.5F, 0.05F, 2, 7).top_n_sigma(4.0F);
    chain.s2({0.9F, 1.0F, 40}).s2_first({1.5F, 0.9F, 40}, 7).s2_first();
    chain.temperature(0.9F).temperature_ext(0.9F, 0.25F, 2.0F).softmax().top_k(30);
    chain.top_p(0.97F).min_p(0.01F).typical(0.99F).mirostat_v2(5, 4.0F, 0.5F).greedy().dist(6);
    const std::int32_t added[] = {
        s2_chain_add_logit_bias(c, biases, 2), s2_chain_add_penalties(c, 64, 1.1F, 0.0F, 0.0F),
        s2_chain_add_penalties(c, 8, 1.0F, 0.25F, 0.125F),
        s2_chain_add_dry(c, 0.5F, 1.5F, 1, -1, breakers, lengths, 2),
        s2_chain_add_dry(c, 0.5F, 1.5F, 3, 9, nullptr, nullptr, 0), s2_chain_add_xtc(c, 0.5F, 0.05F, 2, 7),
        s2_chain_add_top_n_sigma(c, 4.0F), s2_chain_add_s2(c, &params),
        s2_chain_add_s2_first(c, &first, 7), s2_chain_add_s2_first(c, nullptr, -1), s2_chain_add_temperature(c, 0.9F),
        s2_chain_add_temperature_ext(c, 0.9F, 0.25F, 2.0F), s2_chain_add_softmax(c), s2_chain_add_top_k(c, 30),
        s2_chain_add_top_p(c, 0.97F, 1), s2_chain_add_min_p(c, 0.01F, 1), s2_chain_add_typical(c, 0.99F, 1),
        s2_chain_add_mirostat_v2(c, 5, 4.0F, 0.5F), s2_chain_add_greedy(c), s2_chain_add_dist(c, 6)};
    CHECK(chain.status() == 0 && chain.count() == 20);
    for (std::int32_t i = 0; i < 20; ++i) {
        CHECK(added[i] == i);
        CHECK_CASE(std::strcmp(chain.stage_name(i), s2_chain_stage_name(c, i)) == 0, "stage %d", i);
    }
    const auto same_draws = [&] {
        std::vector<std::int32_t> tokens;
        for (int i = 0; i < 100; ++i) {
            tokens.push_back(chain.sample(row()).token());
            CHECK(tokens.back() >= 0 && tokens.back() == s2_chain_sample(c, row().data(), 64));
            CHECK(chain.sample(row().data(), 9).token() == s2_chain_sample(c, row().data(), 9));
            CHECK(chain.accept(i) == 0 && s2_chain_accept(c, i) == 0);
        }
        return tokens;
    };
    const std::vector<std::int32_t> tokens = same_draws();
    chain.reset();
    s2_chain_reset(c);
    CHECK(same_draws() == tokens && tokens != std::vector<std::int32_t>(100, tokens[0]));
    std::uint32_t seed = 0;
    CHECK(chain.set_seed(17, 8) == 0 && chain.get_seed(17, seed) == 0 && seed == 8);
    CHECK(chain.set_seed(16, 8) == S2_ERROR_BAD_ARGUMENT && s2_chain_set_seed(c, 17, 8) == 0);
    const std::vector<unsigned char> state = chain.save();
    CHECK(state.size() == s2_chain_state_size(c));
    Chain restored = Chain::restored(state.data(), state.size());
    CHECK(restored.count() == chain.count() && restored.save() == state);
    CHECK(restored.sample(row()).token() == chain.clone().sample(row()).token());
    CHECK(!Chain::restored(state.data(), state.size() - 1) && Chain(nullptr).save().empty());
    // Each selecting stage in its turn.
    CHECK(!chain.remove(20) && chain.remove(17) && s2_chain_remove(c, 17) == 0);
    same_draws();
    CHECK(chain.remove(17) && s2_chain_remove(c, 17) == 0 && chain.count() == 18);
    same_draws();
    s2_chain_free(c);
}

void presets_as_in_c() {
    const std::pair<Preset, std::int32_t> presets[] = {{Preset::s2, S2_PRESET_S2},
                                                       {Preset::temperature_first, S2_PRESET_TEMPERATURE_FIRST},
                                                       {Preset::llama, S2_PRESET_LLAMA},
                                                       {Preset::huggingface, S2_PRESET_HUGGINGFACE},
                                                       {Preset::s2_first, S2_PRESET_S2_FIRST}};
    for (const auto &[preset, number] : presets) {
        ::S2PresetParams params = s2sampler::preset_params(preset);
        ::S2PresetParams c_params;
        CHECK(s2_preset_params_init(&c_params, number) == 0);
        CHECK(std::memcmp(&params, &c_params, sizeof params) == 0);
        params.temperature = c_params.temperature = 2.0F;
        Chain chains[] = {Chain::preset(preset, 4), Chain::preset(preset, 4, params)};
        S2Chain *const c[] = {s2_chain_new_preset(number, 4, nullptr), s2_chain_new_preset(number, 4, &c_params)};
        int differ = 0;
        for (int i = 0; i < 100; ++i) {
            const std::int32_t plain = chains[0].sample(row()).token();
            const std::int32_t hot = chains[1].sample(row()).token();
            CHECK(plain >= 0 && plain == s2_chain_sample(c[0], row().data(), 64));
            CHECK(hot >= 0 && hot == s2_chain_sample(c[1], row().data(), 64));
            differ += plain != hot;
        }
        CHECK(differ > 0);
        s2_chain_free(c[0]);
        s2_chain_free(c[1]);
    }
    CHECK(!Chain::preset(static_cast<Preset>(9), 4));
    CHECK(!Chain::preset(Preset::llama, 4, s2sampler::preset_params(static_cast<Preset>(9))));
}

void candidates_by_any_name() {
    Chain chain;
    chain.top_k(2).greedy();
    const std::vector<TokenData> all = {{4, 1.0F, 0.5F}, {9, 3.0F, 0.5F}, {2, 2.0F, 0.5F}};
    std::vector<TokenData> tokens = all;
    const s2sampler::Applied applied = chain.apply(tokens);
    CHECK(applied && applied.status == 0 && applied.size == 2 && applied.selected == 0 && applied.sorted);
    CHECK(tokens.size() == 2 && tokens[0].id == 9 && tokens[1].id == 2);

    std::vector<llama_token_data> theirs = {{4, 1.0F, 0.5F}, {9, 3.0F, 0.5F}, {2, 2.0F, 0.5F}};
    llama_token_data_array array = {theirs.data(), theirs.size(), -1, false};
    CHECK(chain.apply(array).ok());
    CHECK(array.data == theirs.data() && array.size == 2 && array.selected == 0 && array.sorted);
    CHECK(theirs[0].id == 9 && theirs[1].id == 2);
    CHECK(chain.apply(theirs.data() + 1, 2).size == 2);
    CHECK(chain.apply(theirs).selected == 0 && theirs.size() == 2);
    S2TokenDataArray ours = {tokens.data(), tokens.size(), 0, true};
    CHECK(chain.apply(ours).ok() && ours.selected == 0);

    // Errors are C's.
    std::vector<TokenData> none;
    CHECK(chain.apply(none).status == S2_ERROR_EMPTY_ROW);
    array.size = 0;
    array.selected = 5;
    CHECK(chain.apply(array).status == S2_ERROR_EMPTY_ROW && array.selected == -1 && array.data == theirs.data());
    array = {nullptr, 3, 5, true};
    CHECK(chain.apply(array).status == S2_ERROR_NULL_POINTER && array.selected == 5 && array.size == 3);
    CHECK(chain.apply(static_cast<TokenData *>(nullptr), 1).status == S2_ERROR_NULL_POINTER);
    const s2sampler::Applied many = chain.apply(tokens.data(), SIZE_MAX);
    CHECK(!many && many.status == S2_ERROR_BAD_ARGUMENT);
    CHECK(std::strcmp(many.message(), s2_status_string(many.status)) == 0);
}

// A stage that is refused is not left out in silence.
void errors_are_kept() {
    Chain chain;
    chain.top_p(kNan).top_k(5).penalties(-2, 1.0F).dist(2);
    CHECK(chain.status() == S2_ERROR_BAD_ARGUMENT && chain.count() == 2);
    CHECK(chain.sample(row()).status() == S2_ERROR_BAD_ARGUMENT && chain.accept(1) == S2_ERROR_BAD_ARGUMENT);
    std::vector<TokenData> tokens = {{1, 1.0F, 0.0F}};
    CHECK(chain.apply(tokens).status == S2_ERROR_BAD_ARGUMENT && tokens.size() == 1);
    CHECK(chain.clone().status() == S2_ERROR_BAD_ARGUMENT);

    Chain unfinished;
    unfinished.top_k(5);
    CHECK(unfinished.sample(row()).status() == S2_ERROR_NO_SELECTION);
    CHECK(unfinished.sample(std::vector<float>()).status() == S2_ERROR_EMPTY_ROW);
    CHECK(unfinished.sample(row().data(), static_cast<std::size_t>(INT32_MAX) + 1).status() ==
          S2_ERROR_BAD_ARGUMENT);
    CHECK(unfinished.logit_bias(nullptr, SIZE_MAX).status() == S2_ERROR_BAD_ARGUMENT);
    Chain breakers;
    CHECK(breakers.dry(1.0F, kInf, 1, 1, {{1}}).status() == S2_ERROR_BAD_ARGUMENT);
}

void chains_move_and_clone() {
    Chain chain = Chain::preset(Preset::temperature_first, 8);
    CHECK(chain.sample(row()).ok());
    Chain clone = chain.clone();
    S2Chain *const handle = chain.get();
    Chain moved = std::move(chain);
    CHECK(moved.get() == handle && clone.get() != handle);
    for (int i = 0; i < 50; ++i) CHECK(moved.sample(row()).token() == clone.sample(row()).token());

    Chain empty(nullptr);
    CHECK(!empty && empty.get() == nullptr && empty.count() == 0 && !empty.clone());
    CHECK(empty.sample(row()).status() == S2_ERROR_NULL_POINTER && empty.stage_name(0) == nullptr);
    CHECK(!empty.remove(0) && empty.accept(1) == S2_ERROR_NULL_POINTER && empty.status() == 0);
    empty.reset();
    CHECK(empty.top_k(1).status() == S2_ERROR_NULL_POINTER);
    empty = Chain::preset(Preset::s2, 1);
    CHECK(empty && empty.status() == 0 && empty.sample(row()).ok());
}

void a_seed_of_the_system_can_be_logged() {
    Chain chain;
    Chain again;
    std::uint32_t seed = 0;
    chain.dist_random(seed);
    again.dist(seed);
    for (int i = 0; i < 20; ++i) CHECK(chain.sample(row()).token() == again.sample(row()).token());
    std::uint32_t other = 0;
    std::uint32_t third = 0;
    CHECK(s2sampler::random_seed(other) && s2sampler::random_seed(third));
    CHECK(!(seed == other && other == third));
}

void reports_as_in_c() {
    Chain chain;
    chain.min_p(0.9F).dist(2);
    const s2sampler::Report report = chain.report(row());
    CHECK(report && report.status() == 0 && report.get() == report.operator->());
    CHECK(report->tokens == static_cast<std::int32_t>(row().size()) && report->n_stages == 2);
    CHECK(chain.report(row(), 3)->n_candidates == 3);

    S2Report *c = nullptr;
    CHECK(s2_chain_report(chain.get(), row().data(), static_cast<std::int32_t>(row().size()), &c) == 0);
    CHECK(std::string(report->json) == c->json);
    s2_report_free(c);

    const s2sampler::Params params{0.7F, 0.5F, 4};
    const SamplerParams same = params;
    CHECK(s2_draw_report(row().data(), static_cast<std::int32_t>(row().size()), &same, &c) == 0);
    CHECK(std::string(s2sampler::report(row(), params)->json) == c->json);
    s2_report_free(c);

    // An error is told instead.
    const s2sampler::Report none = chain.report(std::vector<float>());
    CHECK(!none && none.status() == S2_ERROR_EMPTY_ROW && none.get() == nullptr);
    CHECK(s2sampler::report(nullptr, 3).status() == S2_ERROR_NULL_POINTER);
    CHECK(s2sampler::report(row().data(), SIZE_MAX).status() == S2_ERROR_BAD_ARGUMENT);
    chain.top_p(kNan);
    CHECK(chain.report(row()).status() == S2_ERROR_BAD_ARGUMENT);
}

}  // namespace

int main() {
    stages_as_in_c();
    more_stages_as_in_c();
    presets_as_in_c();
    candidates_by_any_name();
    errors_are_kept();
    chains_move_and_clone();
    a_seed_of_the_system_can_be_logged();
    reports_as_in_c();
}
