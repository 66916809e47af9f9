// A million ranges, bans or tokens of history in one draw: the token of the row so masked, in the time of
// few plain draws from it.
#include <s2sampler.h>

#include "support/check.h"
#include "support/handles.hpp"
#include "support/rows.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <functional>

namespace {

constexpr std::int32_t kRanges = 1000000;
constexpr std::int32_t kVocab = 2000003;
// Sorting ranges and reading them is some plain draws' time, up to about fifty where so few tokens are left
// that the plain draw does no more than read the row. What grows with the square would take a million.
constexpr double kBound = 500;

const SamplerParams kParams = {1.0F, 0.9F, 0};

// The result, and the least time of three, in seconds.
std::pair<std::int32_t, double> timed(const std::function<std::int32_t(S2Sampler *)> &draw) {
    std::int32_t token = -1;
    double least = 1e9;
    for (int i = 0; i < 3; ++i) {
        const SamplerHandle sampler = own(s2_sampler_new(5));
        const auto start = std::chrono::steady_clock::now();
        token = draw(sampler.get());
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        least = std::min(least, seconds.count());
    }
    return {token, least};
}

S2SampleRequest request_for(const std::vector<float> &row) {
    S2SampleRequest request;
    s2_sample_request_init(&request);
    request.logits = row.data();
    request.vocab_size = kVocab;
    request.params = &kParams;
    return request;
}

void compare(const char *what, const std::vector<float> &masked,
             const std::function<std::int32_t(S2Sampler *)> &draw) {
    const auto plain = timed([&](S2Sampler *sampler) {
        return s2_sampler_sample(sampler, masked.data(), kVocab, &kParams);
    });
    const auto drawn = timed(draw);
    std::printf("%-40s %8.2f ms, %6.1f plain draws\n", what, drawn.second * 1e3, drawn.second / plain.second);
    CHECK_CASE(plain.first >= 0 && drawn.first == plain.first, "%s: %d, not %d", what, drawn.first, plain.first);
    CHECK_CASE(drawn.second < kBound * plain.second, "%s: %f s against %f s", what, drawn.second, plain.second);
}

void from_ranges(const char *what, const std::vector<float> &row, const std::vector<S2TokenRange> &ranges) {
    CHECK(ranges.size() == kRanges);
    // Who is allowed, by counting the ranges that begin and end at each id.
    std::vector<int> opens(static_cast<std::size_t>(kVocab) + 1);
    for (const S2TokenRange &range : ranges) {
        const std::int64_t first = std::max(range.first, 0);
        const std::int64_t last = std::min(range.last, kVocab - 1);
        if (first > last) continue;
        ++opens[static_cast<std::size_t>(first)];
        --opens[static_cast<std::size_t>(last + 1)];
    }
    std::vector<float> masked(row.size(), -kInf);
    int open = 0;
    for (std::size_t id = 0; id < row.size(); ++id) {
        open += opens[id];
        if (open > 0) masked[id] = row[id];
    }
    compare(what, masked, [&](S2Sampler *sampler) {
        return s2_sampler_sample_ranges(sampler, row.data(), kVocab, ranges.data(), kRanges, &kParams);
    });
    S2SampleRequest request = request_for(row);
    request.ranges = ranges.data();
    request.n_ranges = kRanges;
    const SamplerHandle one = own(s2_sampler_new(9));
    const SamplerHandle other = own(s2_sampler_new(9));
    CHECK(s2_sampler_sample_ex(one.get(), &request, nullptr) == draw(other, masked, kParams));
}

void ranges(const std::vector<float> &row) {
    const auto made = [](const std::function<S2TokenRange(std::int32_t)> &range) {
        std::vector<S2TokenRange> ranges;
        for (std::int32_t i = 0; i < kRanges; ++i) ranges.push_back(range(i));
        return ranges;
    };
    SplitMix64 random(3);
    const auto any_id = [&random] { return static_cast<std::int32_t>(random.below(kVocab)); };
    auto apart = made([](std::int32_t i) { return S2TokenRange{2 * i, 2 * i}; });
    from_ranges("every other token", row, apart);
    std::reverse(apart.begin(), apart.end());
    from_ranges("every other token, backwards", row, apart);
    for (std::size_t i = apart.size() - 1; i > 0; --i) std::swap(apart[i], apart[random.below(i + 1)]);
    from_ranges("every other token, in any order", row, apart);
    for (std::size_t i = 1; i < apart.size(); i += 2) apart[i] = apart[i - 1];
    from_ranges("each range twice", row, apart);
    from_ranges("adjacent", row, made([](std::int32_t i) { return S2TokenRange{i, i}; }));
    from_ranges("overlapping", row, made([](std::int32_t i) { return S2TokenRange{i, i + 1000}; }));
    from_ranges("overlapping, in any order", row, made([&](std::int32_t) {
                    const std::int32_t id = any_id();
                    return S2TokenRange{id, id + 5};
                }));
    from_ranges("all the same", row, made([](std::int32_t) { return S2TokenRange{7, 9}; }));
    from_ranges("one inside the other", row, made([](std::int32_t i) { return S2TokenRange{i, kVocab - i}; }));
    from_ranges("nearly all empty or beyond the row", row, made([&](std::int32_t i) {
                    if (i % 1000 == 7) return S2TokenRange{any_id(), INT_MAX};
                    return i % 2 == 0 ? S2TokenRange{i + 1, i} : S2TokenRange{INT_MIN, -1};
                }));
}

void bans_and_history(const std::vector<float> &row) {
    SplitMix64 random(4);
    std::vector<std::int32_t> ids;
    for (std::int32_t i = 0; i < kRanges; ++i) ids.push_back(static_cast<std::int32_t>(random.below(kVocab)));
    std::vector<float> banned = row;
    for (const std::int32_t id : ids) banned[static_cast<std::size_t>(id)] = -kInf;
    compare("banned", banned, [&](S2Sampler *sampler) {
        S2SampleRequest request = request_for(row);
        request.banned = ids.data();
        request.n_banned = kRanges;
        return s2_sampler_sample_ex(sampler, &request, nullptr);
    });
    std::vector<float> penalised = row;
    std::vector<std::int32_t> times(row.size());
    for (const std::int32_t id : ids) ++times[static_cast<std::size_t>(id)];
    for (std::size_t id = 0; id < row.size(); ++id) {
        if (times[id] > 0) penalised[id] -= static_cast<float>(times[id]) * 0.25F + 0.5F;
    }
    compare("history", penalised, [&](S2Sampler *sampler) {
        S2SampleRequest request = request_for(row);
        request.history = ids.data();
        request.n_history = kRanges;
        request.penalty_window = -1;
        request.frequency_penalty = 0.25F;
        request.presence_penalty = 0.5F;
        return s2_sampler_sample_ex(sampler, &request, nullptr);
    });
}

}  // namespace

int main() {
    const std::vector<float> row = bell(kVocab, 0x1p-19F, 12);
    ranges(row);
    bans_and_history(row);
}
