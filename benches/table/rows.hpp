// The rows of the table, each with the name the results carry.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

constexpr std::size_t SPEECH = 155776; // a speech engine's vocabulary

// One shape in a few samples: a short row that is sorted over and over is learnt by heart by the branch
// predictor, which no engine's rows are.
struct Row {
    std::string name;
    std::vector<std::vector<float>> samples;

    size_t length() const { return samples.front().size(); }
};

// The made rows of each length that is asked of them.
std::vector<Row> made_rows();

// Rows that a full sort finds in order: rising, falling, and falling by equal steps.
std::vector<Row> sorted_rows();

// Normal rows of which a speech engine's mask leaves the last tokens.
std::vector<Row> masked_rows();

// The .f32 files of the directories, in the order of their names: whole, and of longer ones the first and the
// last values, as many as a speech engine's vocabulary. A file name that occurs in two directories counts once.
std::vector<Row> real_rows(const std::vector<std::string> & directories);
