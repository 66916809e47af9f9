// Six fixed workloads, each counted on its own by valgrind's callgrind: see scripts/instructions.
//
// Rows, parameters and seeds are constants, so that the counts are too. What is counted is the draws alone,
// after some that bring the working memory to its size; making the rows is not.
// argv[1]: the directory tests/data.
#include <s2sampler.h>

#include "support/check.h"
#include "support/rows.hpp"

#include <cstring>
#include <fstream>
#include <string>
#include <valgrind/callgrind.h>

namespace {

constexpr std::size_t kSlowRow = 155776;  // the S2 engines' vocabulary
constexpr std::size_t kFastRow = 4096;    // and their codebook
constexpr std::size_t kRealRow = 262144;
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

void draw(const std::vector<float> &row, const SamplerParams &params) {
    for (int i = 0; i < kDraws; ++i) {
        CHECK(s2_sample_token(row.data(), static_cast<std::int32_t>(row.size()), &params) >= 0);
    }
}

// The profile's trigger carries the name and the number of draws.
void count(const char *name, const std::vector<float> &row, const SamplerParams &params) {
    s2_seed_thread(1);
    draw(row, params);
    const std::string trigger = std::string(name) + "/" + std::to_string(kDraws);
    CALLGRIND_ZERO_STATS;
    draw(row, params);
    CALLGRIND_DUMP_STATS_AT(trigger.c_str());
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

    count("default_155776", slow, defaults);
    count("default_4096", bell(kFastRow, kThree, kRowSeed), defaults);
    count("default_masked_155776", masked(kSlowRow, kThree, kRowSeed), defaults);
    count("default_real_262144", real_row(std::string(argv[1]) + "/logits/row27.f32"), defaults);
    count("nucleus_155776", slow, nucleus);
    count("greedy_155776", slow, greedy);
}
