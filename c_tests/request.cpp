// Requests from C and C++: each field once, flags, numbers out of range, NULLs.
#include <s2sampler.hpp>

#include "support/check.h"
#include "support/oracle.hpp"
#include "support/rows.hpp"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <deque>
#include <random>
#include <utility>
#include <vector>

namespace {

const SamplerParams kAll = {1.0F, kNan, 0};

struct Sampler {
    explicit Sampler(std::uint32_t seed) : handle(s2_sampler_new(seed)) { CHECK(handle != nullptr); }
    Sampler(const Sampler &) = delete;
    Sampler &operator=(const Sampler &) = delete;
    ~Sampler() { s2_sampler_free(handle); }
    S2Sampler *const handle;
};

// Parameters that live as long as the program: requests point to them.
const SamplerParams *kept(const SamplerParams &params) {
    static std::deque<SamplerParams> all;
    all.push_back(params);
    return &all.back();
}

S2SampleRequest request_for(const std::vector<float> &row, const SamplerParams &params = kAll) {
    S2SampleRequest request;
    std::memset(&request, 0xa5, sizeof request);
    s2_sample_request_init(&request);
    request.logits = row.data();
    request.vocab_size = static_cast<std::int32_t>(row.size());
    request.params = kept(params);
    return request;
}

struct Drawn {
    std::int32_t token;
    S2SampleResult result;
};

Drawn draw(const S2SampleRequest &request, std::uint32_t seed = 1) {
    const Sampler sampler(seed);
    S2SampleResult result;
    std::memset(&result, 0xa5, sizeof result);
    s2_sample_result_init(&result);
    const std::int32_t token = s2_sampler_sample_ex(sampler.handle, &request, &result);
    CHECK(result.struct_size == sizeof result);
    if (token >= 0) CHECK(result.token == token);
    return {token, result};
}

std::int32_t best(S2SampleRequest request) {
    SamplerParams greedy = *request.params;
    greedy.temperature = 0;
    request.params = &greedy;
    return draw(request).token;
}

// The tokens of successive requests are those that the slow sampler draws from `edited`.
void draws_as_from(const S2SampleRequest &request, const std::vector<float> &edited) {
    const Sampler sampler(77);
    std::mt19937 rng(77);
    for (int i = 0; i < 200; ++i) {
        const std::int32_t token = s2_sampler_sample_ex(sampler.handle, &request, nullptr);
        CHECK(token == oracle_draw(edited, *request.params, rng) + request.id_offset);
    }
}

void init_is_off() {
    const S2SampleRequest off = request_for({});
    CHECK(off.struct_size == sizeof off && off.vocab_size == 0);
    CHECK(off.ranges == nullptr && off.banned == nullptr && off.history == nullptr);
    CHECK(off.n_ranges == 0 && off.n_banned == 0 && off.n_history == 0 && off.penalty_window == 0);
    S2SampleRequest fresh;
    s2_sample_request_init(&fresh);
    S2SampleRequest zero = {};
    zero.struct_size = sizeof zero;
    CHECK(std::memcmp(&fresh, &zero, sizeof zero) == 0);
    const SamplerParams defaults = s2_sampler_params_default();
    s2_sample_request_init(nullptr);
    s2_sample_result_init(nullptr);

    const std::vector<float> row = {1, 2, 3, 2.5F, 0, -1};
    for (const SamplerParams params : {kAll, defaults, SamplerParams{0, 0.5F, 3}}) {
        draws_as_from(request_for(row, params), row);
    }
}

void what_changes_the_row() {
    const std::vector<float> row = {1, 2, 3, 2.5F, 0, -1};
    S2SampleRequest request = request_for(row);
    const S2TokenRange ranges[] = {{4, 90}, {-3, 0}, {3, 4}};
    request.ranges = ranges;
    request.n_ranges = 3;
    draws_as_from(request, {1, -kInf, -kInf, 2.5F, 0, -1});

    request = request_for(row);
    const std::int32_t banned[] = {2, -1, 6, 0};
    request.banned = banned;
    request.n_banned = 4;
    draws_as_from(request, {-kInf, 2, -kInf, 2.5F, 0, -1});

    request = request_for(row);
    const std::int32_t history[] = {2, 5, 5, 99, 1};
    request.history = history;
    request.n_history = 5;
    request.penalty_window = -1;
    draws_as_from(request, row); // penalty 0 is off, as 1
    request.repetition_penalty = 1;
    draws_as_from(request, row);
    request.repetition_penalty = 2;
    draws_as_from(request, {1, 1, 1.5F, 2.5F, 0, -2});
    request.penalty_window = 4;
    draws_as_from(request, {1, 1, 3, 2.5F, 0, -2});
    request.penalty_window = 400;
    draws_as_from(request, {1, 1, 1.5F, 2.5F, 0, -2});
    request.penalty_window = 0;
    draws_as_from(request, row);
    request.penalty_window = -1;
    request.repetition_penalty = 0;
    request.frequency_penalty = 0.5F;
    draws_as_from(request, {1, 1.5F, 2.5F, 2.5F, 0, -2});
    request.frequency_penalty = 0;
    request.presence_penalty = 0.5F;
    draws_as_from(request, {1, 1.5F, 2.5F, 2.5F, 0, -1.5F});

    request = request_for(row);
    request.id_offset = 1000;
    request.banned = banned;
    request.n_banned = 4;
    draws_as_from(request, row); // those ids are not in the row now
    const std::int32_t banned_there[] = {1002};
    request.banned = banned_there;
    request.n_banned = 1;
    draws_as_from(request, {1, 2, -kInf, 2.5F, 0, -1});
    CHECK(best(request) == 1003);
}

void what_changes_the_candidates() {
    const std::vector<float> row = {std::log(0.5F), std::log(0.3F), std::log(0.15F), std::log(0.05F)};
    S2SampleRequest request = request_for(row);
    CHECK(draw(request).result.candidates == 4);
    request.min_p = 0.2F;
    CHECK(draw(request).result.candidates == 3);
    request.min_p = 0.99F;
    CHECK(draw(request).result.candidates == 1 && draw(request).result.words == 0);
    request.keep_id = 3;
    CHECK(draw(request).result.candidates == 1); // without its flag it keeps nothing
    request.flags = S2_REQUEST_KEEP_ID;
    CHECK(draw(request).result.candidates == 2 && draw(request).result.words == 2);
    request.uniform = 0.90;
    CHECK(draw(request).result.words == 2); // without its flag it is not used
    request.flags |= S2_REQUEST_UNIFORM;
    CHECK(draw(request).token == 0 && draw(request).result.words == 0);
    CHECK(std::fabs(draw(request).result.final_probability - 10.0 / 11) < 1e-6);
    request.uniform = 0.92;
    CHECK(draw(request).token == 3);
    CHECK(std::fabs(draw(request).result.final_probability - 1.0 / 11) < 1e-6);
    CHECK(std::fabs(draw(request).result.final_log_probability - std::log(1.0 / 11)) < 1e-5);
    request.keep_id = INT32_MIN;
    CHECK(draw(request).result.candidates == 1);

    // The caller's own generator gives the tokens of the library's.
    std::mt19937 rng(5);
    const Sampler own(5);
    const Sampler none(6);
    for (int i = 0; i < 200; ++i) {
        S2SampleRequest plain = request_for(row);
        const std::int32_t token = s2_sampler_sample_ex(own.handle, &plain, nullptr);
        plain.flags = S2_REQUEST_UNIFORM;
        plain.uniform = std::generate_canonical<double, 53>(rng);
        CHECK(s2_sampler_sample_ex(none.handle, &plain, nullptr) == token);
    }
}

void what_is_told() {
    const std::vector<float> row = {kNan, 0, std::log(3.0F), -kInf, kNan, kNan};
    S2SampleRequest request = request_for(row);
    request.uniform = 0.5;
    request.watched_id = 1;
    request.flags = S2_REQUEST_UNIFORM;
    CHECK(draw(request).result.watched_raw_probability == 0); // without its flag it is not watched
    request.flags |= S2_REQUEST_WATCH_ID;
    S2SampleResult told = draw(request).result;
    CHECK(told.token == 2 && told.candidates == 6 && told.words == 0);
    CHECK(told.nans == 3 && told.infinities == 0);
    CHECK(std::fabs(told.raw_probability - 0.75) < 1e-6);
    CHECK(std::fabs(told.raw_log_probability - std::log(0.75)) < 1e-5);
    CHECK(std::fabs(told.watched_raw_probability - 0.25) < 1e-6);
    CHECK(std::fabs(told.watched_raw_log_probability - std::log(0.25)) < 1e-5);
    CHECK(std::fabs(told.watched_final_probability - 0.25) < 1e-6);
    CHECK(std::fabs(told.watched_final_log_probability - std::log(0.25)) < 1e-5);
    request.flags |= S2_REQUEST_NO_STATS;
    const S2SampleResult bare = draw(request).result;
    CHECK(bare.token == 2 && bare.candidates == 6 && bare.nans == 0 && bare.raw_probability == 0);
    request.flags = S2_REQUEST_WATCH_ID;
    CHECK(draw(request).result.words == 2);

    // A banned id keeps its raw probability.
    const std::int32_t banned[] = {1};
    request.banned = banned;
    request.n_banned = 1;
    told = draw(request).result;
    CHECK(told.final_probability == 1 && told.final_log_probability == 0);
    CHECK(std::fabs(told.watched_raw_probability - 0.25) < 1e-6);
    CHECK(told.watched_final_probability == 0 && told.watched_final_log_probability == -kInf);

    request.watched_id = 6;
    told = draw(request).result;
    CHECK(told.watched_raw_probability == 0 && told.watched_raw_log_probability == -kInf);
    CHECK(told.watched_final_probability == 0 && told.watched_final_log_probability == -kInf);

    const std::vector<float> infinite = {1, kInf, kInf, kNan};
    told = draw(request_for(infinite)).result;
    CHECK(told.token == 1 && told.infinities == 2 && told.nans == 1);
    CHECK(std::fabs(told.raw_probability - 0.5) < 1e-6 && told.final_probability == 1);
}

void numbers_out_of_range() {
    const std::vector<float> row = {1, 2, 3};
    const std::int32_t ids[] = {0};
    const S2TokenRange range = {0, 1};
    const auto refused = [&row](std::int32_t status, auto change) {
        S2SampleRequest request = request_for(row);
        CHECK(draw(request).token >= 0);
        change(request);
        const Sampler sampler(3);
        S2SampleResult result;
        std::memset(&result, 0x5a, sizeof result);
        result.struct_size = sizeof result;
        const S2SampleResult before = result;
        CHECK(s2_sampler_sample_ex(sampler.handle, &request, &result) == status);
        CHECK(s2_sampler_sample_ex(sampler.handle, &request, nullptr) == status);
        CHECK(std::memcmp(&before, &result, sizeof result) == 0);
        const Sampler fresh(3); // no word was used
        const S2SampleRequest plain = request_for(row);
        for (int i = 0; i < 40; ++i) {
            CHECK(s2_sampler_sample_ex(sampler.handle, &plain, nullptr) ==
                  s2_sampler_sample_ex(fresh.handle, &plain, nullptr));
        }
    };
    using R = S2SampleRequest;
    for (const double bad : {1.0, 2.0, -0.5, static_cast<double>(kNan), static_cast<double>(kInf)}) {
        refused(S2_ERROR_BAD_ARGUMENT, [=](R &r) { r.uniform = bad, r.flags = S2_REQUEST_UNIFORM; });
    }
    for (std::uint32_t bit = 32; bit != 0; bit <<= 1) {
        refused(S2_ERROR_BAD_ARGUMENT, [=](R &r) { r.flags = bit; });
    }
    refused(S2_ERROR_BAD_ARGUMENT, [](R &r) { r.repetition_penalty = -1; });
    for (const float bad : {kNan, kInf, -kInf}) {
        refused(S2_ERROR_BAD_ARGUMENT, [=](R &r) { r.repetition_penalty = bad; });
        refused(S2_ERROR_BAD_ARGUMENT, [=](R &r) { r.frequency_penalty = bad; });
        refused(S2_ERROR_BAD_ARGUMENT, [=](R &r) { r.presence_penalty = bad; });
    }
    refused(S2_ERROR_BAD_ARGUMENT, [](R &r) { r.penalty_window = -2; });
    refused(S2_ERROR_BAD_ARGUMENT, [](R &r) { r.penalty_window = INT32_MIN; });
    refused(S2_ERROR_BAD_ARGUMENT, [](R &r) { r.id_offset = -1; });
    refused(S2_ERROR_BAD_ARGUMENT, [](R &r) { r.id_offset = INT32_MAX - 1; });
    refused(S2_ERROR_BAD_ARGUMENT, [](R &r) { r.n_ranges = -1; });
    refused(S2_ERROR_BAD_ARGUMENT, [&](R &r) { r.banned = ids, r.n_banned = -1; });
    refused(S2_ERROR_BAD_ARGUMENT, [&](R &r) { r.history = ids, r.n_history = INT32_MIN; });
    refused(S2_ERROR_NULL_POINTER, [](R &r) { r.n_ranges = 1; });
    refused(S2_ERROR_NULL_POINTER, [](R &r) { r.n_banned = 1; });
    refused(S2_ERROR_NULL_POINTER, [](R &r) { r.n_history = 1; });
    refused(S2_ERROR_NULL_POINTER, [](R &r) { r.logits = nullptr; });
    refused(S2_ERROR_EMPTY_ROW, [](R &r) { r.vocab_size = 0; });
    refused(S2_ERROR_EMPTY_ROW, [](R &r) { r.vocab_size = -1, r.logits = nullptr; });
    refused(S2_ERROR_EMPTY_ROW, [&](R &r) { r.ranges = &range, r.n_ranges = 1, r.id_offset = 2; });
    const auto off_by_one = [](const void *of) { return static_cast<const char *>(of) + 1; };
    refused(S2_ERROR_BAD_ARGUMENT, [&](R &r) {
        r.banned = reinterpret_cast<const std::int32_t *>(off_by_one(ids)), r.n_banned = 1;
    });
    // Without a count the pointer is not looked at.
    S2SampleRequest unused = request_for(row);
    unused.banned = reinterpret_cast<const std::int32_t *>(off_by_one(ids));
    CHECK(best(unused) == 2);
}

void null_pointers() {
    const std::vector<float> row = {1, 2, 3};
    const S2SampleRequest request = request_for(row);
    const Sampler sampler(1);
    S2SampleResult result;
    s2_sample_result_init(&result);
    CHECK(s2_sampler_sample_ex(nullptr, &request, &result) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_sample_ex(sampler.handle, nullptr, &result) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_sample_ex(nullptr, nullptr, nullptr) == S2_ERROR_NULL_POINTER);
    CHECK(s2_sampler_sample_ex(sampler.handle, &request, nullptr) >= 0);
}

// The C++ face says the same with less.
void cxx_face() {
    const std::vector<float> row = {1, 4, kNan, 2};
    s2sampler::Sampler sampler = s2sampler::Sampler::with_seed(9);
    const s2sampler::Params flat{1.0F, kNan, 0};
    S2SampleRequest request = s2sampler::make_request(row, flat);
    S2SampleResult result = s2sampler::make_result();
    const S2SampleResult same = draw(request_for(row), 9).result;
    CHECK(sampler.sample(request, &result).token() == same.token);
    CHECK(std::memcmp(&result, &same, sizeof same) == 0);
    sampler.reseed(9);
    CHECK(sampler.sample(request).token() == same.token);
    request.vocab_size = 0;
    CHECK(sampler.sample(request).status() == S2_ERROR_EMPTY_ROW);
    const S2SampleRequest too_long = s2sampler::make_request(row.data(), SIZE_MAX);
    CHECK(sampler.sample(too_long).status() == S2_ERROR_BAD_ARGUMENT);
    const s2sampler::Sampler moved = std::move(sampler);
    CHECK(sampler.sample(s2sampler::make_request(row)).status() == S2_ERROR_NULL_POINTER);
}

}  // namespace

int main() {
    cxx_face();
    init_is_off();
    what_changes_the_row();
    what_changes_the_candidates();
    what_is_told();
    numbers_out_of_range();
    null_pointers();
    return 0;
}
