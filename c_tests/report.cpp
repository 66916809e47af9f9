// Reports as C reads them: the struct and its JSON say the same, errors leave NULL, nothing is touched.
#include <s2sampler.h>

#include "support/check.h"
#include "support/handles.hpp"
#include "support/json.hpp"
#include "support/rows.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

struct FreeReport {
    void operator()(S2Report *report) const { s2_report_free(report); }
};
using Report = std::unique_ptr<S2Report, FreeReport>;

std::int32_t length(const std::vector<float> &row) { return static_cast<std::int32_t>(row.size()); }

// The report of a chain; all tokens for `first` -1.
Report report_of(const ChainHandle &chain, const std::vector<float> &row, std::int32_t first = -1) {
    S2Report *report = nullptr;
    if (first < 0) first = length(row);
    CHECK(s2_chain_report_first(chain.get(), row.data(), length(row), first, &report) == 0);
    return Report(report);
}

// The row of a trap: 16.7526 %, 7.59989 %, 4.84584 %, 4.50433 %, 4.04461 %, and the rest below.
std::vector<float> trap(std::vector<double> &probabilities) {
    probabilities = {0.167526, 0.0759989, 0.0484584, 0.0450433, 0.0404461};
    double rest = 1;
    for (const double p : probabilities) rest -= p;
    double sum = 0;
    for (int rank = 0; rank < 400; ++rank) sum += std::pow(0.98, rank);
    for (int rank = 0; rank < 400; ++rank) probabilities.push_back(rest * std::pow(0.98, rank) / sum);
    std::vector<float> row;
    for (const double p : probabilities) row.push_back(static_cast<float>(std::log(p)));
    return row;
}

bool near(double a, double b) { return std::fabs(a - b) < 1e-6; }

void min_p_is_not_top_p() {
    std::vector<double> probabilities;
    const std::vector<float> row = trap(probabilities);
    const ChainHandle min_p = own(s2_chain_new());
    const ChainHandle top_p = own(s2_chain_new());
    CHECK(s2_chain_add_min_p(min_p.get(), 0.9F, 1) == 0 && s2_chain_add_dist(min_p.get(), 1) == 1);
    CHECK(s2_chain_add_top_p(top_p.get(), 0.9F, 1) == 0 && s2_chain_add_dist(top_p.get(), 1) == 1);

    const Report one = report_of(min_p, row);
    CHECK(one->n_stages == 2 && one->selecting == 1 && one->tokens == length(row));
    const S2ReportStage &cut = *one->stages[0];
    CHECK(cut.before == length(row) && cut.after == 1 && near(cut.threshold, 0.150773));
    CHECK(std::strcmp(cut.name, "min_p") == 0 && std::strcmp(cut.unit, "probability") == 0);
    CHECK(std::strcmp(cut.parameters, "p 0.9, min_keep 1") == 0);
    CHECK(one->n_warnings == 1);
    CHECK(std::strcmp(one->warnings[0], "min_p 0.9 leaves 1 candidate: equals greedy") == 0);

    const Report many = report_of(top_p, row, 5);
    double running = 0;
    int kept = 0;
    while (running < 0.9) running += probabilities[static_cast<std::size_t>(kept++)];
    CHECK(kept > 20 && many->stages[0]->after == kept && many->n_warnings == 0);
    CHECK(near(many->stages[0]->kept_mass, running) && near(many->stages[0]->raw_mass, running));
    CHECK(many->n_candidates == 5);
    for (std::int32_t rank = 0; rank < 5; ++rank) {
        const S2ReportCandidate &told = *many->candidates[rank];
        const double p = probabilities[static_cast<std::size_t>(rank)];
        CHECK(told.rank == rank && told.id == rank && told.dropped_by == -1);
        CHECK(near(told.raw_probability, p) && near(told.final_probability, p / running));
    }
}

// A number, or NaN for null.
double number(const Json &json) {
    return json.text == "null" ? std::nan("") : std::strtod(json.text.c_str(), nullptr);
}

bool same(double a, const Json &json) {
    const double b = number(json);
    return std::isfinite(a) ? a == b : std::isnan(b);
}

