// Several rows in a call: each as alone, whatever the stride, the handles and the parameters.
#include <s2sampler.h>

#include "support/check.h"
#include "support/handles.hpp"
#include "support/rows.hpp"

#include <climits>

namespace {

constexpr std::int32_t kVocab = 200;
constexpr std::int32_t kRows = 6;

using Tokens = std::vector<std::int32_t>;
using Params = std::vector<SamplerParams>;

const SamplerParams kFlat = {1.0F, kNan, 0};

// For each row the number of its handle, of which there are as many as the largest number says.
using Plan = std::vector<std::size_t>;

// Draws twice from all rows, one by one and in one call each time; both from `first` on, `stride` apart.
void check(const Plan &plan, const float *first, std::ptrdiff_t stride, const Params *params,
           std::int32_t n_params) {
    std::vector<SamplerHandle> alone;
    std::vector<SamplerHandle> together;
    for (std::uint32_t seed = 0; seed < plan.size(); ++seed) {
        alone.push_back(own(s2_sampler_new(seed)));
        together.push_back(own(s2_sampler_new(seed)));
    }
    std::vector<S2Sampler *> handles;
    for (const std::size_t number : plan) handles.push_back(together.at(number).get());
    const auto rows = static_cast<std::int32_t>(plan.size());
    for (int twice = 0; twice < 2; ++twice) {
        Tokens expected;
        for (std::size_t i = 0; i < plan.size(); ++i) {
            const SamplerParams *one = params == nullptr ? nullptr : &params->at(n_params == 1 ? 0 : i);
            expected.push_back(s2_sampler_sample(
                alone[plan[i]].get(), first + static_cast<std::ptrdiff_t>(i) * stride, kVocab, one));
        }
        Tokens tokens(plan.size() + 1, -77);
        CHECK(s2_sampler_sample_rows(handles.data(), first, rows, stride, kVocab,
                                     params == nullptr ? nullptr : params->data(), n_params,
                                     tokens.data()) == rows);
        CHECK(tokens.back() == -77);
        tokens.pop_back();
        CHECK_CASE(tokens == expected, "stride %td, %d parameters", stride, n_params);
    }
    for (std::size_t i = 0; i < plan.size(); ++i) CHECK(save(alone[i]) == save(together[i]));
}

void as_alone() {
    const std::vector<float> logits = bell(kVocab * 20, 0x1p-19F, 9);
    const Params each = {{0.0F, 1, 0},    kFlat,        {0.8F, 0.8F, 30},
                         {2.0F, 0.5F, 3}, {kNan, 1, 2}, {1.0F, 0.95F, 0}};
    const Params one = {kFlat};
    const Plan own_each = {0, 1, 2, 3, 4, 5};
    for (const Plan &plan : {own_each, Plan{0, 0, 0, 0, 0, 0}, Plan{2, 0, 2, 1, 0, 2}}) {
        for (const std::ptrdiff_t stride : {kVocab, kVocab + 1, 3 * kVocab, 7, 1, 0}) {
            check(plan, logits.data(), stride, nullptr, 0);
            check(plan, logits.data(), stride, &one, 1);
            check(plan, logits.data(), stride, &each, kRows);
            check(plan, logits.data() + stride * (kRows - 1), -stride, &each, kRows);
        }
    }
    check({0}, logits.data(), PTRDIFF_MAX, &one, 1);  // of one row no stride is used
}

// The same row and handle: the stream of one handle, in order.
void one_handle_draws_in_order() {
    const std::vector<float> row(4096, 0.0F);
    const SamplerHandle sampler = own(s2_sampler_new(1));
    const std::vector<S2Sampler *> handles(40, sampler.get());
    Tokens tokens(40);
    const SamplerParams params = {1.0F, 1.0F, 0};
    CHECK(s2_sampler_sample_rows(handles.data(), row.data(), 40, 0, 4096, &params, 1, tokens.data()) == 40);
    CHECK(tokens == draws_among_equals(own(s2_sampler_new(1)), 40));
}

// A row without a token does not keep the others from theirs.
void a_row_that_fails() {
    const std::vector<float> logits = bell(kVocab * 3, 0x1p-19F, 10);
    const SamplerHandle sampler = own(s2_sampler_new(2));
    const SamplerHandle mirror = own(s2_sampler_new(2));
    S2Sampler *const handles[] = {sampler.get(), nullptr, sampler.get()};
    std::int32_t tokens[3] = {-77, -77, -77};
    CHECK(s2_sampler_sample_rows(handles, logits.data(), 3, kVocab, kVocab, &kFlat, 1, tokens) == 2);
    CHECK(tokens[0] == s2_sampler_sample(mirror.get(), logits.data(), kVocab, &kFlat));
    CHECK(tokens[1] == S2_ERROR_NULL_POINTER);
    CHECK(tokens[2] == s2_sampler_sample(mirror.get(), logits.data() + 2 * kVocab, kVocab, &kFlat));

    // Where all rows fail, the statuses are written all the same: 0 is not a status of the arguments.
    CHECK(s2_sampler_sample_rows(handles, logits.data(), 2, kVocab, 0, &kFlat, 1, tokens) == 0);
    CHECK(tokens[0] == S2_ERROR_EMPTY_ROW && tokens[1] == S2_ERROR_NULL_POINTER);
    tokens[0] = tokens[1] = -77;
    CHECK(s2_sampler_sample_rows(handles + 1, logits.data(), 2, kVocab, 0, &kFlat, 1, tokens) == 0);
    CHECK(tokens[0] == S2_ERROR_NULL_POINTER && tokens[1] == S2_ERROR_EMPTY_ROW);
    CHECK(save(sampler) == save(mirror));
}

void nothing_is_done() {
    const std::vector<float> logits = bell(kVocab * 3, 0x1p-19F, 10);
    const SamplerHandle sampler = own(s2_sampler_new(2));
    const State before = save(sampler);
    S2Sampler *const handles[] = {sampler.get(), sampler.get(), sampler.get()};
    std::int32_t tokens[3] = {-77, -77, -77};
    const Params params(3, kFlat);
    const auto call = [&](S2Sampler *const *samplers, const float *first, std::int32_t rows,
                          std::int32_t n_params, std::int32_t *out) {
        return s2_sampler_sample_rows(samplers, first, rows, kVocab, kVocab, params.data(), n_params, out);
    };
    for (const std::int32_t rows : {0, -1, INT_MIN}) {
        CHECK(call(handles, logits.data(), rows, 1, tokens) == 0);
        CHECK(call(nullptr, nullptr, rows, rows, nullptr) == 0);
    }
    CHECK(call(nullptr, logits.data(), 3, 1, tokens) == S2_ERROR_NULL_POINTER);
    CHECK(call(handles, nullptr, 3, 1, tokens) == S2_ERROR_NULL_POINTER);
    CHECK(call(handles, logits.data(), 3, 1, nullptr) == S2_ERROR_NULL_POINTER);
    for (const std::int32_t n_params : {0, 2, 4, -1, INT_MAX}) {
        CHECK(call(handles, logits.data(), 3, n_params, tokens) == S2_ERROR_BAD_ARGUMENT);
    }
    // The last row would begin outside the address space.
    for (const std::ptrdiff_t stride : {PTRDIFF_MAX, PTRDIFF_MIN, PTRDIFF_MAX / 4, PTRDIFF_MIN / 8 - 1}) {
        CHECK(s2_sampler_sample_rows(handles, logits.data(), 3, stride, kVocab, &kFlat, 1, tokens) ==
              S2_ERROR_BAD_ARGUMENT);
    }
    CHECK(tokens[0] == -77 && tokens[1] == -77 && tokens[2] == -77 && save(sampler) == before);
}

}  // namespace

int main() {
    as_alone();
    one_handle_draws_in_order();
    a_row_that_fails();
    nothing_is_done();
}
