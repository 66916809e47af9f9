// Drawing from ranges is drawing from the masked row: tokens and random words.
#include <s2sampler.h>

#include "support/check.h"
#include "support/handles.hpp"
#include "support/rows.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

namespace {

using Ranges = std::vector<S2TokenRange>;

bool is_allowed(const Ranges &ranges, std::int32_t id) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [id](const S2TokenRange &r) { return r.first <= id && id <= r.last; });
}

std::vector<float> masked_copy(std::vector<float> row, const Ranges &ranges) {
    for (std::size_t id = 0; id < row.size(); ++id) {
        if (!is_allowed(ranges, static_cast<std::int32_t>(id))) row[id] = -kInf;
    }
    return row;
}

std::int32_t draw_ranges(const SamplerHandle &sampler, const std::vector<float> &row, const Ranges &ranges,
                         const SamplerParams &params) {
    return s2_sampler_sample_ranges(sampler.get(), row.data(), static_cast<std::int32_t>(row.size()),
                                    ranges.data(), static_cast<std::int32_t>(ranges.size()), &params);
}

struct Seen {
    int empty = 0;
    int several = 0;
    int nothing_finite = 0;
    int infinite = 0;
};

void check(const std::vector<float> &row, const Ranges &ranges, const SamplerParams &params,
           std::uint32_t seed, Seen &seen) {
    const SamplerHandle through_ranges = own(s2_sampler_new(seed));
    const SamplerHandle through_mask = own(s2_sampler_new(seed));
    const std::vector<float> copy = masked_copy(row, ranges);
    std::size_t allowed = 0;
    for (std::size_t id = 0; id < row.size(); ++id)
        allowed += is_allowed(ranges, static_cast<std::int32_t>(id));
    const float largest =
        std::accumulate(copy.begin(), copy.end(), -kInf, [](float a, float b) { return b > a ? b : a; });
    seen.empty += allowed == 0;
    seen.several += ranges.size() > 1 && allowed > 1;
    seen.nothing_finite += allowed > 0 && largest == -kInf;
    seen.infinite += largest == kInf;
    for (int i = 0; i < 4; ++i) {
        const std::int32_t token = draw_ranges(through_ranges, row, ranges, params);
        const std::int32_t expected = allowed == 0 ? S2_ERROR_EMPTY_ROW : draw(through_mask, copy, params);
        CHECK_CASE(token == expected, "seed %u, n=%zu, %zu ranges: %d, not %d", seed, row.size(),
                   ranges.size(), token, expected);
        CHECK_CASE(largest == -kInf || is_allowed(ranges, token), "seed %u: %d", seed, token);
    }
    // The words too: the saved states count them.
    CHECK_CASE(save(through_ranges) == save(through_mask), "seed %u: other words", seed);
}

// Ends around and beyond the row, first above last, overlapping, in any order.
Ranges random_ranges(SplitMix64 &random, std::size_t n) {
    Ranges ranges(random.below(5));
    for (S2TokenRange &range : ranges) {
        const auto place = [&] { return static_cast<std::int32_t>(random.below(n + 8)) - 4; };
        range.first = random.below(12) == 0 ? INT32_MIN : place();
        range.last = random.below(12) == 0 ? INT32_MAX
                     : random.below(8) == 0
                         ? place()
                         : range.first + static_cast<std::int32_t>(random.below(n / 3 + 2));
    }
    return ranges;
}

void random_rows() {
    const float temperatures[] = {0.0F, 0.7F, 1.0F, 2.0F, kInf, kNan};
    const float nuclei[] = {0.0F, 0.3F, 0.8F, 0.95F, 1.0F, kNan};
    const std::int32_t limits[] = {0, 1, 2, 30, 1000};
    Seen seen;
    SplitMix64 random(77);
    for (std::uint32_t i = 0; i < 6000; ++i) {
        const std::size_t n = 1 + random.below(i % 50 == 0 ? 20000 : 300);
        std::vector<float> row =
            random.below(3) == 0 ? tied(n, 0x1p-20F, random.next()) : bell(n, 0x1p-19F, random.next());
        const std::uint64_t special = random.below(6);
        for (float &logit : row) {
            if (special < 2 && random.below(12) != 0) logit = special == 0 ? -kInf : kNan;
            if (special == 2 && random.below(n / 2 + 1) == 0) logit = kInf;
        }
        const SamplerParams params = {temperatures[random.below(6)], nuclei[random.below(6)],
                                      limits[random.below(5)]};
        check(row, random_ranges(random, n), params, i, seen);
    }
    std::printf("%d empty, %d of several ranges, %d without a finite logit, %d with +inf\n", seen.empty,
                seen.several, seen.nothing_finite, seen.infinite);
    CHECK(seen.empty > 100 && seen.several > 1000 && seen.nothing_finite > 100 && seen.infinite > 100);
}

// The engines' shape: a stretch of semantic tokens and one end token, out of a long row.
void engine_rows() {
    Seen seen;
    const Ranges ranges = {{151678, 155773}, {151645, 151645}};
    const Ranges alone = {{151678, 155773}};
    for (std::uint32_t seed = 0; seed < 6; ++seed) {
        const std::vector<float> row = peaky(155776, 0x1p-20F, seed);
        for (const SamplerParams &params :
             {SamplerParams{0.8F, 0.8F, 30}, SamplerParams{1.0F, kNan, 0}, SamplerParams{1.0F, 1.0F, 5000}}) {
            check(row, ranges, params, seed, seen);
            check(row, alone, params, seed, seen);
        }
    }
}

// Memory of which only some pages may be read.
class Pages {
public:
    explicit Pages(std::size_t bytes)
        : bytes_(bytes), start_(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        CHECK(start_ != MAP_FAILED);
    }
    ~Pages() { munmap(start_, bytes_); }
    Pages(const Pages &) = delete;
    Pages &operator=(const Pages &) = delete;

    float *floats() const { return static_cast<float *>(start_); }

    // Fills a run of whole pages, which may be read from here on.
    void allow(std::size_t first, const std::vector<float> &logits) {
        CHECK(mprotect(floats() + first, logits.size() * sizeof(float), PROT_READ | PROT_WRITE) == 0);
        std::copy(logits.begin(), logits.end(), floats() + first);
    }

private:
    std::size_t bytes_;
    void *start_;
};

// Nothing outside the ranges is read: whoever looks there dies.
void the_rest_is_not_read() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / sizeof(float);
    const auto id = [](std::size_t i) { return static_cast<std::int32_t>(i); };
    const std::size_t n = 400 * page;
    Pages pages(n * sizeof(float));
    pages.allow(7 * page, bell(page, 0x1p-20F, 5));
    pages.allow(300 * page, bell(2 * page, 0x1p-20F, 6));
    const S2TokenRange ranges[] = {{id(300 * page), id(302 * page - 1)}, {id(7 * page), id(8 * page - 1)}};
    const SamplerHandle sampler = own(s2_sampler_new(3));
    for (const std::int32_t count : {1, 2}) {
        for (const SamplerParams &params : {SamplerParams{0.8F, 0.8F, 30}, SamplerParams{1.0F, kNan, 0}}) {
            for (int i = 0; i < 20; ++i) {
                const std::int32_t token =
                    s2_sampler_sample_ranges(sampler.get(), pages.floats(), id(n), ranges, count, &params);
                CHECK(is_allowed(Ranges(ranges, ranges + count), token));
            }
        }
    }
}

}  // namespace

int main() {
    random_rows();
    engine_rows();
    the_rest_is_not_read();
}
