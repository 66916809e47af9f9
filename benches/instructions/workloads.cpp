// Fixed workloads, each counted on its own by valgrind's callgrind: see scripts/instructions.py.
//
// Rows, parameters and seeds are constants, so that the counts are too. What is counted is the draws alone,
// after some that bring the working memory to its size; making the rows is not.
// argv[1]: the directory tests/data.
#include <s2sampler.h>

#include "support/check.h"
#include "support/rows.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <valgrind/callgrind.h>

namespace {

constexpr std::size_t kSlowRow = 155776;  // the S2 engines' vocabulary
constexpr std::size_t kFastRow = 4096;    // and their codebook
constexpr std::size_t kSmallRow = 1024;   // and the smallest of other codebooks
constexpr std::size_t kRealRow = 262144;
constexpr std::size_t kArray = 131072;
constexpr float kThree = 3.0F * 0x1p-20F;  // the scale at which a bell has the deviation 3
constexpr std::uint64_t kRowSeed = 20240229;

constexpr int kDraws = 20;

std::vector<float> real_row(const std::string &path) {
    std::vector<float> row(kRealRow);
    std::ifstream file(path, std::ios::binary);
    const auto bytes = static_cast<std::streamsize>(row.size() * sizeof(float));
    file.read(reinterpret_cast<char *>(row.data()), bytes);
    CHECK_CASE(file.gcount() == bytes, "%s is too short", path.c_str());
    return row;
}

// The profile's trigger carries the name and the number of draws.
template <class Draw>
void count_each(const char *name, const Draw &draw) {
    const auto all = [&draw] {
        for (int i = 0; i < kDraws; ++i) {
            CHECK(draw() >= 0);
        }
    };
    all();
    const std::string trigger = std::string(name) + "/" + std::to_string(kDraws);
    CALLGRIND_ZERO_STATS;
    all();
    CALLGRIND_DUMP_STATS_AT(trigger.c_str());
}

// A row whose cut the maxima of its blocks do not settle. 30 logits fall by 0.02 from 10; of the others every second
// one, at random, lies 9.75 below the largest, and the rest so low that it adds nothing to the sum S. The exponentials
// of the 30 add up to 22.6 of the largest's. A block of 32 with a high logit may have one or 32 of them, with the same
// maximum: S is between 22.9 and 31.6 for all that the maxima tell, and p S between 18.3 and 25.3, so that 23 to 30
// ranks stay. core/benches/settled.rs makes the same row and checks that no draw from it is settled by maxima.
std::vector<float> unsure_row() {
    std::vector<float> row(kSlowRow);
    SplitMix64 rng(kRowSeed);
    for (float &logit : row) {
        logit = rng.next() % 2 == 0 ? 0.25F : -20.0F;
    }
    for (std::size_t i = 0; i < 30; ++i) {
        row[17 + 5192 * i] = 10.0F - 0.02F * static_cast<float>(i);
    }
    return row;
}

// Close to each other, in no order.
std::vector<float> flat_row() {
    std::vector<float> row = bell(kSlowRow, kThree, kRowSeed);
    for (float &logit : row) {
        logit *= 0x1p-9F;
    }
    return row;
}

void count(const char *name, const std::vector<float> &row, const SamplerParams &params) {
    s2_seed_thread(1);
    count_each(name, [&] {
        return s2_sample_token(row.data(), static_cast<std::int32_t>(row.size()), &params);
    });
}

// The same tokens as default_masked_155776 has, without the mask.
void count_ranges(const std::vector<float> &row, const SamplerParams &params) {
    S2Sampler *const sampler = s2_sampler_new(1);
    CHECK(sampler != nullptr);
    const auto n = static_cast<std::int32_t>(row.size());
    const S2TokenRange ranges[] = {{n - 4096, n - 1}, {(n - 4096) / 2, (n - 4096) / 2}};
    count_each("ranges_4097", [&] {
        return s2_sampler_sample_ranges(sampler, row.data(), n, ranges, 2, &params);
    });

    // The same once more as a request, of which nothing but the token is wanted.
    S2SampleRequest request;
    s2_sample_request_init(&request);
    request.logits = row.data();
    request.vocab_size = n;
    request.params = &params;
    request.ranges = ranges;
    request.n_ranges = 2;
    count_each("request_ranges_4097", [&] { return s2_sampler_sample_ex(sampler, &request, nullptr); });
    s2_sampler_free(sampler);
}

// A frame of the S2 engines: one main token, nine codebook tokens.
void count_frame(const std::vector<float> &slow, const std::vector<float> &fast,
                 const SamplerParams &params) {
    const auto n = static_cast<std::int32_t>(slow.size());
    S2StreamConfig config;
    s2_stream_config_init(&config);
    config.semantic_first = n - 4096;
    config.semantic_last = n - 1;
    config.end_id = (n - 4096) / 2;
    S2Stream *const stream = s2_stream_new(1, &config);
    CHECK(stream != nullptr);
    count_each("stream_frame", [&] {
        std::int32_t least = s2_stream_slow(stream, slow.data(), n, &params, 1);
        for (int codebook = 1; codebook < 10; ++codebook) {
            const auto size = static_cast<std::int32_t>(fast.size());
            least = std::min(least, s2_stream_fast(stream, fast.data(), size, &params));
        }
        return least;
    });
    s2_stream_free(stream);
}

// Penalties for 1,000 tokens of history, and 100 banned ids, in the engines' ranges and in the whole row.
void count_request(const std::vector<float> &row, const SamplerParams &params) {
    S2Sampler *const sampler = s2_sampler_new(1);
    CHECK(sampler != nullptr);
    const auto n = static_cast<std::int32_t>(row.size());
    std::vector<std::int32_t> history(1000);
    std::vector<std::int32_t> banned(100);
    SplitMix64 rng(kRowSeed);
    for (std::int32_t &token : history) {
        token = n - 1 - static_cast<std::int32_t>(rng.below(4096));
    }
    for (std::int32_t &token : banned) {
        token = static_cast<std::int32_t>(rng.below(kSlowRow));
    }
    const S2TokenRange ranges[] = {{n - 4096, n - 1}, {(n - 4096) / 2, (n - 4096) / 2}};
    S2SampleRequest request;
    s2_sample_request_init(&request);
    request.logits = row.data();
    request.vocab_size = n;
    request.params = &params;
    request.history = history.data();
    request.n_history = static_cast<std::int32_t>(history.size());
    request.banned = banned.data();
    request.n_banned = static_cast<std::int32_t>(banned.size());
    request.penalty_window = -1;
    request.repetition_penalty = 1.1F;
    request.frequency_penalty = 0.1F;
    request.presence_penalty = 0.1F;
    count_each("request_penalties_155776", [&] { return s2_sampler_sample_ex(sampler, &request, nullptr); });
    request.ranges = ranges;
    request.n_ranges = 2;
    count_each("request_penalties_4097", [&] { return s2_sampler_sample_ex(sampler, &request, nullptr); });
    s2_sampler_free(sampler);
}

// Masks over the whole row: half of the ids by a bitmask, 5,000 ranges, 5,000 banned ids.
void count_masks(const std::vector<float> &row) {
    S2Chain *const chain = s2_chain_new_preset(S2_PRESET_LLAMA, 1, nullptr);
    CHECK(chain != nullptr);
    SplitMix64 rng(kRowSeed);
    std::vector<std::int32_t> bits((row.size() + 31) / 32);
    for (std::int32_t &word : bits) {
        word = static_cast<std::int32_t>(rng.below(std::uint64_t{1} << 32));
    }
    std::vector<S2TokenRange> ranges(5000);
    std::vector<std::int32_t> banned(5000);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const auto first = static_cast<std::int32_t>(rng.below(kSlowRow));
        ranges[i] = {first, first + static_cast<std::int32_t>(rng.below(20))};
        banned[i] = static_cast<std::int32_t>(rng.below(kSlowRow));
    }
    S2ChainRequest request;
    s2_chain_request_init(&request);
    request.logits = row.data();
    request.vocab_size = static_cast<std::int32_t>(row.size());
    count_each("chain_request_155776", [&] { return s2_chain_sample_ex(chain, &request, nullptr); });
    request.bitmask = bits.data();
    request.n_bitmask = static_cast<std::int32_t>(bits.size());
    count_each("chain_bitmask_155776", [&] { return s2_chain_sample_ex(chain, &request, nullptr); });
    request.n_bitmask = 0;
    request.ranges = ranges.data();
    request.n_ranges = static_cast<std::int32_t>(ranges.size());
    count_each("chain_ranges_155776", [&] { return s2_chain_sample_ex(chain, &request, nullptr); });
    request.n_ranges = 0;
    request.banned = banned.data();
    request.n_banned = static_cast<std::int32_t>(banned.size());
    count_each("chain_banned_155776", [&] { return s2_chain_sample_ex(chain, &request, nullptr); });
    s2_chain_free(chain);
}

