// Masked draws over a vocabulary as multiples of a bare pass, in one process and in turns.
//
//   s2_masks [rounds]
#include "max_pass.hpp"

#include <s2sampler.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::int32_t kRow = 155776;

double seconds(const std::function<void()> & call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Mask {
    const char * name;
    std::vector<std::int32_t> bitmask, allowed, banned;
    std::vector<S2TokenRange> ranges;
};

std::vector<Mask> masks() {
    std::mt19937 random(7);
    const auto words = static_cast<std::size_t>((kRow + 31) / 32);
    std::vector<Mask> all;
    const auto add = [&all](const char * name) -> Mask & {
        all.push_back({name, {}, {}, {}, {}});
        return all.back();
    };
    const auto id = [&random] { return static_cast<std::int32_t>(random() % kRow); };
    add("no mask");
    for (auto & word : add("bitmask, half of the ids").bitmask = std::vector<std::int32_t>(words)) {
        word = static_cast<std::int32_t>(random());
    }
    auto & nearly = add("bitmask, all but 16").bitmask = std::vector<std::int32_t>(words, -1);
    auto & few = add("bitmask, 16 ids").bitmask = std::vector<std::int32_t>(words, 0);
    for (int i = 0; i < 16; ++i) {
        nearly[random() % words] &= ~(1 << (random() % 31));
        few[random() % words] |= 1 << (random() % 31);
    }
    auto & list = add("list of 16 ids").allowed;
    for (int i = 0; i < 16; ++i) list.push_back(id());
    auto & half = add("list of half of the ids").allowed;
    for (std::int32_t i = 0; i < kRow; i += 2) half.push_back(i);
    auto & ranges = add("5,000 ranges").ranges;
    for (int i = 0; i < 5000; ++i) {
        const std::int32_t first = id();
        ranges.push_back({first, first + static_cast<std::int32_t>(random() % 20)});
    }
    auto & banned = add("5,000 banned ids").banned;
    for (int i = 0; i < 5000; ++i) banned.push_back(id());
    return all;
}

template <class Request>
void set(Request & request, const Mask & mask) {
    request.bitmask = mask.bitmask.data();
    request.n_bitmask = static_cast<std::int32_t>(mask.bitmask.size());
    request.allowed_ids = mask.allowed.data();
    request.n_allowed = static_cast<std::int32_t>(mask.allowed.size());
    request.banned = mask.banned.data();
    request.n_banned = static_cast<std::int32_t>(mask.banned.size());
    request.ranges = mask.ranges.data();
    request.n_ranges = static_cast<std::int32_t>(mask.ranges.size());
}

void need(bool held) {
    if (!held) {
        std::fputs("a draw failed\n", stderr);
        std::exit(1);
    }
}

}  // namespace

int main(int argc, char ** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 300;
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0.0F, 3.0F);
    std::vector<float> row(kRow);
    for (float & logit : row) logit = normal(random);

    S2Sampler * const sampler = s2_sampler_new(1);
    S2Chain * const chain = s2_chain_new();
    need(s2_chain_add_top_k(chain, 40) == 0 && s2_chain_add_top_p(chain, 0.95F, 1) == 1 &&
         s2_chain_add_temperature(chain, 0.8F) == 2 && s2_chain_add_dist(chain, 1) == 3);

    std::vector<std::string> names = {"bare pass"};
    std::vector<std::function<void()>> calls = {[&] { need(s2_bench_max_pass(row.data(), row.size()) > 0); }};
    const std::vector<Mask> all = masks();
    for (const Mask & mask : all) {
        names.push_back(std::string("s2_sampler_sample_ex, ") + mask.name);
        calls.push_back([&] {
            S2SampleRequest request;
            s2_sample_request_init(&request);
            request.logits = row.data();
            request.vocab_size = kRow;
            set(request, mask);
            need(s2_sampler_sample_ex(sampler, &request, nullptr) >= 0);
        });
        names.push_back(std::string("s2_chain_sample_ex, ") + mask.name);
        calls.push_back([&] {
            S2ChainRequest request;
            s2_chain_request_init(&request);
            request.logits = row.data();
            request.vocab_size = kRow;
            set(request, mask);
            need(s2_chain_sample_ex(chain, &request, nullptr) >= 0);
        });
    }
    std::vector<std::vector<double>> times(calls.size());
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < calls.size(); ++i) times[i].push_back(seconds(calls[i]));
    }
    std::printf("%s, %d rounds, medians\n", s2_simd_level(), rounds);
    double bare = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        std::nth_element(times[i].begin(), times[i].begin() + rounds / 2, times[i].end());
        const double median = times[i][static_cast<std::size_t>(rounds / 2)];
        bare = i == 0 ? median : bare;
        std::printf("%8.1f us  %5.2f bare passes  %s\n", median * 1e6, median / bare, names[i].c_str());
    }
    s2_sampler_free(sampler);
    s2_chain_free(chain);
    return 0;
}
