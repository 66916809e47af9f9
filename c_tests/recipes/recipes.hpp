// For each engine the calls that return its tokens. A recipe takes one line of a file, builds the engine's
// rule from the C header, and throws a Mismatch where anything that the line tells differs.
#ifndef S2_RECIPES_RECIPES_HPP
#define S2_RECIPES_RECIPES_HPP

#include <s2sampler.h>

#include "record.hpp"
#include "support/handles.hpp"

#include <initializer_list>
#include <string>
#include <vector>

void bark(const Record &line);
void cosyvoice3(const Record &line);
void fish_audio(const Record &line);
void greedy_decode(const Record &line);
void hf_sampler(const Record &line);
void hugging_face(const Record &line);
void koboldcpp(const Record &line);
void llama_cpp(const Record &line);
void qwentts(const Record &line);
void s2_first_generation(const Record &line);
void s2_loop(const Record &line);
void tts_cpp(const Record &line);
void whisper(const Record &line);
void zonos2(const Record &line);

// A status becomes a Mismatch.
inline std::int32_t ok(std::int32_t result) {
    if (result < 0) throw Mismatch(s2_status_string(result));
    return result;
}

// A chain without stages.
inline ChainHandle new_chain() { return own(s2_chain_new()); }

// Accepts what was fed to the engine before.
inline void accept(const ChainHandle &chain, const std::vector<std::int32_t> &tokens) {
    for (const std::int32_t token : tokens) ok(s2_chain_accept(chain.get(), token));
}

template <class Number>
void same(const std::string &what, Number got, Number want) {
    if (got != want) throw Mismatch(what + ": " + std::to_string(got) + ", not " + std::to_string(want));
}

template <class Number>
void same(const std::string &what, const std::vector<Number> &got, const std::vector<Number> &want) {
    same("number of " + what, got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) same(what + " " + std::to_string(i), got[i], want[i]);
}

// Probabilities and their logarithms, which may differ in the last bits.
void close(const std::string &what, double got, double want);

// The sum of the e of a row at a temperature: exact, and added up in binary32 in id order. An engine that does the
// latter returns probabilities that are wrong by one factor.
struct Sums {
    double exact = 0.0;
    float in_float = 0.0F;
    float largest_logit;
    Sums(const std::vector<float> &row, float t);
};

// Options of stage dist.
S2DistOptions dist_options(std::uint32_t seed, std::int32_t method, std::int32_t order);

// A draw from the row, without anything else.
S2ChainRequest request_for(const std::vector<float> &row);

// The result of the draw, whose token is one.
S2ChainResult sample(const ChainHandle &chain, const S2ChainRequest &request);

// Successive draws from the row, with these flags, give the tokens of the line.
void draw_all(const ChainHandle &chain, const Record &line, std::uint32_t flags);

// The candidates of a row.
std::vector<S2TokenData> candidates(const std::vector<float> &row);

// Applies the chain to the candidates, and leaves those that it keeps above -inf.
void apply(const ChainHandle &chain, std::vector<S2TokenData> &tokens);

inline std::int32_t length(const std::vector<float> &row) { return static_cast<std::int32_t>(row.size()); }

#endif