// Floats are written as short as floats can be.
bool same_float(float a, const Json &json) { return std::isfinite(a) ? a == json.real() : json.text == "null"; }

long index_or(const Json &json) { return json.text == "null" ? -1 : json.integer(); }

void says_the_same_twice(const S2Report &report) {
    CHECK(report.struct_size == sizeof report);
    const Json json = JsonReader::read(report.json);
    CHECK(json.at("tokens").integer() == report.tokens && json.at("nans").integer() == report.nans);
    CHECK(json.at("infinities").integer() == report.infinities && same(report.entropy, json.at("entropy")));
    CHECK(index_or(json.at("selecting")) == report.selecting);
    const auto &stages = json.at("stages").items;
    const auto &candidates = json.at("candidates").items;
    const auto &warnings = json.at("warnings").items;
    CHECK(stages.size() == static_cast<std::size_t>(report.n_stages));
    CHECK(candidates.size() == static_cast<std::size_t>(report.n_candidates));
    CHECK(warnings.size() == static_cast<std::size_t>(report.n_warnings));
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const S2ReportStage &told = *report.stages[i];
        CHECK(told.struct_size == sizeof told);
        CHECK(stages[i].at("name").text == told.name && stages[i].at("unit").text == told.unit);
        CHECK(stages[i].at("parameters").text == told.parameters);
        CHECK(stages[i].at("before").integer() == told.before);
        CHECK(stages[i].at("after").integer() == told.after);
        CHECK(stages[i].at("off").text == (told.off == 1 ? "true" : "false"));
        CHECK(same(told.raw_mass, stages[i].at("raw_mass")));
        CHECK(same(told.kept_mass, stages[i].at("kept_mass")));
        CHECK(same(told.entropy, stages[i].at("entropy")));
        CHECK(same(told.threshold, stages[i].at("threshold")));
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const S2ReportCandidate &told = *report.candidates[i];
        CHECK(told.struct_size == sizeof told && told.rank == static_cast<std::int32_t>(i));
        CHECK(candidates[i].at("id").integer() == told.id);
        CHECK(same_float(told.logit, candidates[i].at("logit")));
        CHECK(same_float(told.final_logit, candidates[i].at("final_logit")));
        CHECK(same(told.raw_probability, candidates[i].at("raw_probability")));
        CHECK(same(told.running, candidates[i].at("running")));
        CHECK(same(told.final_probability, candidates[i].at("final_probability")));
        CHECK(index_or(candidates[i].at("dropped_by")) == told.dropped_by);
    }
    for (std::size_t i = 0; i < warnings.size(); ++i) CHECK(warnings[i].text == report.warnings[i]);
}

void struct_and_json_agree() {
    std::vector<double> probabilities;
    std::vector<float> row = trap(probabilities);
    row[7] = kNan;
    row[9] = -kInf;
    const ChainHandle chain = own(s2_chain_new());
    const S2LogitBias bias = {1, 0.5F};
    CHECK(s2_chain_add_logit_bias(chain.get(), &bias, 1) == 0);
    CHECK(s2_chain_add_penalties(chain.get(), 64, 0.9F, 0, 0) == 1);
    CHECK(s2_chain_add_top_k(chain.get(), 0) == 2 && s2_chain_add_typical(chain.get(), 0.7F, 1) == 3);
    says_the_same_twice(*report_of(chain, row));
    CHECK(s2_chain_add_greedy(chain.get()) == 4 && s2_chain_add_xtc(chain.get(), 1, 0.1F, 1, 1) == 5);
    CHECK(s2_chain_accept(chain.get(), 2) == 0);
    const Report report = report_of(chain, row);
    says_the_same_twice(*report);
    CHECK(report->nans == 1 && report->stages[2]->off == 1 && report->selecting == 4);
    CHECK(std::isnan(report->stages[2]->threshold) && report->n_warnings > 2);
    row[3] = kInf;
    says_the_same_twice(*report_of(chain, row, 3));
    says_the_same_twice(*report_of(own(s2_chain_new()), row, 0));
}

