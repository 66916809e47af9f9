// The runs of engine_loop.tsv and of s2_loop.tsv: a toy model, how to run it, and the codes of every frame.
#ifndef S2_TESTS_ENGINE_HPP
#define S2_TESTS_ENGINE_HPP

#include "golden.hpp"

#include "../../examples/toy_model.hpp"

using Codes = std::vector<std::int32_t>;

struct EngineRun {
    toy::ModelParams model{};
    std::int32_t semantic_last = 0;
    std::int32_t codebooks = 0;
    SamplerParams params{};
    std::int32_t least_frames = 0;  // before the end is allowed
    std::int32_t most_frames = 0;
    std::uint32_t seed = 0;
    std::int32_t end_redraws = -1;  // second draws that gave the end token; -1: the table has no such column
    std::vector<Codes> frames;

    explicit EngineRun(const Fields &line) {
        const std::size_t bar = line.size() > 17 && line[16] != "|" ? 17 : 16;
        CHECK(line.size() > bar + 1 && line[bar] == "|");
        const auto integer = [&line](std::size_t i) { return std::stoi(line[i]); };
        model = {integer(0),           integer(1),         integer(3),         integer(5),
                 std::stoull(line[6]), std::stof(line[7]), std::stof(line[8]), integer(13)};
        semantic_last = integer(2);
        codebooks = integer(4);
        params = {std::stof(line[9]), std::stof(line[10]), integer(11)};
        least_frames = integer(12);
        most_frames = integer(14);
        seed = static_cast<std::uint32_t>(std::stoul(line[15]));
        if (bar == 17) end_redraws = integer(16);
        for (std::size_t i = bar + 1; i < line.size(); ++i) {
            std::istringstream frame(line[i]);
            Codes codes;
            for (std::string code; std::getline(frame, code, ',');) codes.push_back(std::stoi(code));
            frames.push_back(codes);
        }
    }
};

inline std::vector<EngineRun> engine_runs(const std::string &data) {
    const auto table = read_table(data + "/golden/engine_loop.tsv");
    CHECK(table.size() == 12);
    return std::vector<EngineRun>(table.begin(), table.end());
}

// The runs of s2.cpp's own loop, which goes on where a second draw gives the end token.
inline std::vector<EngineRun> s2_loop_runs(const std::string &data) {
    const auto table = read_table(data + "/engines/s2_loop.tsv");
    CHECK(table.size() == 60);
    return std::vector<EngineRun>(table.begin(), table.end());
}

// The loop of an engine. `slow` gives the main token of a row, or a negative number to stop; `code` its
// code; `fast` the code of a codebook's row.
template <class Slow, class Code, class Fast>
std::vector<Codes> run_engine(const EngineRun &run, Slow slow, Code code, Fast fast) {
    toy::Model model(run.model);
    std::vector<Codes> frames;
    std::vector<float> row;
    for (std::int32_t frame = 0; frame < run.most_frames; ++frame) {
        model.slow_logits(row);
        const std::int32_t token = slow(row, frame >= run.least_frames);
        if (token < 0) break;
        Codes codes = {code(token)};
        while (codes.size() < static_cast<std::size_t>(run.codebooks)) {
            model.fast_logits(codes, row);
            codes.push_back(fast(row));
        }
        model.accept(token, codes);
        frames.push_back(codes);
    }
    return frames;
}

#endif
