// How much stack each function of the library needs: on a thread of its own, whose stack was painted
// before, so that the paint that is gone tells. The manual states the bound; argv[1] is the header.
#include <s2sampler.h>

#include "support/check.h"
#include "support/rows.hpp"
#include "support/ways.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kStack = std::size_t{1} << 20;
constexpr unsigned char kPaint = 0xA5;
// The paint does not reach up to the frame of the measure itself: nothing less is seen.
constexpr std::size_t kOwn = 512;

struct Measured {
    const std::function<void()> *body;
    unsigned char *stack;
    std::size_t used;
};

// On the new thread. What lies below this frame is the body's.
void *paint_and_run(void *argument) {
    auto *const measured = static_cast<Measured *>(argument);
    auto *const here = static_cast<unsigned char *>(__builtin_frame_address(0));
    std::memset(measured->stack, kPaint, static_cast<std::size_t>(here - measured->stack) - kOwn);
    (*measured->body)();
    const unsigned char *const lowest =
        std::find_if(measured->stack, here, [](unsigned char byte) { return byte != kPaint; });
    measured->used = static_cast<std::size_t>(here - lowest);
    return nullptr;
}

std::size_t stack_of(const std::function<void()> &body) {
    void *const stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack != MAP_FAILED);
    Measured measured = {&body, static_cast<unsigned char *>(stack), 0};
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstack(&attributes, stack, kStack) == 0);
    pthread_t thread;
    CHECK(pthread_create(&thread, &attributes, paint_and_run, &measured) == 0);
    CHECK(pthread_join(thread, nullptr) == 0);
    CHECK(pthread_attr_destroy(&attributes) == 0);
    CHECK(munmap(stack, kStack) == 0);
    return measured.used;
}

// The measure itself: a body that takes a known amount.
void the_measure_measures() {
    for (const std::size_t bytes : {4096U, 65536U, 500000U}) {
        const std::size_t used = stack_of([bytes] {
            auto *const taken = static_cast<volatile unsigned char *>(__builtin_alloca(bytes));
            taken[0] = 1;
        });
        CHECK_CASE(used >= bytes && used < bytes + 2048, "%zu of %zu", used, bytes);
    }
}

// The text "A call needs at most N KB of stack" of the manual.
std::size_t stated_bound(const char *header) {
    std::ifstream file(header);
    std::string text;
    for (std::string word; file >> word;) {
        if (word != "*") text += word + " ";
    }
    const std::string before = "A call needs at most ";
    const std::size_t place = text.find(before);
    CHECK_CASE(place != std::string::npos, "%s", header);
    std::size_t used = 0;
    const std::string rest = text.substr(place + before.size());
    const unsigned long kb = std::stoul(rest, &used);
    CHECK(rest.compare(used, 12, " KB of stack") == 0);
    return kb * 1024;
}

// The most that each function was seen to take. The first calls of a thread come first in it.
std::map<std::string, std::size_t> seen;

void measure(const char *name, const std::function<void()> &body) {
    seen[name] = std::max(seen[name], stack_of(body));
}

void draws() {
    const std::vector<SamplerParams> params = {
        {0.8F, 0.8F, 30}, {0.0F, 0.8F, 30}, {1.0F, 1.0F, 0}, {0.7F, 0.999F, 0}, {1.0F, kNan, 0}, {1.0F, kNan, 3000}};
    std::vector<std::vector<float>> rows = {std::vector<float>(300, -kInf)};
    for (const std::size_t n : {1U, 50U, 4096U, 155776U}) {
        for (const char *family : {"bell", "peaky", "tied"}) rows.push_back(family_row(family, n, 0x1p-20F, n));
        rows.push_back(std::vector<float>(n, 0.5F));
    }
    S2StreamConfig twice = stream_config();
    twice.ras_mode = S2_RAS_SHARE;
    twice.ras_tau = 0.0F;
    const Generators generators(1, twice);
    for (const Way &way : kWays) {
        for (const std::vector<float> &row : rows) {
            for (const SamplerParams &one : params) {
                const Drawing drawing =
                    generators.from(row.data(), static_cast<std::int32_t>(row.size()), one);
                measure(way.name, [&] {
                    const std::int32_t token = way.draw(drawing);
                    const bool none = token == S2_ERROR_EMPTY_ROW || token == S2_ERROR_NO_CANDIDATE;
                    CHECK_CASE(token >= 0 || none, "%s: %d", way.name, token);
                });
            }
        }
    }
}

