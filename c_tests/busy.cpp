// Two threads with one handle: each call gives what it should, or S2_ERROR_BUSY. No race, no token outside the row.
#include <s2sampler.h>

#include "support/check.h"
#include "support/rows.hpp"
#include "support/ways.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr std::int32_t kLong = 60000;
constexpr std::int32_t kShort = 50;
const SamplerParams kFlat = {1.0F, 0.95F, 0};

struct Seen {
    std::atomic<int> tokens{0};
    std::atomic<int> busy{0};
};

// Draws until both have drawn, and each kind of result was seen, or ten seconds are over.
void overlap(const Way &way) {
    const std::vector<float> long_row = bell(kLong, 0x1p-20F, 1);
    const std::vector<float> short_row = bell(kShort, 0x1p-20F, 2);
    const Handles handles(3);
    std::atomic<bool> stop{false};
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const auto run = [&](const std::vector<float> &row, std::int32_t n, Seen &seen) {
        while (!stop.load()) {
            const std::int32_t token = way.draw(handles.from(row.data(), n, kFlat));
            CHECK_CASE(token == S2_ERROR_BUSY || (token >= 0 && token < n), "%s: %d of %d", way.name, token, n);
            (token < 0 ? seen.busy : seen.tokens) += 1;
            // Functions that read or reset may come at any time, too.
            static_cast<void>(!s2_sampler_get_seed(handles.sampler.get()));
            const std::int32_t ended = s2_stream_ended(handles.stream.get());
            CHECK(ended == 0 || ended == 1 || ended == S2_ERROR_BUSY);
            CHECK(s2_stream_code(handles.stream.get(), 5, 10) == 4);
            const std::int32_t count = s2_chain_count(handles.chain.get());
            CHECK(count == 7 || count == S2_ERROR_BUSY);
            S2Stream *const copy = s2_stream_clone(handles.stream.get());
            CHECK((copy != nullptr) == (s2_new_status() == 0));
            CHECK(copy != nullptr || s2_new_status() == S2_ERROR_BUSY);
            s2_stream_free(copy);
        }
    };
    Seen a;
    Seen b;
    std::thread other([&] { run(long_row, kLong, a); });
    std::thread third([&] { run(short_row, kShort, b); });
    const auto least = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    const auto both_drew = [&] { return a.tokens > 0 && b.tokens + b.busy > 0; };
    while (std::chrono::steady_clock::now() < (both_drew() ? least : until)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    stop.store(true);
    other.join();
    third.join();
    CHECK_CASE(both_drew(), "%s: %d and %d tokens", way.name, a.tokens.load(), b.tokens.load());
    // Afterwards it is free again.
    CHECK(way.draw(handles.from(short_row.data(), kShort, kFlat)) >= 0);
}

// One of the threads comes upon the other: without the mark this never ends.
void busy_is_seen() {
    const std::vector<float> row = bell(kLong * 10, 0x1p-20F, 1);
    const Handles handles(3);
    std::atomic<bool> stop{false};
    std::thread other([&] {
        while (!stop.load()) {
            const std::int32_t token = s2_sampler_sample(handles.sampler.get(), row.data(), kLong * 10, &kFlat);
            CHECK(token >= 0 || token == S2_ERROR_BUSY);
        }
    });
    bool seen = false;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!seen && std::chrono::steady_clock::now() < until) {
        seen = s2_sampler_sample(handles.sampler.get(), row.data(), 3, &kFlat) == S2_ERROR_BUSY;
    }
    stop.store(true);
    other.join();
    CHECK(seen);
}

// Why a handle could not be made.
void new_status() {
    CHECK(s2_sampler_clone(nullptr) == nullptr && s2_new_status() == S2_ERROR_NULL_POINTER);
    const SamplerHandle sampler = own(s2_sampler_new(1));
    CHECK(s2_new_status() == 0);
    S2StreamConfig config = stream_config();
    config.ras_window = -1;
    CHECK(s2_stream_new(1, &config) == nullptr && s2_new_status() == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_stream_new(1, nullptr) == nullptr && s2_new_status() == S2_ERROR_NULL_POINTER);
    std::thread([] { CHECK(s2_new_status() == 0); }).join();
    CHECK(s2_chain_new_preset(99, 1, nullptr) == nullptr && s2_new_status() == S2_ERROR_BAD_ARGUMENT);
    CHECK(s2_sampler_sample(sampler.get(), nullptr, 0, nullptr) == S2_ERROR_EMPTY_ROW);
    CHECK(s2_new_status() == S2_ERROR_BAD_ARGUMENT);
    const ChainHandle chain = own(s2_chain_new());
    CHECK(s2_new_status() == 0);
}

}  // namespace

int main() {
    for (const Way &way : kWays) {
        if (!draws_with_thread(way)) overlap(way);
    }
    busy_is_seen();
    new_status();
}
