// A speech engine's loop, run with a plain full-sort sampler and with s2sampler, side by side.
//
// Every frame draws a main token from the allowed part of a row, redraws it if it repeats a recent one,
// and then draws one token for each further codebook. The plain sampler needs a masked copy and a window;
// s2sampler has a stream. Every token changes the model's state and thereby all later rows, so equal codes
// at the end mean that every draw was equal.

#include "toy_model.hpp"
#include "../c_tests/engine/include/s2_sampler.h"

#include <s2sampler.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace s2 {
void seed_sampler(uint32_t seed); // of the plain sampler
}

namespace {

constexpr float FORBIDDEN = -std::numeric_limits<float>::infinity();

// The shape of the S2 engine: vocabulary, semantic ids, end token, codebooks.
constexpr int32_t VOCAB = 155776;
constexpr int32_t SEM_BEGIN = 151678;
constexpr int32_t SEM_END = 155773;
constexpr int32_t IM_END = 151645;
constexpr int32_t CODEBOOKS = 10;
constexpr int32_t CODEBOOK_SIZE = 4096;

constexpr int32_t FRAMES = 64;
constexpr uint32_t SEED = 7;

// A run in which a second draw gives the end token. s2.cpp's loop goes on there, with code 0; a loop that stops
// has fewer frames.
constexpr uint32_t END_SEED = 1943325124;

using Row = std::vector<float>;
using Codes = std::vector<int32_t>;

// The number of draws and the time spent in the sampler alone.
struct Tally {
    int draws = 0;
    int redraws = 0;
    int end_redraws = 0;
    double seconds = 0.0;

    template <class Draw>
    int32_t timed(Draw draw) {
        const auto start = std::chrono::steady_clock::now();
        const int32_t token = draw();
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return token;
    }
};

// An engine without the library: a masked copy, a window and a redraw around its sampler.
class Plain {
public:
    explicit Plain(uint32_t seed) { s2::seed_sampler(seed); }

    // The main token; negative at the end.
    int32_t slow(const Row & logits, const s2sampler::Params & params) {
        Row row(logits.size(), FORBIDDEN);
        std::copy(logits.begin() + SEM_BEGIN, logits.begin() + SEM_END + 1, row.begin() + SEM_BEGIN);
        row[IM_END] = logits[IM_END];
        int32_t token = fast(row, params);
        if (token >= SEM_BEGIN && std::count(window_.begin(), window_.end(), token) > 0) {
            token = fast(row, {1.0f, 0.9f, params.top_k});
            ++tally.redraws;
            tally.end_redraws += token == IM_END;
        } else if (token == IM_END) {
            return -1;
        }
        window_.push_back(token);
        if (window_.size() > 10) {
            window_.pop_front();
        }
        return token;
    }

    int32_t code(int32_t token) const { return std::clamp(token - SEM_BEGIN, 0, CODEBOOK_SIZE - 1); }

    int32_t fast(const Row & row, const s2sampler::Params & params) {
        s2::SamplerParams same;
        same.temperature = params.temperature;
        same.top_p = params.top_p;
        same.top_k = params.top_k;
        ++tally.draws;
        return tally.timed(
            [&] { return s2::sample_token(row.data(), static_cast<int32_t>(row.size()), same); });
    }

    Tally tally;

private:
    std::deque<int32_t> window_;
};

// An engine with the library: the stream contains all of that.
class Library {
public:
    explicit Library(uint32_t seed) : stream_(s2sampler::Stream::with_seed(seed, config())) {}

    int32_t slow(const Row & logits, const s2sampler::Params & params) {
        const int32_t token = tally.timed([&] { return stream_.slow(logits, params, true).token(); });
        tally.redraws += stream_.redrawn();
        tally.end_redraws += stream_.redrawn() && token == IM_END;
        return stream_.ended() ? -1 : token;
    }

    int32_t code(int32_t token) const {
        return stream_.code(s2sampler::Result(token), CODEBOOK_SIZE).token();
    }

    int32_t fast(const Row & row, const s2sampler::Params & params) {
        return tally.timed([&] { return stream_.fast(row, params).token(); });
    }

    Tally tally;

private:
    // s2.cpp's loop: an end token of the second draw does not end it.
    static s2sampler::StreamConfig config() {
        s2sampler::StreamConfig config{SEM_BEGIN, SEM_END, IM_END};
        config.ras_end = s2sampler::RasEnd::continues;
        return config;
    }

    s2sampler::Stream stream_;
};

struct Result {
    std::vector<Codes> frames;
    Tally tally;

    double ms_per_frame() const {
        return frames.empty() ? 0.0 : 1e3 * tally.seconds / static_cast<double>(frames.size());
    }
};

// A main token and then the other codebooks, frame by frame.
template <class Sampler, class Model>
Result generate(Model model, const s2sampler::Params & params, uint32_t seed = SEED) {
    Result result;
    Row logits;
    Sampler sampler(seed);
    while (result.frames.size() < FRAMES) {
        model.slow_logits(logits);
        const int32_t token = sampler.slow(logits, params);
        if (token < 0) {
            break;
        }
        Codes codes = {sampler.code(token)};
        while (codes.size() < CODEBOOKS) {
            model.fast_logits(codes, logits);
            codes.push_back(sampler.fast(logits, params));
        }
        model.accept(token, codes);
        result.frames.push_back(codes);
    }
    result.tally = sampler.tally;
    return result;
}

// A text model's loop: one unmasked draw for each token.
template <class Sampler, class Model>
Result generate_text(Model model, const s2sampler::Params & params) {
    Result result;
    Row logits;
    Sampler sampler(SEED);
    while (result.frames.size() < FRAMES) {
        model.slow_logits(logits);
        const Codes codes = {sampler.fast(logits, params)};
        model.accept(codes[0], codes);
        result.frames.push_back(codes);
    }
    result.tally = sampler.tally;
    return result;
}

// A real model's row, with noise that depends on every token so far.
class RealRow {
public:
    explicit RealRow(Row row) : row_(std::move(row)) {}