// Dry with 1,000 tokens of history and 100 breakers, before top_k.
void count_dry(const std::vector<float> &row) {
    S2Chain *const chain = s2_chain_new();
    CHECK(chain != nullptr);
    std::vector<std::int32_t> tokens;
    std::vector<std::int32_t> lengths;
    for (std::int32_t i = 0; i < 100; ++i) {
        tokens.insert(tokens.end(), {7, 8, 1000 + i});
        lengths.push_back(3);
    }
    CHECK(s2_chain_add_dry(chain, 0.8F, 1.75F, 2, 1000, tokens.data(), lengths.data(), 100) >= 0);
    CHECK(s2_chain_add_top_k(chain, 40) >= 0);
    CHECK(s2_chain_add_dist(chain, 1) >= 0);
    SplitMix64 rng(kRowSeed);
    for (int i = 0; i < 1000; ++i) {
        CHECK(s2_chain_accept(chain, static_cast<std::int32_t>(rng.below(10))) == 0);
    }
    count_each("chain_dry_155776", [&] {
        return s2_chain_sample(chain, row.data(), static_cast<std::int32_t>(row.size()));
    });
    s2_chain_free(chain);
}

// Stages on an array that is restored before each call, which is not counted.
void count_array(const char *name, const std::vector<S2TokenData> &entries, bool sorted, bool top_k_alone) {
    S2Chain *const chain = s2_chain_new();
    CHECK(chain != nullptr && s2_chain_add_top_k(chain, 40) >= 0);
    if (!top_k_alone) {
        CHECK(s2_chain_add_top_p(chain, 0.95F, 1) >= 0 && s2_chain_add_min_p(chain, 0.05F, 1) >= 0);
        CHECK(s2_chain_add_temperature(chain, 0.8F) >= 0 && s2_chain_add_dist(chain, 1) >= 0);
    }
    std::vector<S2TokenData> work = entries;
    count_each(name, [&] {
        CALLGRIND_TOGGLE_COLLECT;
        std::copy(entries.begin(), entries.end(), work.begin());
        CALLGRIND_TOGGLE_COLLECT;
        S2TokenDataArray array = {work.data(), work.size(), -1, sorted};
        return s2_chain_apply(chain, &array);
    });
    s2_chain_free(chain);
}

