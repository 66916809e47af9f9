// Every line of sampler.tsv, sampler_tied.tsv and, for the rows in the repository, real_rows.tsv.
// argv[1]: the directory tests/data.
#include <s2sampler.h>

#include "support/check.h"
#include "support/rows.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

// The fields of each line that is not a comment.
std::vector<std::vector<std::string>> read_table(const std::string &path) {
    std::ifstream file(path);
    CHECK_CASE(file.is_open(), "%s", path.c_str());
    std::vector<std::vector<std::string>> table;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields(line);
        table.emplace_back(std::istream_iterator<std::string>(fields),
                           std::istream_iterator<std::string>());
    }
    return table;
}

// Draws as often as the line has tokens from `first` on; the four fields before are the parameters
// and the generator's seed.
void check_tokens(const std::vector<float> &row, const std::vector<std::string> &line,
                  std::size_t first) {
    CHECK(line.size() > first);
    const SamplerParams params = {std::stof(line[first - 4]), std::stof(line[first - 3]),
                                  std::stoi(line[first - 2])};
    s2_seed_thread(static_cast<std::uint32_t>(std::stoul(line[first - 1])));
    for (std::size_t i = first; i < line.size(); ++i) {
        const std::int32_t token =
            s2_sample_token(row.data(), static_cast<std::int32_t>(row.size()), &params);
        CHECK_CASE(token == std::stoi(line[i]), "%s n=%zu seed %s: draw %zu gave %d, not %s",
                   line[0].c_str(), row.size(), line[first - 1].c_str(), i - first, token,
                   line[i].c_str());
    }
}

std::size_t check_families(const std::string &path) {
    const auto table = read_table(path);
    for (const auto &line : table) {
        CHECK(line.size() > 8);
        check_tokens(family_row(line[0], std::stoul(line[1]), std::stof(line[2]), std::stoull(line[3])),
                     line, 8);
    }
    return table.size();
}

std::vector<float> read_row(const std::string &path, std::size_t n) {
    std::vector<float> row(n);
    std::ifstream file(path, std::ios::binary);
    const auto bytes = static_cast<std::streamsize>(n * sizeof(float));
    file.read(reinterpret_cast<char *>(row.data()), bytes);
    CHECK_CASE(file.gcount() == bytes, "%s is too short", path.c_str());
    return row;
}

// The table has rows that are too large for the repository; those that are here must all be used.
void check_real_rows(const std::string &data) {
    std::set<std::string> missing = {"18", "27"};
    std::size_t checked = 0;
    for (const auto &line : read_table(data + "/golden/real_rows.tsv")) {
        CHECK(line.size() > 6);
        const std::string number = line[0].size() < 2 ? "0" + line[0] : line[0];
        const std::string path = data + "/logits/row" + number + ".f32";
        if (!std::ifstream(path).is_open()) continue;
        check_tokens(read_row(path, std::stoul(line[1])), line, 6);
        missing.erase(number);
        ++checked;
    }
    CHECK(missing.empty());
    std::printf("real rows: %zu lines\n", checked);
}

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 2);
    const std::string data = argv[1];
    const std::size_t plain = check_families(data + "/golden/sampler.tsv");
    const std::size_t ties = check_families(data + "/golden/sampler_tied.tsv");
    CHECK(plain > 0 && ties > 0);
    std::printf("families: %zu lines, %zu with ties\n", plain, ties);
    check_real_rows(data);
}
