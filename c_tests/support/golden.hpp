// The golden tables and real rows below tests/data, parsed.
#ifndef S2_TESTS_GOLDEN_HPP
#define S2_TESTS_GOLDEN_HPP

#include <s2sampler.h>

#include "check.h"
#include "rows.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using Fields = std::vector<std::string>;

// The fields of each line that is not a comment.
inline std::vector<Fields> read_table(const std::string &path) {
    std::ifstream file(path);
    CHECK_CASE(file.is_open(), "%s", path.c_str());
    std::vector<Fields> table;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields(line);
        table.emplace_back(std::istream_iterator<std::string>(fields), std::istream_iterator<std::string>());
    }
    return table;
}

// The files are little-endian.
inline std::vector<float> read_row(const std::string &path, std::size_t n) {
    std::vector<unsigned char> bytes(n * sizeof(float));
    std::ifstream file(path, std::ios::binary);
    const auto size = static_cast<std::streamsize>(bytes.size());
    file.read(reinterpret_cast<char *>(bytes.data()), size);
    CHECK_CASE(file.gcount() == size, "%s is too short", path.c_str());
    std::vector<float> row(n);
    for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t bits = 0;
        for (std::size_t byte = 4; byte-- > 0;) bits = bits << 8 | bytes[4 * i + byte];
        std::memcpy(&row[i], &bits, sizeof bits);
    }
    return row;
}

// One line: a row, its parameters, a seed, and the tokens of successive draws.
struct GoldenLine {
    std::string name;
    std::vector<float> row;
    SamplerParams params;
    std::uint32_t seed;
    std::vector<std::int32_t> tokens;

    // The tokens begin at `first`; the four fields before are the parameters and the seed.
    GoldenLine(const Fields &line, std::vector<float> logits, std::size_t first)
        : name(line.at(0) + " n=" + std::to_string(logits.size()) + " seed " + line.at(first - 1)),
          row(std::move(logits)),
          params{std::stof(line[first - 4]), std::stof(line[first - 3]), std::stoi(line[first - 2])},
          seed(static_cast<std::uint32_t>(std::stoul(line[first - 1]))) {
        CHECK(line.size() > first);
        for (std::size_t i = first; i < line.size(); ++i) tokens.push_back(std::stoi(line[i]));
    }
};

// Every line of sampler.tsv, sampler_tied.tsv and, for the rows in the repository, real_rows.tsv. (The
// last table has rows that are too large for it; those that are here must all be used.)
inline void for_each_golden_line(const std::string &data,
                                 const std::function<void(const GoldenLine &)> &check) {
    for (const char *const table : {"/golden/sampler.tsv", "/golden/sampler_tied.tsv"}) {
        const auto lines = read_table(data + table);
        CHECK_CASE(!lines.empty(), "%s", table);
        for (const Fields &line : lines) {
            CHECK(line.size() > 8);
            check(GoldenLine(
                line, family_row(line[0], std::stoul(line[1]), std::stof(line[2]), std::stoull(line[3])), 8));
        }
        std::printf("%s: %zu lines\n", table, lines.size());
    }
    std::set<std::string> missing = {"18", "27"};
    std::size_t checked = 0;
    for (const Fields &line : read_table(data + "/golden/real_rows.tsv")) {
        CHECK(line.size() > 6);
        const std::string number = line[0].size() < 2 ? "0" + line[0] : line[0];
        const std::string path = data + "/logits/row" + number + ".f32";
        if (!std::ifstream(path).is_open()) continue;
        check(GoldenLine(line, read_row(path, std::stoul(line[1])), 6));
        missing.erase(number);
        ++checked;
    }
    CHECK(missing.empty());
    std::printf("real rows: %zu lines\n", checked);
}

#endif
