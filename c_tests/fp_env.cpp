// A call works in the default floating-point environment and gives the host's back: the same tokens, no trap,
// and the same control word and flags after it, whatever the host has set.
#include "support/check.h"
#include "support/rows.hpp"
#include "support/ways.hpp"

#include <s2sampler.h>

#include <cfenv>
#include <cstdio>
#include <functional>
#include <vector>

#include <xmmintrin.h>

namespace {

struct Mode {
    const char *name;
    unsigned control; // MXCSR without its flags
};

constexpr unsigned kFlags = 0x3f;
constexpr unsigned kMasked = 0x1f80;

const Mode kModes[] = {
    {"upward", kMasked | 0x4000},
    {"downward", kMasked | 0x2000},
    {"toward zero", kMasked | 0x6000},
    {"flush to zero", kMasked | 0x8000},
    {"denormals are zero", kMasked | 0x40},
    {"flush, denormals and upward", kMasked | 0xc040},
    {"all exceptions unmasked", 0},
    {"unmasked, upward, flush to zero", 0xc000},
};

// Runs `call` in the mode, and holds it to leaving control word and flags as they were.
std::int32_t in_mode(const Mode &mode, unsigned flags, const std::function<std::int32_t()> &call) {
    const unsigned host = _mm_getcsr();
    // Flags whose exceptions are unmasked are left clear: a trap handler would have cleared them.
    const unsigned set = mode.control | (mode.control & kMasked ? flags : 0);
    _mm_setcsr(set);
    const std::int32_t result = call();
    const unsigned after = _mm_getcsr();
    _mm_setcsr(host);
    CHECK_CASE(after == set, "%s: MXCSR %x before, %x after", mode.name, set, after);
    return result;
}

// What can be asked of a handle besides a draw.
std::int32_t chain_of_all_stages(std::uint32_t seed, const std::vector<float> &row) {
    const ChainHandle chain = own(s2_chain_new_preset(S2_PRESET_LLAMA, seed, nullptr));
    const ChainHandle typical = own(s2_chain_clone(chain.get()));
    CHECK(s2_chain_remove(typical.get(), s2_chain_count(typical.get()) - 1) == 0);
    CHECK(s2_chain_add_typical(typical.get(), 0.9F, 1) >= 0);
    CHECK(s2_chain_add_temperature_ext(typical.get(), 1.1F, 0.4F, 1.3F) >= 0);
    CHECK(s2_chain_add_xtc(typical.get(), 0.7F, 0.05F, 1, seed) >= 0);
    CHECK(s2_chain_add_top_n_sigma(typical.get(), 1.5F) >= 0);
    CHECK(s2_chain_add_mirostat_v2(typical.get(), seed, 4.0F, 0.1F) >= 0);
    const auto n = static_cast<std::int32_t>(row.size());
    std::int32_t sum = 0;
    for (int i = 0; i < 4; ++i) {
        const std::int32_t tokens[] = {s2_chain_sample(chain.get(), row.data(), n),
                                       s2_chain_sample(typical.get(), row.data(), n)};
        for (const std::int32_t token : tokens) {
            CHECK(token >= 0);
            sum = static_cast<std::int32_t>((static_cast<std::uint32_t>(sum) * 31U +
                                             static_cast<std::uint32_t>(token)) & 0x7fffffffU);
        }
    }
    S2Report *report = nullptr;
    CHECK(s2_chain_report(typical.get(), row.data(), n, &report) == 0);
    sum ^= report->stages[0]->after;
    s2_report_free(report);
    CHECK(s2_draw_report(row.data(), n, nullptr, &report) == 0);
    sum ^= report->stages[0]->after;
    s2_report_free(report);
    return sum;
}

} // namespace

int main() {
    std::vector<std::vector<float>> rows;
    for (const std::size_t n : {std::size_t{3}, std::size_t{100}, std::size_t{1000}, std::size_t{4096}, std::size_t{40000}}) {
        rows.push_back(bell(n, 0x1p-19F, n));
        rows.push_back(masked(n, 0x1p-19F, n));
        rows.push_back(peaky(n, 0x1p-20F, n));
        rows.push_back(std::vector<float>(n, 0.0F));
        std::vector<float> hostile = bell(n, 0x1p-19F, n + 1);
        hostile[0] = kNan;
        hostile[1] = 0x1p-149F;
        hostile[2] = -0x1p-130F;
        rows.push_back(hostile);
    }
    const SamplerParams settings[] = {
        {0.8F, 0.8F, 30}, {1.0F, 1.0F, 0}, {0.7F, 0.95F, 0}, {0.0F, 0.9F, 40}, {1e-30F, 0.99F, 200}, {1.0F, kNan, 0}};
    int compared = 0;
    for (const std::vector<float> &row : rows) {
        const auto n = static_cast<std::int32_t>(row.size());
        for (const SamplerParams &params : settings) {
            for (const Way &way : kWays) {
                std::int32_t expected[3];
                const Generators handles(7);
                for (std::int32_t &token : expected) {
                    token = way.draw(handles.from(row.data(), n, params));
                }
                for (const Mode &mode : kModes) {
                    for (const unsigned flags : {0U, kFlags}) {
                        const Generators again(7);
                        for (const std::int32_t token : expected) {
                            const std::int32_t got = in_mode(
                                mode, flags, [&] { return way.draw(again.from(row.data(), n, params)); });
                            CHECK_CASE(got == token, "%s, %s, n %d: %d instead of %d", way.name, mode.name, n,
                                       got, token);
                            ++compared;
                        }
                    }
                }
            }
        }
        if (row[0] == row[0]) {
            const std::int32_t expected = chain_of_all_stages(9, row);
            for (const Mode &mode : kModes) {
                CHECK_CASE(in_mode(mode, 0, [&] { return chain_of_all_stages(9, row); }) == expected, "chains, %s, n %d",
                           mode.name, n);
            }
        }
    }
    std::printf("%d draws in %zu modes\n", compared, sizeof kModes / sizeof kModes[0]);
    return 0;
}
