// Rows as long as a vocabulary can be, or as argv[1] says, in little memory; what is drawn is known from
// the few tokens that can be drawn.
#include <s2sampler.h>

#include "support/check.h"
#include "support/oracle.hpp"
#include "support/resident.hpp"
#include "support/rows.hpp"
#include "support/sparse.hpp"
#include "support/ways.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

// Half a gigabyte.
constexpr std::size_t kLongestCopied = std::size_t{1} << 27;

std::size_t n = 0;

void report(const char *what, Clock::time_point start) {
    const std::chrono::duration<double> seconds = Clock::now() - start;
    std::printf("%-44s %8.3f s, %7ld KiB of its own, %6ld KiB of page tables\n", what, seconds.count(),
                status_kib("RssAnon"), status_kib("VmPTE"));
    std::fflush(stdout);
}

// One draw with the thread's generator against the oracle's among `few`, which stand at `ids`.
void compare(const char *what, const SparseRow &row, const std::vector<float> &few,
             const std::vector<std::size_t> &ids, const SamplerParams &params, const SamplerParams &for_few) {
    s2_seed_thread(11);
    std::mt19937 mirror(11);
    const auto start = Clock::now();
    const std::int32_t token = s2_sample_token(row.data(), row.size(), &params);
    report(what, start);
    const auto expected = ids[static_cast<std::size_t>(oracle_draw(few, for_few, mirror))];
    CHECK_CASE(static_cast<std::size_t>(token) == expected, "%s: %d, not %zu", what, token, expected);
}

// Few tokens that weigh, from the first to the last of the row, above so many that weigh nothing.
void few_above_nothing() {
    SparseRow row(n, std::vector<float>(SparseRow::kPeriod, -200.0F));
    const std::vector<float> few = bell(200, 0x1p-19F, 4);
    std::vector<std::size_t> ids;
    for (std::size_t i = 0; i < few.size(); ++i) {
        // Five places, which take up to 40 neighbours each.
        ids.push_back(i / 40 * ((n - 40) / 4) + i % 40);
        row.set(ids.back(), few[i]);
    }
    CHECK(ids.front() == 0 && ids.back() + 4 >= n - 1);
    row.set(n - 1, 9.0F);
    std::vector<float> with_last = few;
    with_last.push_back(9.0F);
    ids.push_back(n - 1);
    for (const SamplerParams &params : {SamplerParams{0.8F, 0.9F, 0}, {1.0F, 0.99F, 150}, {2.0F, kNan, 100}}) {
        compare("few above nothing", row, with_last, ids, params, params);
    }
    const SamplerParams greedy = {0.0F, 1.0F, 0};
    compare("greedy, the last token", row, with_last, ids, greedy, greedy);

    // The other ways: ranges at both ends, a request that tells of the whole row, a stream.
    const SamplerParams params = {1.0F, 1.0F, 3};
    const auto last = static_cast<std::int32_t>(n - 1);
    const S2TokenRange ends[] = {{last - 1, INT_MAX}, {INT_MIN, 0}};
    const Generators generators(1);
    auto start = Clock::now();
    CHECK(s2_sampler_sample_ranges(generators.sampler.get(), row.data(), row.size(), ends, 2, &params) >= 0);
    report("two ranges", start);
    for (const Way &way : kWays) {
        // Two of the ways leave one token out, and so copy the others.
        const std::string name = way.name;
        const bool copies = name == "s2_sampler_sample_ranges" || name == "s2_sampler_sample_ex, everything";
        if (copies && n > kLongestCopied) {
            std::printf("%-44s not with this row, of which it would make a copy\n", way.name);
            continue;
        }
        start = Clock::now();
        const std::int32_t token = way.draw(generators.from(row.data(), row.size(), params));
        report(way.name, start);
        CHECK_CASE(token >= 0 && token <= last, "%s: %d", way.name, token);
    }
}