void all_others() {
    static S2Sampler *sampler;
    static S2Stream *stream;
    static State state(s2_sampler_state_size());
    S2StreamConfig config = stream_config();
    const auto calls = std::initializer_list<std::pair<const char *, std::function<void()>>>{
        {"s2_simd_level", [] { CHECK(s2_simd_level() != nullptr); }},
        {"s2_version", [] { CHECK(s2_version() != nullptr); }},
        {"s2_abi_version", [] { CHECK(s2_abi_version() > 0); }},
        {"s2_status_string", [] { CHECK(s2_status_string(-1) != nullptr); }},
        {"s2_sampler_params_default", [] { CHECK(s2_sampler_params_default().top_k > 0); }},
        {"s2_seed_thread", [] { s2_seed_thread(1); }},
        {"s2_sampler_new_random", [] { CHECK((sampler = s2_sampler_new_random()) != nullptr); }},
        {"s2_sampler_free", [] { s2_sampler_free(sampler); }},
        {"s2_sampler_new", [] { CHECK((sampler = s2_sampler_new(1)) != nullptr); }},
        {"s2_sampler_clone", [] { own(s2_sampler_clone(sampler)); }},
        {"s2_sampler_seed", [] { s2_sampler_seed(sampler, 2); }},
        {"s2_sampler_get_seed", [] { CHECK(s2_sampler_get_seed(sampler) == 2); }},
        {"s2_new_status", [] { CHECK(s2_new_status() == 0); }},
        {"s2_random_seed", [] { std::uint32_t seed; CHECK(s2_random_seed(&seed) == 0); }},
        {"s2_count_special", [] { const float one = kInf; CHECK(s2_count_special(&one, 1, nullptr, nullptr) == 1); }},
        {"s2_sampler_state_size", [] { CHECK(s2_sampler_state_size() == state.size()); }},
        {"s2_sampler_save", [] { CHECK(s2_sampler_save(sampler, state.data(), state.size()) == 0); }},
        {"s2_sampler_restore", [] { CHECK(s2_sampler_restore(sampler, state.data(), state.size()) == 0); }},
        {"s2_stream_new_random", [&] { own(s2_stream_new_random(&config)); }},
        {"s2_stream_config_init", [&] { s2_stream_config_init(&config), config = stream_config(); }},
        {"s2_stream_new", [&] { CHECK((stream = s2_stream_new(1, &config)) != nullptr); }},
        {"s2_stream_clone", [] { own(s2_stream_clone(stream)); }},
        {"s2_stream_state_size", [] { CHECK(s2_stream_state_size(stream) > 0); }},
        {"s2_stream_save", [] {
             static std::vector<unsigned char> saved(s2_stream_state_size(stream));
             CHECK(s2_stream_save(stream, saved.data(), saved.size()) == 0);
         }},
        {"s2_stream_new_restored", [] {
             static std::vector<unsigned char> saved(s2_stream_state_size(stream));
             CHECK(s2_stream_save(stream, saved.data(), saved.size()) == 0);
             own(s2_stream_new_restored(saved.data(), saved.size()));
         }},
        {"s2_stream_reset", [] { s2_stream_reset(stream, 3); }},
        {"s2_stream_get_seed", [] { CHECK(s2_stream_get_seed(stream) == 3); }},
        {"s2_stream_code", [] { CHECK(s2_stream_code(stream, 1, 9) == 0); }},
        {"s2_stream_ended", [] { CHECK(s2_stream_ended(stream) == 0); }},
        {"s2_stream_redrawn", [] { CHECK(s2_stream_redrawn(stream) == 0); }},
        {"s2_stream_free", [] { s2_stream_free(stream); }},
        {"s2_sample_request_init", [] { S2SampleRequest it; s2_sample_request_init(&it); }},
        {"s2_sample_result_init", [] { S2SampleResult it; s2_sample_result_init(&it); }},
    };
    for (const auto &[name, body] : calls) measure(name, body);
    s2_sampler_free(sampler);
}