    void slow_logits(Row & out) const { noisy(0, VOCAB, state_, out); }

    void fast_logits(const Codes & codes, Row & out) const {
        uint64_t state = state_;
        for (int32_t code : codes) {
            state = toy::mix(state, static_cast<uint64_t>(code) + 1);
        }
        // Each codebook looks at another part of the row.
        noisy(codes.size() * CODEBOOK_SIZE, CODEBOOK_SIZE, state, out);
    }

    void accept(int32_t main_token, const Codes & codes) {
        state_ = toy::mix(state_, static_cast<uint64_t>(main_token));
        for (int32_t code : codes) {
            state_ = toy::mix(state_, static_cast<uint64_t>(code));
        }
    }

private:
    void noisy(size_t from, size_t count, uint64_t state, Row & out) const {
        out.resize(count);
        for (size_t i = 0; i < count; ++i) {
            out[i] = row_[from + i] + toy::bell_value(state, 0x1p-20f);
        }
    }

    Row row_;
    uint64_t state_ = 1;
};

// Little-endian binary32 values; empty if there are fewer than a row needs.
Row read_row(const char * path) {
    std::ifstream file(path, std::ios::binary);
    Row row(VOCAB);
    for (float & value : row) {
        unsigned char bytes[4];
        if (!file.read(reinterpret_cast<char *>(bytes), sizeof bytes)) {
            return {};
        }
        const uint32_t bits = bytes[0] | static_cast<uint32_t>(bytes[1]) << 8 |
                              static_cast<uint32_t>(bytes[2]) << 16 |
                              static_cast<uint32_t>(bytes[3]) << 24;
        std::memcpy(&value, &bits, sizeof value);
    }
    return row;
}

bool report(const char * name, const Result & plain, const Result & library) {
    const bool equal = plain.frames == library.frames && plain.tally.redraws == library.tally.redraws &&
                       plain.tally.end_redraws == library.tally.end_redraws;
    std::printf("%-22s %7zu %7d %8d %12s %14.3f %12.3f %8.0fx\n", name, library.frames.size(),
                plain.tally.draws, plain.tally.redraws, equal ? "yes" : "NO", plain.ms_per_frame(),
                library.ms_per_frame(), plain.tally.seconds / library.tally.seconds);
    return equal;
}

}

int main(int argc, char ** argv) {
    const Row row = argc == 2 ? read_row(argv[1]) : Row();
    if (row.empty()) {
        std::fprintf(stderr, "usage: %s FILE, with at least %d binary32 logits in it\n", argv[0], VOCAB);
        return 2;
    }
    const s2sampler::Params params;
    const toy::Model toy_model({VOCAB, SEM_BEGIN, IM_END, CODEBOOK_SIZE, 3, 0x1p-20f, 3.0f, FRAMES});
    const RealRow real(row);

    std::printf("\ns2sampler %s beside a plain full-sort sampler\n", s2_version());
    std::printf("%d logits a row, temperature %g, top_p %g, top_k %d, seed %u; where the end token is drawn\n"
                "again, temperature 1, top_p 0.9 and a seed for which that happens\n\n", VOCAB,
                static_cast<double>(params.temperature), static_cast<double>(params.top_p),
                params.top_k, SEED);
    std::printf("%-22s %7s %7s %8s %12s %14s %12s %9s\n", "", "", "", "", "codes", "full sort",
                "s2sampler", "");
    std::printf("%-22s %7s %7s %8s %12s %14s %12s %9s\n", "run", "frames", "draws", "redraws",
                "equal", "ms/frame", "ms/frame", "ratio");
    std::printf("%s\n", std::string(98, '-').c_str());

    bool equal = report("speech, toy model", generate<Plain>(toy_model, params),
                        generate<Library>(toy_model, params));
    const s2sampler::Params end_params{1.0f, 0.9f, 30};
    const toy::Model end_model({VOCAB, SEM_BEGIN, IM_END, CODEBOOK_SIZE, 3055442754018861009u, 0x1p-20f, 29.5f, 4});
    const Result end_run = generate<Plain>(end_model, end_params, END_SEED);
    equal &= report("speech, end redrawn", end_run, generate<Library>(end_model, end_params, END_SEED));
    if (end_run.tally.end_redraws == 0) {
        std::printf("no second draw gave the end token\n");
        return 1;
    }
    equal &= report("speech, a real row", generate<Plain>(real, params),
                    generate<Library>(real, params));
    equal &= report("text, the row unmasked", generate_text<Plain>(real, params),
                    generate_text<Library>(real, params));
    std::printf("\nms/frame is the time inside the sampler; %s\n",
                equal ? "every token was equal." : "THE TOKENS DIFFER.");
    return equal ? 0 : 1;
}
