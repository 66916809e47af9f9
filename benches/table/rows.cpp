// Rows with a shape, and rows of a real model.
#include "rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>

namespace {

constexpr size_t ALLOWED = 4097; // the tokens that a speech engine's mask leaves

std::vector<float> normal(size_t n, uint64_t seed = 1, float deviation = 3.0f) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> logit(0.0f, deviation);
    std::vector<float> row(n);
    std::generate(row.begin(), row.end(), [&] { return logit(random); });
    return row;
}

std::vector<float> each(size_t n, const std::function<float(size_t, std::mt19937_64 &)> & logit) {
    std::mt19937_64 random(n);
    std::vector<float> row(n);
    for (size_t i = 0; i < n; ++i) {
        row[i] = logit(i, random);
    }
    return row;
}

// Little-endian binary32, whatever this machine is.
std::vector<float> read(const std::filesystem::path & path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    if (bytes.empty() || bytes.size() % 4 != 0) {
        throw std::runtime_error(path.string() + ": not a row of binary32 values");
    }
    std::vector<float> row(bytes.size() / 4);
    for (size_t i = 0; i < row.size(); ++i) {
        uint32_t bits = 0;
        for (size_t j = 4; j-- > 0;) {
            bits = bits << 8 | static_cast<unsigned char>(bytes[4 * i + j]);
        }
        std::memcpy(&row[i], &bits, sizeof bits);
    }
    return row;
}

}

std::vector<Row> made_rows() {
    std::vector<Row> rows;
    for (size_t n : {size_t{1024}, size_t{4096}, size_t{32000}, size_t{131072}, SPEECH, size_t{262144}}) {
        Row row = {"normal", {}};
        const uint64_t samples = n <= 4096 ? 16 : n <= 32000 ? 4 : 1; // as many as stay in cache
        for (uint64_t seed = 1; seed <= samples; ++seed) {
            row.samples.push_back(normal(n, seed));
        }
        rows.push_back(std::move(row));
    }
    const auto flat = [](size_t, std::mt19937_64 & random) {
        return std::uniform_real_distribution<float>(5.0f, 5.01f)(random);
    };
    const auto sawtooth = [](size_t i, std::mt19937_64 &) {
        return static_cast<float>(i % 37) * 0.25f;
    };
    const auto two_level = [](size_t, std::mt19937_64 & random) {
        return random() % 4 == 0 ? 3.0f : 0.0f;
    };
    const auto equal = [](size_t, std::mt19937_64 &) { return 1.5f; };
    rows.push_back({"deviation 0.5", {normal(SPEECH, 1, 0.5f)}});
    rows.push_back({"deviation 1", {normal(SPEECH, 1, 1.0f)}});
    rows.push_back({"deviation 2", {normal(SPEECH, 1, 2.0f)}});
    rows.push_back(masked_rows().front());
    rows.push_back({"flat", {each(SPEECH, flat)}});
    rows.push_back({"sawtooth", {each(SPEECH, sawtooth)}});
    rows.push_back({"two-level", {each(SPEECH, two_level)}});
    rows.push_back({"all-equal", {each(SPEECH, equal)}});
    return rows;
}

std::vector<Row> sorted_rows() {
    std::vector<float> ascending = normal(SPEECH);
    std::sort(ascending.begin(), ascending.end());
    const auto ramp = [](size_t i, std::mt19937_64 &) {
        return -20.0f * static_cast<float>(i) / static_cast<float>(SPEECH);
    };
    return {
        {"ascending", {ascending}},
        {"descending", {{ascending.rbegin(), ascending.rend()}}},
        {"ramp", {each(SPEECH, ramp)}},
    };
}

std::vector<Row> masked_rows() {
    std::vector<Row> rows;
    for (uint64_t seed = 1; seed <= 16; ++seed) {
        std::vector<float> row = normal(SPEECH, seed);
        std::fill(row.begin(), row.end() - ALLOWED, -std::numeric_limits<float>::infinity());
        rows.push_back({"masked " + std::to_string(seed), {std::move(row)}});
    }
    return rows;
}

std::vector<Row> real_rows(const std::vector<std::string> & directories) {
    std::map<std::string, std::filesystem::path> files;
    for (const std::string & directory : directories) {
        for (const auto & entry : std::filesystem::directory_iterator(directory)) {
            if (entry.path().extension() == ".f32") {
                files.emplace(entry.path().stem().string(), entry.path());
            }
        }
    }
    std::vector<Row> rows;
    for (const auto & [name, path] : files) {
        std::vector<float> row = read(path);
        if (row.size() > SPEECH) {
            rows.push_back({"real:" + name + " begin", {{row.begin(), row.begin() + SPEECH}}});
            rows.push_back({"real:" + name + " end", {{row.end() - SPEECH, row.end()}}});
        }
        rows.push_back({"real:" + name, {std::move(row)}});
    }
    return rows;
}
