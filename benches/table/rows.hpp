// The rows of the table, each with the name the results carry.
#pragma once

#include <string>
#include <vector>

// One shape in a few samples: a short row that is sorted over and over is learnt by heart by the branch
// predictor, which no engine's rows are.
struct Row {
    std::string name;
    std::vector<std::vector<float>> samples;

    size_t length() const { return samples.front().size(); }
};

// The made rows of each length that is asked of them.
std::vector<Row> made_rows();

// The .f32 files of the directories, in the order of their names, whole and (longer ones) cut to the
// length of the made rows; a file name that occurs in two directories counts once.
std::vector<Row> real_rows(const std::vector<std::string> & directories);
