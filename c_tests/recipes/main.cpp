// usage: s2_recipes [--altered] FILE|DIR...
//
// Runs the recipe of each file, by the file's name, over its lines. Prints a line for each file: its name, how
// many of its lines hold, of how many. The status is 0 if all do. In a folder only README.md is left out.
//
// --altered changes a digit of what the engine returned in each line; then none may hold.
#include "recipes.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>

namespace {

namespace fs = std::filesystem;

using Check = void (*)(const Record &);

const std::map<std::string, Check> kRecipes = {
    {"bark", bark},
    {"cosyvoice3", cosyvoice3},
    {"fish_audio", fish_audio},
    {"greedy_decode", greedy_decode},
    {"hfsampler", hf_sampler},
    {"huggingface", hugging_face},
    {"koboldcpp", koboldcpp},
    {"llamacpp", llama_cpp},
    {"qwentts", qwentts},
    {"s2_gen0", s2_first_generation},
    {"s2_gen1", s2_first_generation},
    {"s2_loop", s2_loop},
    {"ttscpp", tts_cpp},
    {"whisper", whisper},
    {"zonos2", zonos2},
};

// What is wrong with a file as a whole.
struct BadFile : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::vector<fs::path> files_of(const fs::path &path) {
    if (!fs::is_directory(path)) return {path};
    std::vector<fs::path> files;
    for (const auto &entry : fs::directory_iterator(path)) {
        if (entry.path().filename() != "README.md") files.push_back(entry.path());
    }
    if (files.empty()) throw BadFile(path.string() + ": no files");
    std::sort(files.begin(), files.end());
    return files;
}

// Whether every line of the file holds; with `altered`, whether none does.
bool run(const fs::path &path, bool altered) {
    const std::string name = path.stem().string();
    const auto recipe = kRecipes.find(name);
    if (recipe == kRecipes.end()) throw BadFile(path.string() + ": no recipe of this name");
    std::ifstream file(path);
    std::string header;
    if (!std::getline(file, header)) throw BadFile(path.string() + ": not readable, or empty");
    int lines = 0;
    int held = 0;
    for (std::string line; std::getline(file, line);) {
        ++lines;
        try {
            Record record(header, line);
            if (altered) record.alter();
            recipe->second(record);
            ++held;
            if (altered) std::printf("%s:%d: holds\n", path.string().c_str(), lines + 1);
        } catch (const Mismatch &what) {
            if (!altered) std::printf("%s:%d: %s\n", path.string().c_str(), lines + 1, what.what());
        }
    }
    if (lines == 0) throw BadFile(path.string() + ": no lines");
    std::printf("C     %-14s %3d of %3d\n", name.c_str(), held, lines);
    return held == (altered ? 0 : lines);
}

}  // namespace

int main(int argc, char **argv) {
    const bool altered = argc > 1 && std::string(argv[1]) == "--altered";
    const int first = altered ? 2 : 1;
    bool all = argc > first;
    if (!all) std::fputs("usage: s2_recipes [--altered] FILE|DIR...\n", stderr);
    // A file that is wrong as a whole does not hide the others.
    const auto held = [](auto check) {
        try {
            return check();
        } catch (const std::exception &what) {
            std::printf("%s\n", what.what());
            return false;
        }
    };
    std::vector<fs::path> files;
    for (int i = first; i < argc; ++i) {
        const bool found = held([&] {
            const std::vector<fs::path> here = files_of(argv[i]);
            files.insert(files.end(), here.begin(), here.end());
            return true;
        });
        all = found && all;
    }
    for (const fs::path &file : files) all = held([&] { return run(file, altered); }) && all;
    return all ? 0 : 1;
}