void special_values() {
    SparseRow row(n, std::vector<float>(SparseRow::kPeriod, kNan));
    const auto last = static_cast<std::int32_t>(n - 1);
    const SamplerParams params = {1.0F, 1.0F, 0};
    auto start = Clock::now();
    CHECK(s2_sample_token(row.data(), row.size(), &params) == 0);
    report("only NaN", start);
    S2SampleRequest request;
    S2SampleResult result;
    s2_sample_request_init(&request);
    s2_sample_result_init(&result);
    request.logits = row.data();
    request.vocab_size = row.size();
    start = Clock::now();
    CHECK(s2_sampler_sample_ex(own(s2_sampler_new(1)).get(), &request, &result) == S2_ERROR_NO_CANDIDATE);
    report("only NaN, a request", start);
    std::int32_t nans = 0;
    CHECK(s2_count_special(row.data(), row.size(), &nans, nullptr) == row.size() && nans == row.size());
    report("only NaN, counted", start);
    row.set(n - 1, -3.0F);
    CHECK(s2_sampler_sample_ex(own(s2_sampler_new(1)).get(), &request, &result) == last);
    CHECK(static_cast<std::size_t>(result.nans) == n - 1 && result.infinities == 0);
    CHECK(s2_sample_token(row.data(), row.size(), &params) == last);
    row.set(n - 1, kInf);
    CHECK(s2_sample_token(row.data(), row.size(), &params) == last);
}

// Each logit again in every period: the first ranks are the first of many equals.
void many_equals() {
    const std::vector<float> pattern = bell(SparseRow::kPeriod, 0x1p-19F, 5);
    const SparseRow row(n, pattern);
    const auto best = static_cast<std::size_t>(std::max_element(pattern.begin(), pattern.end()) - pattern.begin());
    std::vector<std::size_t> ids;
    for (std::size_t i = 0; i < 30; ++i) ids.push_back(best + i * SparseRow::kPeriod);
    CHECK(ids.back() < n);
    const std::vector<float> equal(ids.size(), 1.0F);
    compare("a pattern of noise, repeated", row, equal, ids, {0.8F, 0.8F, 30}, {0.8F, kNan, 30});

    const SparseRow flat(n, std::vector<float>(SparseRow::kPeriod, 1.0F));
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
    compare("all equal", flat, equal, ids, {0.8F, 0.8F, 30}, {0.8F, kNan, 30});
}

// Rows that lie far apart, forwards, backwards and one upon the other.
void strides() {
    SparseRow logits(n, bell(SparseRow::kPeriod, 0x1p-19F, 6));
    constexpr std::int32_t kRows = 5;
    constexpr std::int32_t kVocab = 1000;
    const auto far = static_cast<std::ptrdiff_t>((n - kVocab) / (kRows - 1));
    const SamplerParams params = {1.0F, 1.0F, 0};
    for (const std::ptrdiff_t stride : {far, -far, std::ptrdiff_t{0}, std::ptrdiff_t{-1}}) {
        const float *const first = logits.data() + (stride < 0 ? -stride * (kRows - 1) : 0);
        const SamplerHandle together = own(s2_sampler_new(2));
        const SamplerHandle alone = own(s2_sampler_new(2));
        const std::vector<S2Sampler *> handles(kRows, together.get());
        std::int32_t tokens[kRows];
        CHECK(s2_sampler_sample_rows(handles.data(), first, kRows, stride, kVocab, &params, 1, tokens) == kRows);
        for (std::ptrdiff_t i = 0; i < kRows; ++i) {
            CHECK(tokens[i] == s2_sampler_sample(alone.get(), first + i * stride, kVocab, &params));
        }
    }
}

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 2);
    n = std::stoul(argv[1]);
    CHECK(n <= INT_MAX && n > 64 * SparseRow::kPeriod);
    std::printf("%zu logits, %zu MiB of addresses\n", n, n * sizeof(float) >> 20);
    few_above_nothing();
    special_values();
    many_equals();
    strides();
    // Besides the row the library has one number for 32 logits, for the thread alone at the end.
    const long bound = static_cast<long>(n / 32 * sizeof(float) / 1024) + 32768;
    CHECK_CASE(status_kib("RssAnon") < bound, "%ld KiB", status_kib("RssAnon"));
}
