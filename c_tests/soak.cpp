// Mixed draws without an end, in all ways, with handles that come and go: memory stays flat.
//
// argv[1] says how many draws. Small rows, so that many fit in minutes: what a draw could lose it loses
// with those too.
#include <s2sampler.h>

#include "support/check.h"
#include "support/resident.hpp"
#include "support/rows.hpp"
#include "support/ways.hpp"

#include <chrono>
#include <vector>

namespace {

constexpr int kIntervals = 10;
constexpr int kBlock = 1000;  // draws with the same handles
// From the first interval to the last: a byte lost by each draw of even the short run would be more.
constexpr long kBound = 128;  // KiB

struct Soak {
    SplitMix64 random{1};
    std::vector<std::vector<float>> rows;
    std::vector<SamplerParams> params = {{0.8F, 0.8F, 30}, {1.0F, 1.0F, 0}, {0.7F, 0.95F, 5},
                                         {0.0F, 0.9F, 0},  {2.0F, kNan, 12}};

    Soak() {
        for (const std::size_t n : {1U, 2U, 7U, 16U, 33U, 64U}) {
            rows.push_back(bell(n, 0x1p-19F, n));
            rows.push_back(tied(n, 0x1p-19F, n));
        }
        rows.push_back(std::vector<float>(40, -kInf));
        rows.push_back(std::vector<float>(40, kNan));
    }

    void block() {
        Generators generators(static_cast<std::uint32_t>(random.next()));
        for (int i = 0; i < kBlock; ++i) {
            const Way &way = kWays[random.below(std::size(kWays))];
            const std::vector<float> &row = rows[random.below(rows.size())];
            const auto n = static_cast<std::int32_t>(row.size());
            const std::int32_t token =
                way.draw(generators.from(row.data(), n, params[random.below(params.size())]));
            const bool none = token == S2_ERROR_EMPTY_ROW || token == S2_ERROR_NO_CANDIDATE;
            CHECK_CASE((token >= 0 && token < n) || none, "%s: %d", way.name, token);
        }
        // What has no token of its own, once in each block.
        const State state = save(generators.sampler);
        generators.sampler = own(s2_sampler_clone(generators.sampler.get()));
        CHECK(save(generators.sampler) == state);
        CHECK(s2_sampler_restore(generators.sampler.get(), state.data(), state.size()) == 0);
        CHECK(s2_sampler_restore(generators.sampler.get(), state.data(), 7) == S2_ERROR_BAD_ARGUMENT);
        generators.stream = own(s2_stream_clone(generators.stream.get()));
        s2_stream_reset(generators.stream.get(), 7);
        CHECK(s2_sampler_sample(nullptr, rows[0].data(), 1, nullptr) == S2_ERROR_NULL_POINTER);
        CHECK(s2_stream_new(1, nullptr) == nullptr);
    }
};

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 2);
    const long draws = std::atol(argv[1]);
    CHECK_CASE(draws >= kIntervals * kBlock, "%ld draws are too few", draws);
    Soak soak;
    long before = 0;
    const auto start = std::chrono::steady_clock::now();
    std::printf("%12s %10s %14s\n", "draws", "seconds", "resident");
    long most = 0;
    for (int interval = 1; interval <= kIntervals; ++interval) {
        for (long done = 0; done < draws / kIntervals; done += kBlock) soak.block();
        const long resident = resident_kib();
        if (interval == 1) before = resident;
        most = std::max(most, resident);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        std::printf("%12ld %10.1f %10ld KiB\n", draws / kIntervals * interval, seconds.count(), resident);
        std::fflush(stdout);
    }
    CHECK_CASE(most - before < kBound, "%ld KiB more", most - before);
}
