// Runs the engine over every recorded run of the original loop and compares all codes.
#include "include/s2_generate.h"

#include "../../examples/toy_model.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace s2 {
void seed_sampler(uint32_t seed); // of src/s2_sampler.cpp, or of src/s2_seed.cpp
}

namespace {

class ToyModel final : public s2::Model {
public:
    explicit ToyModel(const toy::ModelParams & params) : model_(params) {}
    void slow_logits(std::vector<float> & out) override { model_.slow_logits(out); }
    void fast_logits(const std::vector<int32_t> & codes, std::vector<float> & out) override {
        model_.fast_logits(codes, out);
    }
    void accept(int32_t main_token, const std::vector<int32_t> & codes) override {
        model_.accept(main_token, codes);
    }

private:
    toy::Model model_;
};

struct Run {
    toy::ModelParams model;
    s2::GenerateParams generate;
    uint32_t seed;
    std::vector<s2::Frame> expected;
};

// Hexadecimal floats are beyond operator>>.
float read_float(std::istream & in) {
    std::string text;
    in >> text;
    return std::strtof(text.c_str(), nullptr);
}

bool parse(const std::string & line, Run & run) {
    std::istringstream in(line);
    toy::ModelParams & m = run.model;
    s2::GenerateParams & g = run.generate;
    in >> m.vocab >> g.sem_begin >> g.sem_end >> g.im_end >> g.codebooks >> g.codebook_size >> m.seed;
    m.scale = read_float(in);
    m.hot = read_float(in);
    g.sampler.temperature = read_float(in);
    g.sampler.top_p = read_float(in);
    in >> g.sampler.top_k >> g.min_tokens_before_end >> m.stop_after >> g.max_new_tokens >> run.seed;
    m.sem_begin = g.sem_begin;
    m.im_end = g.im_end;
    m.codebook_size = g.codebook_size;

    // s2_loop.tsv has the number of second draws that gave the end token before the bar.
    std::string text;
    if (!(in >> text) || (text != "|" && (!(in >> text) || text != "|"))) {
        return false;
    }
    while (in >> text) {
        std::istringstream group(text);
        s2::Frame frame;
        while (std::getline(group, text, ',')) {
            frame.push_back(static_cast<int32_t>(std::strtol(text.c_str(), nullptr, 10)));
        }
        run.expected.push_back(frame);
    }
    return true;
}

}

int main(int argc, char ** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s engine_loop.tsv s2_loop.tsv\n", argv[0]);
        return 2;
    }
    // One table after the other.
    std::stringstream tables;
    for (int i = 1; i < argc; ++i) {
        std::ifstream file(argv[i]);
        tables << file.rdbuf();
        if (!file) {
            std::fprintf(stderr, "%s cannot be read\n", argv[i]);
            return 2;
        }
    }
    std::string line;
    int runs = 0;
    int failed = 0;
    while (std::getline(tables, line)) {
        if (line.empty() || line[0] == '#') {
            continue;
        }
        ++runs;
        Run run;
        if (!parse(line, run)) {
            std::printf("run %d: unreadable line\n", runs);
            ++failed;
            continue;
        }
        ToyModel model(run.model);
        s2::seed_sampler(run.seed);
        const std::vector<s2::Frame> got = s2::generate(model, run.generate);
        if (got == run.expected) {
            continue;
        }
        ++failed;
        size_t at = 0;
        while (at < got.size() && at < run.expected.size() && got[at] == run.expected[at]) {
            ++at;
        }
        std::printf("run %d: %zu frames of %zu, first difference in frame %zu\n", runs, got.size(),
                    run.expected.size(), at);
    }
    std::printf("%d runs, %d failed\n", runs, failed);
    return runs > 0 && failed == 0 ? 0 : 1;
}