// The chain that is built here has every stage, and is drawn from, applied and reported as a whole.
void chains() {
    static S2Chain *chain;
    static S2Report *report;
    static const std::vector<float> row = bell(155776, 0x1p-20F, 5);
    static const auto n = static_cast<std::int32_t>(row.size());
    static S2PresetParams params;
    static const S2LogitBias bias = {3, 1.0F};
    static const std::int32_t breaker = 7;
    static const std::int32_t length = 1;
    static const SamplerParams defaults = s2_sampler_params_default();
    static std::vector<S2TokenData> tokens(500);
    static S2DistOptions options;
    static S2ChainRequest request;
    static S2ChainResult result;
    static std::int32_t token;
    const auto calls = std::initializer_list<std::pair<const char *, std::function<void()>>>{
        {"s2_preset_params_init", [] { CHECK(s2_preset_params_init(&params, S2_PRESET_LLAMA) == 0); }},
        {"s2_chain_new_preset", [] { own(s2_chain_new_preset(S2_PRESET_TEMPERATURE_FIRST, 1, &params)); }},
        {"s2_chain_new", [] { CHECK((chain = s2_chain_new()) != nullptr); }},
        {"s2_chain_add_logit_bias", [] { CHECK(s2_chain_add_logit_bias(chain, &bias, 1) == 0); }},
        {"s2_chain_add_penalties", [] { CHECK(s2_chain_add_penalties(chain, 64, 1.1F, 0.0F, 0.0F) == 1); }},
        {"s2_chain_add_dry", [] { CHECK(s2_chain_add_dry(chain, 1.0F, 1.5F, 2, 64, &breaker, &length, 1) == 2); }},
        {"s2_chain_add_temperature", [] { CHECK(s2_chain_add_temperature(chain, 0.8F) == 3); }},
        {"s2_chain_add_softmax", [] { CHECK(s2_chain_add_softmax(chain) == 4); }},
        {"s2_chain_add_top_n_sigma", [] { CHECK(s2_chain_add_top_n_sigma(chain, 4.0F) == 5); }},
        {"s2_chain_add_top_k", [] { CHECK(s2_chain_add_top_k(chain, 20000) == 6); }},
        {"s2_chain_add_top_p", [] { CHECK(s2_chain_add_top_p(chain, 0.99F, 1) == 7); }},
        {"s2_chain_add_min_p", [] { CHECK(s2_chain_add_min_p(chain, 0.001F, 1) == 8); }},
        {"s2_chain_add_xtc", [] { CHECK(s2_chain_add_xtc(chain, 0.5F, 0.01F, 1, 2) == 9); }},
        {"s2_chain_add_typical", [] { CHECK(s2_chain_add_typical(chain, 0.99F, 1) == 10); }},
        {"s2_chain_add_temperature_ext", [] { CHECK(s2_chain_add_temperature_ext(chain, 1.0F, 0.5F, 1.0F) == 11); }},
        {"s2_chain_add_s2", [] { CHECK(s2_chain_add_s2(chain, &defaults) == 12); }},
        {"s2_chain_add_dist", [] { CHECK(s2_chain_add_dist(chain, 3) == 13); }},
        {"s2_chain_add_greedy", [] { CHECK(s2_chain_add_greedy(chain) == 14); }},
        {"s2_chain_add_mirostat_v2", [] { CHECK(s2_chain_add_mirostat_v2(chain, 4, 5.0F, 0.1F) == 15); }},
        {"s2_chain_add_epsilon_cutoff", [] { CHECK(s2_chain_add_epsilon_cutoff(chain, 1e-9F, 1) == 16); }},
        {"s2_chain_add_scale", [] { CHECK(s2_chain_add_scale(chain, 1.1F) == 17); }},
        {"s2_chain_add_smoothing", [] { CHECK(s2_chain_add_smoothing(chain, 0.1F, 1.5F) == 18); }},
        {"s2_chain_add_top_k_ties", [] { CHECK(s2_chain_add_top_k_ties(chain, 20000) == 19); }},
        {"s2_chain_add_top_p_exclusive", [] { CHECK(s2_chain_add_top_p_exclusive(chain, 0.99F) == 20); }},
        {"s2_chain_add_penalty_each", [] { CHECK(s2_chain_add_penalty_each(chain, 64, 1.1F) == 21); }},
        {"s2_chain_add_penalty_run", [] { CHECK(s2_chain_add_penalty_run(chain, 1.1F) == 22); }},
        {"s2_chain_add_penalty_decay", [] { CHECK(s2_chain_add_penalty_decay(chain, 64, 64, 1.1F) == 23); }},
        {"s2_chain_add_no_repeat_ngram", [] { CHECK(s2_chain_add_no_repeat_ngram(chain, 2, 64) == 24); }},
        {"s2_chain_add_eta_cutoff", [] { CHECK(s2_chain_add_eta_cutoff(chain, 1e-9F, 1) == 25); }},
        {"s2_chain_add_top_a", [] { CHECK(s2_chain_add_top_a(chain, 1e-9F, 1) == 26); }},
        {"s2_chain_add_mirostat", [] { CHECK(s2_chain_add_mirostat(chain, 5, 5.0F, 0.1F, 100) == 27); }},
        {"s2_chain_add_adaptive_p", [] { CHECK(s2_chain_add_adaptive_p(chain, 0.3F, 0.9F, 6) == 28); }},
        {"s2_chain_add_sequence_bias", [] {
             CHECK(s2_chain_add_sequence_bias(chain, &breaker, &length, row.data(), 1) == 29);
         }},
        {"s2_chain_add_min_tokens", [] { CHECK(s2_chain_add_min_tokens(chain, 5, &breaker, 1) == 30); }},
        {"s2_chain_add_bitmask", [] { CHECK(s2_chain_add_bitmask(chain, &breaker, 1) == 31); }},
        {"s2_chain_set_bitmask", [] { CHECK(s2_chain_set_bitmask(chain, 31, &length, 1) == 0); }},
        {"s2_chain_add_xtc_protected", [] {
             CHECK(s2_chain_add_xtc_protected(chain, 0.5F, 0.01F, 1, 7, &breaker, 1) == 32);
         }},
        {"s2_custom_stage_init", [] { S2CustomStage it; s2_custom_stage_init(&it); }},
        {"s2_chain_add_custom", [] {
             S2CustomStage it = {};
             it.struct_size = sizeof it;
             it.name = "nothing";
             it.apply = [](void *, S2TokenDataArray *) { return 0; };
             CHECK(s2_chain_add_custom(chain, &it) == 33);
         }},
        {"s2_chain_describe", [] { char text[100]; CHECK(s2_chain_describe(chain, 2, text, sizeof text) > 0); }},
        {"s2_chain_move", [] { CHECK(s2_chain_move(chain, 33, 0) == 0); }},
        {"s2_chain_replace", [] { CHECK(s2_chain_replace(chain, 33, 32) == 0); }},
        {"s2_chain_add_s2_first", [] { CHECK(s2_chain_add_s2_first(chain, nullptr, 3) == 33); }},
        {"s2_dist_options_init", [] { s2_dist_options_init(&options); }},
        {"s2_chain_add_dist_ex", [] {
             options.method = S2_DIST_GUMBEL_RACE;
             options.order = S2_DIST_RANK_ORDER;
             CHECK(s2_chain_add_dist_ex(chain, &options) == 34);
         }},
        {"s2_chain_count", [] { CHECK(s2_chain_count(chain) == 35); }},
        {"s2_chain_request_init", [] { s2_chain_request_init(&request); }},
        {"s2_chain_result_init", [] { s2_chain_result_init(&result); }},
        {"s2_chain_sample_ex", [] {
             static const std::vector<std::int32_t> bits((row.size() + 31) / 32, 0x55555555);
             static std::vector<S2TokenLogProb> best(1000);
             request.flags = S2_REQUEST_KEEP_ID | S2_REQUEST_WATCH_ID | S2_REQUEST_GROUP;
             request.logits = row.data();
             request.vocab_size = n;
             request.bitmask = bits.data();
             request.n_bitmask = static_cast<std::int32_t>(bits.size());
             request.best_before = request.best_after = best.data();
             request.n_best_before = request.n_best_after = static_cast<std::int32_t>(best.size());
             CHECK(s2_chain_sample_ex(chain, &request, &result) >= 0);
         }},
        {"s2_chain_stage_name", [] { CHECK(s2_chain_stage_name(chain, 16) != nullptr); }},
        {"s2_chain_sample", [] { CHECK(s2_chain_sample(chain, row.data(), n) >= 0); }},
        {"s2_chain_sample_rows", [] { CHECK(s2_chain_sample_rows(&chain, row.data(), 1, n, n, &token) == 1); }},
        {"s2_chain_apply", [] {
             S2TokenDataArray array = {tokens.data(), tokens.size(), -1, false};
             CHECK(s2_chain_apply(chain, &array) == 0 && array.selected >= 0);
         }},
        {"s2_chain_accept", [] { CHECK(s2_chain_accept(chain, 1) == 0); }},
        {"s2_chain_report", [] { CHECK(s2_chain_report(chain, row.data(), n, &report) == 0); }},
        {"s2_report_free", [] { s2_report_free(report); }},
        {"s2_chain_report_first", [] {
             CHECK(s2_chain_report_first(chain, row.data(), n, 1000, &report) == 0);
             s2_report_free(report);
         }},
        {"s2_draw_report", [] {
             CHECK(s2_draw_report(row.data(), n, nullptr, &report) == 0);
             s2_report_free(report);
         }},
        {"s2_draw_report_first", [] {
             CHECK(s2_draw_report_first(row.data(), n, nullptr, 1, &report) == 0);
             s2_report_free(report);
         }},
        {"s2_chain_clone", [] { own(s2_chain_clone(chain)); }},
        {"s2_chain_reset", [] { s2_chain_reset(chain); }},
        {"s2_chain_state_size", [] { CHECK(s2_chain_state_size(chain) == 0); }},
        {"s2_chain_save", [] {
             // A chain with a stage of the caller's own has no state.
             CHECK(s2_chain_remove(chain, 0) == 0);
             static std::vector<unsigned char> saved(s2_chain_state_size(chain));
             CHECK(s2_chain_save(chain, saved.data(), saved.size()) == 0);
         }},
        {"s2_chain_new_restored", [] {
             static std::vector<unsigned char> saved(s2_chain_state_size(chain));
             CHECK(s2_chain_save(chain, saved.data(), saved.size()) == 0);
             own(s2_chain_new_restored(saved.data(), saved.size()));
         }},
        {"s2_chain_set_seed", [] { CHECK(s2_chain_set_seed(chain, 0, 1) <= 0); }},
        {"s2_chain_get_seed", [] {
             std::uint32_t seed = 0;
             CHECK(s2_chain_get_seed(chain, 0, &seed) <= 0);
         }},
        {"s2_chain_remove", [] { CHECK(s2_chain_remove(chain, 0) == 0); }},
        {"s2_chain_free", [] { s2_chain_free(chain); }},
    };
    for (const auto &[name, body] : calls) measure(name, body);
    // One at a time, each stage over the whole row: what the others left for it was little.
    for (int kind = 0; kind < 15; ++kind) {
        const ChainHandle one = own(s2_chain_new());
        if (kind == 0) CHECK(s2_chain_add_typical(one.get(), 0.9F, 1) == 0);
        if (kind == 1) CHECK(s2_chain_add_temperature_ext(one.get(), 1.0F, 0.5F, 1.0F) == 0);
        if (kind == 2) CHECK(s2_chain_add_mirostat_v2(one.get(), 1, 5.0F, 0.1F) == 0);
        if (kind == 3) CHECK(s2_chain_add_top_p(one.get(), 0.9F, 1) == 0);
        if (kind == 4) CHECK(s2_chain_add_epsilon_cutoff(one.get(), 1e-6F, 1) == 0);
        if (kind == 5) CHECK(s2_chain_add_scale(one.get(), 1.1F) == 0);
        if (kind == 6) CHECK(s2_chain_add_smoothing(one.get(), 0.1F, 1.5F) == 0);
        if (kind == 7) CHECK(s2_chain_add_top_k_ties(one.get(), 20000) == 0);
        if (kind == 8) CHECK(s2_chain_add_top_p_exclusive(one.get(), 0.99F) == 0);
        if (kind == 9) CHECK(s2_chain_add_eta_cutoff(one.get(), 1e-9F, 1) == 0);
        if (kind == 10) CHECK(s2_chain_add_top_a(one.get(), 1e-9F, 1) == 0);
        if (kind == 11) CHECK(s2_chain_add_mirostat(one.get(), 5, 5.0F, 0.1F, 100) == 0);
        if (kind == 12) CHECK(s2_chain_add_adaptive_p(one.get(), 0.3F, 0.9F, 6) == 0);
        if (kind == 13) CHECK(s2_chain_add_bitmask(one.get(), &length, 1) == 0);
        if (kind == 14) CHECK(s2_chain_add_xtc_protected(one.get(), 1.0F, 0.01F, 1, 7, &breaker, 1) == 0);
        CHECK(s2_chain_add_dist(one.get(), 1) == 1);
        measure("s2_chain_sample", [&] { CHECK(s2_chain_sample(one.get(), row.data(), n) >= 0); });
    }
}