void a_plain_draw_has_one_too() {
    std::vector<double> probabilities;
    const std::vector<float> row = trap(probabilities);
    const SamplerParams params = {0.8F, 0.2F, 30};
    S2Report *made = nullptr;
    CHECK(s2_draw_report(row.data(), length(row), &params, &made) == 0);
    const Report report(made);
    says_the_same_twice(*report);
    CHECK(report->n_stages == 2 && report->n_candidates == 64 && report->stages[0]->after == 1);
    CHECK(std::strstr(report->warnings[0], "leaves 1 candidate") != nullptr);
    CHECK(std::strcmp(report->stages[1]->parameters, "") == 0);
    CHECK(s2_draw_report_first(row.data(), length(row), nullptr, 2, &made) == 0);
    const Report defaults(made);
    CHECK(defaults->n_candidates == 2 && defaults->stages[0]->after == 30);
    CHECK(std::strcmp(defaults->stages[0]->parameters, "temperature 0.8, top_p 0.8, top_k 30") == 0);
}

void nothing_is_touched() {
    std::vector<double> probabilities;
    const std::vector<float> row = trap(probabilities);
    const ChainHandle told = own(s2_chain_new_preset(S2_PRESET_TEMPERATURE_FIRST, 5, nullptr));
    const ChainHandle other = own(s2_chain_new_preset(S2_PRESET_TEMPERATURE_FIRST, 5, nullptr));
    bool differs = false;
    std::string before;
    for (int i = 0; i < 50; ++i) {
        const Report report = report_of(told, row);
        differs |= i > 0 && before != report->json;
        before = report->json;
        const std::int32_t token = s2_chain_sample(told.get(), row.data(), length(row));
        CHECK(token >= 0 && token == s2_chain_sample(other.get(), row.data(), length(row)));
        bool possible = false;
        for (std::int32_t rank = 0; rank < report->n_candidates; ++rank) {
            const S2ReportCandidate &candidate = *report->candidates[rank];
            possible |= candidate.id == token && candidate.final_probability > 0;
        }
        CHECK(possible);
    }
    // The penalties see the tokens drawn.
    CHECK(differs);
}

void errors_leave_null() {
    const std::vector<float> row(5, 0.0F);
    const ChainHandle chain = own(s2_chain_new());
    S2Report *report = nullptr;
    const auto fails = [&](std::int32_t status, std::int32_t want) {
        CHECK(status == want && report == nullptr);
        report = reinterpret_cast<S2Report *>(&report);
    };
    report = reinterpret_cast<S2Report *>(&report);
    fails(s2_chain_report(nullptr, row.data(), 5, &report), S2_ERROR_NULL_POINTER);
    fails(s2_chain_report(chain.get(), nullptr, 5, &report), S2_ERROR_NULL_POINTER);
    fails(s2_chain_report(chain.get(), row.data(), 0, &report), S2_ERROR_EMPTY_ROW);
    fails(s2_chain_report(chain.get(), nullptr, -1, &report), S2_ERROR_EMPTY_ROW);
    fails(s2_chain_report_first(chain.get(), row.data(), 5, -1, &report), S2_ERROR_BAD_ARGUMENT);
    fails(s2_draw_report(nullptr, 5, nullptr, &report), S2_ERROR_NULL_POINTER);
    fails(s2_draw_report(row.data(), 0, nullptr, &report), S2_ERROR_EMPTY_ROW);
    fails(s2_draw_report_first(row.data(), 5, nullptr, -1, &report), S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_chain_report(chain.get(), row.data(), 5, nullptr) == S2_ERROR_NULL_POINTER);
    CHECK(s2_draw_report(row.data(), 5, nullptr, nullptr) == S2_ERROR_NULL_POINTER);
    s2_report_free(nullptr);
    const Report more = report_of(chain, row, 1000);
    CHECK(more->n_candidates == 5 && more->selecting == -1 && more->n_stages == 0);
    CHECK(more->stages != nullptr && more->warnings != nullptr && more->json != nullptr);
}

}  // namespace

int main() {
    min_p_is_not_top_p();
    struct_and_json_agree();
    a_plain_draw_has_one_too();
    nothing_is_touched();
    errors_leave_null();
}