void count_arrays(const std::vector<float> &row) {
    std::vector<S2TokenData> entries(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
        entries[i] = {static_cast<std::int32_t>(i), row[i], 0.0F};
    }
    count_array("array_top_k_131072", entries, false, true);
    count_array("array_chain_131072", entries, false, false);
    std::stable_sort(entries.begin(), entries.end(),
                     [](const S2TokenData &a, const S2TokenData &b) { return a.logit > b.logit; });
    count_array("array_sorted_131072", entries, true, true);
}

// Stages that work on all tokens of the row.
void count_whole_rows(const std::vector<float> &row) {
    const auto n = static_cast<std::int32_t>(row.size());
    for (const bool typical : {true, false}) {
        S2Chain *const chain = s2_chain_new();
        CHECK(chain != nullptr && (!typical || s2_chain_add_typical(chain, 0.9F, 1) >= 0));
        CHECK(s2_chain_add_temperature(chain, 0.8F) >= 0 && s2_chain_add_dist(chain, 1) >= 0);
        const char *const name = typical ? "chain_typical_155776" : "chain_temperature_155776";
        count_each(name, [&] { return s2_chain_sample(chain, row.data(), n); });
        s2_chain_free(chain);
    }
}

// A preset of a chain whose penalties look at 64 tokens.
void count_chain(const char *name, std::int32_t preset, float repeat_penalty, const std::vector<float> &row) {
    S2PresetParams params;
    CHECK(s2_preset_params_init(&params, preset) == 0);
    params.repeat_penalty = repeat_penalty;
    S2Chain *const chain = s2_chain_new_preset(preset, 1, &params);
    CHECK(chain != nullptr);
    for (std::int32_t token = 0; token < 64; ++token) {
        CHECK(s2_chain_accept(chain, 1000 * token) == 0);
    }
    count_each(name, [&] {
        return s2_chain_sample(chain, row.data(), static_cast<std::int32_t>(row.size()));
    });
    s2_chain_free(chain);
}

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 2);
    // Valgrind knows no AVX-512, and the baseline is not what users run.
    CHECK_CASE(std::strcmp(s2_simd_level(), "avx2") == 0, "level %s", s2_simd_level());
    const SamplerParams defaults = s2_sampler_params_default();
    const SamplerParams nucleus = {0.8F, 0.9F, 0};
    const SamplerParams greedy = {0.0F, 0.8F, 30};
    const std::vector<float> slow = bell(kSlowRow, kThree, kRowSeed);
    const std::vector<float> fast = bell(kFastRow, kThree, kRowSeed);

    count("default_155776", slow, defaults);
    count("default_4096", fast, defaults);
    count("default_1024", bell(kSmallRow, kThree, kRowSeed), defaults);
    count("default_unsure_155776", unsure_row(), defaults);
    count("default_masked_155776", masked(kSlowRow, kThree, kRowSeed), defaults);
    count("default_real_262144", real_row(std::string(argv[1]) + "/logits/row27.f32"), defaults);
    count("nucleus_155776", slow, nucleus);
    count("nucleus_flat_155776", flat_row(), nucleus);
    count("greedy_155776", slow, greedy);
    count_ranges(slow, defaults);
    count_request(slow, defaults);
    count_frame(slow, fast, defaults);
    count_chain("chain_s2_155776", S2_PRESET_S2, 1.0F, slow);
    count_chain("chain_llama_155776", S2_PRESET_LLAMA, 1.0F, slow);
    count_chain("chain_penalties_155776", S2_PRESET_LLAMA, 1.1F, slow);
    count_masks(slow);
    count_dry(slow);
    count_chain("chain_temperature_first_155776", S2_PRESET_TEMPERATURE_FIRST, 1.1F, slow);
    count_whole_rows(slow);
    count_arrays(bell(kArray, kThree, kRowSeed));
}