// Every function that the header declares must be in the table.
void nothing_is_left_out(const char *header) {
    std::ifstream file(header);
    std::size_t functions = 0;
    for (std::string line; std::getline(file, line);) {
        const std::size_t name = line.find("s2_");
        const std::size_t first = line.find_first_not_of(' ');
        if (first == std::string::npos || std::string("/*#").find(line[first]) != std::string::npos) continue;
        const std::size_t end = line.find('(');
        if (name == std::string::npos || end == std::string::npos || end < name) continue;
        const std::string function = line.substr(name, end - name);
        ++functions;
        const auto is_its = [&](const auto &one) {
            return one.first == function || one.first.rfind(function + ",", 0) == 0;
        };
        CHECK_CASE(std::any_of(seen.begin(), seen.end(), is_its), "%s", function.c_str());
    }
    CHECK(functions > 30);
}

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 2);
    the_measure_measures();
    all_others();
    chains();
    draws();
    nothing_is_left_out(argv[1]);
    const std::size_t bound = stated_bound(argv[1]);
    std::size_t most = 0;
    for (const auto &[name, bytes] : seen) {
        std::printf("%-40s %6zu bytes%s\n", name.c_str(), bytes, bytes == kOwn ? " or less" : "");
        most = std::max(most, bytes);
    }
    CHECK_CASE(most <= bound, "%zu bytes, and the manual says %zu", most, bound);
    // A bound that is far too large is no statement.
    CHECK_CASE(4 * most >= bound, "%zu bytes, and the manual says %zu", most, bound);
}
