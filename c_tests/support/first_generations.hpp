// The tokens that s2.cpp's first two generations returned: s2_gen0.tsv and s2_gen1.tsv.
#ifndef S2_TESTS_FIRST_GENERATIONS_HPP
#define S2_TESTS_FIRST_GENERATIONS_HPP

#include "golden.hpp"

// A line: a row, parameters, the id that is kept (-1: none), a seed, and the tokens of successive draws.
struct FirstLine {
    std::vector<float> row;
    SamplerParams params;
    std::int32_t keep_id;
    std::uint32_t seed;
    std::vector<std::int32_t> tokens;
};

inline std::vector<FirstLine> first_lines(const std::string &data, bool with_kept_id) {
    std::vector<FirstLine> lines;
    for (const Fields &line : read_table(data + (with_kept_id ? "/engines/s2_gen1.tsv" : "/engines/s2_gen0.tsv"))) {
        const std::size_t rest = with_kept_id ? 8 : 7;
        CHECK(line.size() == rest + 2);
        FirstLine read{family_row(line[0], std::stoul(line[1]), std::stof(line[2]), std::stoull(line[3])),
                       {std::stof(line[4]), std::stof(line[5]), std::stoi(line[6])},
                       with_kept_id ? std::stoi(line[7]) : -1,
                       static_cast<std::uint32_t>(std::stoul(line[rest])),
                       {}};
        std::istringstream tokens(line[rest + 1]);
        for (std::string token; std::getline(tokens, token, ',');) read.tokens.push_back(std::stoi(token));
        lines.push_back(read);
    }
    CHECK(lines.size() == 90);
    return lines;
}

#endif
