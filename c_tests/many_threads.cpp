// Ten thousand threads, one after another, each with draws of its own in every way: what they had is there
// for the next, and the process does not grow.
#include <s2sampler.h>

#include "support/check.h"
#include "support/resident.hpp"
#include "support/rows.hpp"
#include "support/ways.hpp"

#include <malloc.h>

#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 10000;
constexpr int kWarmUp = 100;
// Less than 14 bytes for a thread: the smallest block that could be lost is 32.
constexpr long kBound = 128;  // KiB

void draw_in_every_way(const std::vector<float> &row, int number) {
    Handles handles(static_cast<std::uint32_t>(number));
    // Seeded by the system, as an engine's threads are that never seed.
    handles.sampler = own(s2_sampler_new_random());
    const SamplerParams params = {1.0F, 0.95F, number % 2 == 0 ? 0 : 30};
    const auto n = static_cast<std::int32_t>(row.size());
    for (const Way &way : kWays) CHECK(way.draw(handles.from(row.data(), n, params)) >= 0);
}

}  // namespace

int main() {
    const std::vector<float> row = bell(1500, 0x1p-19F, 8);
    long before = 0;
    std::size_t in_use = 0;
    for (int i = 0; i < kThreads; ++i) {
        if (i == kWarmUp) {
            before = resident_kib();
            in_use = mallinfo2().uordblks;
        }
        std::thread([&] { draw_in_every_way(row, i); }).join();
    }
    const long growth = resident_kib() - before;
    const long kept = static_cast<long>(mallinfo2().uordblks) - static_cast<long>(in_use);
    std::printf("%d threads: %ld KiB resident before, %ld KiB more after, %ld bytes more of the heap in use\n",
                kThreads, before, growth, kept);
    CHECK_CASE(growth < kBound, "%ld KiB more", growth);
    CHECK_CASE(kept < kThreads, "%ld bytes more", kept);
}
