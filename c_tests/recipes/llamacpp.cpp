// llama.cpp: chains of its samplers, eight draws of each.
#include "recipes.hpp"

#include <algorithm>
#include <cmath>
#include <list>

namespace {

// From this length on a row's binary32 sums lose so much of the tail that they cut elsewhere.
constexpr std::int32_t kLong = 10000;

// llama.cpp's top_p with its binary32 sums, where those of stage top_p are double: a stage of the caller's own.
struct FloatTopP {
    float p;
    std::size_t min_keep;
};

bool ranks_before(const S2TokenData &a, const S2TokenData &b) {
    return a.logit > b.logit || (!(a.logit < b.logit) && a.id < b.id);
}

extern "C" std::int32_t apply_float_top_p(void *user, S2TokenDataArray *array) {
    const FloatTopP &top_p = *static_cast<const FloatTopP *>(user);
    if (top_p.p >= 1.0F) return 0;
    S2TokenData *const end = array->data + array->size;
    const float m = std::min_element(array->data, end, ranks_before)->logit;
    // The sum in the order of the list, then the sort.
    float sum = 0.0F;
    for (const S2TokenData *token = array->data; token != end; ++token) sum += std::exp(token->logit - m);
    std::sort(array->data, end, ranks_before);
    float running = 0.0F;
    std::size_t kept = 0;
    while (kept < array->size && (kept < top_p.min_keep || running < top_p.p)) {
        running += std::exp(array->data[kept].logit - m) / sum;
        ++kept;
    }
    array->size = kept;
    array->sorted = true;
    return 0;
}

std::int32_t add_float_top_p(S2Chain *chain, FloatTopP *top_p) {
    S2CustomStage stage;
    s2_custom_stage_init(&stage);
    stage.name = "float_top_p";
    stage.apply = apply_float_top_p;
    stage.user = top_p;
    return s2_chain_add_custom(chain, &stage);
}

// The parameters of a stage in text, by their places.
class Parameters {
public:
    explicit Parameters(const std::string &text) : texts_(split(text, ',')) {}
    float value(std::size_t place) const { return std::stof(at(place)); }
    std::int32_t number(std::size_t place) const { return static_cast<std::int32_t>(integer(at(place))); }
    std::size_t count(std::size_t place) const { return static_cast<std::size_t>(natural(at(place))); }
    std::uint32_t seed(std::size_t place) const { return static_cast<std::uint32_t>(natural(at(place))); }

private:
    const std::string &at(std::size_t place) const {
        if (place >= texts_.size()) throw Mismatch("too few parameters");
        return texts_[place];
    }
    std::vector<std::string> texts_;
};

// Adds a stage from its text; parameters have the order of llama.cpp's constructors. Stages of the caller's own for a
// row of `n` are kept in `own`.
std::int32_t add(S2Chain *chain, const std::string &text, std::int32_t n, std::list<FloatTopP> &own) {
    const std::size_t open = text.find('(');
    if (open == std::string::npos || text.back() != ')') throw Mismatch("no parameters");
    const std::string name = text.substr(0, open);
    const std::string inside = text.substr(open + 1, text.size() - open - 2);
    const Parameters a(inside);
    if (name == "logit_bias") {
        const S2LogitBias bias{a.number(0), a.value(1)};
        return s2_chain_add_logit_bias(chain, &bias, 1);
    }
    if (name == "penalties") return s2_chain_add_penalties(chain, a.number(0), a.value(1), a.value(2), a.value(3));
    if (name == "temp") return s2_chain_add_temperature(chain, a.value(0));
    if (name == "temp_ext") return s2_chain_add_temperature_ext(chain, a.value(0), a.value(1), a.value(2));
    if (name == "top_k") return s2_chain_add_top_k(chain, a.number(0));
    if (name == "top_p" && n > kLong) {
        own.push_back({a.value(0), a.count(1)});
        return add_float_top_p(chain, &own.back());
    }
    if (name == "top_p") return s2_chain_add_top_p(chain, a.value(0), a.count(1));
    if (name == "min_p") return s2_chain_add_min_p(chain, a.value(0), a.count(1));
    if (name == "typical") return s2_chain_add_typical(chain, a.value(0), a.count(1));
    if (name == "top_n_sigma") return s2_chain_add_top_n_sigma(chain, a.value(0));
    if (name == "xtc") return s2_chain_add_xtc(chain, a.value(0), a.value(1), a.count(2), a.seed(3));
    if (name == "mirostat_v2") return s2_chain_add_mirostat_v2(chain, a.seed(0), a.value(1), a.value(2));
    if (name == "mirostat") return s2_chain_add_mirostat(chain, a.seed(0), a.value(1), a.value(2), a.number(3));
    if (name == "adaptive_p") return s2_chain_add_adaptive_p(chain, a.value(0), a.value(1), a.seed(2));
    if (name == "dist") return s2_chain_add_dist(chain, a.seed(0));
    if (name == "greedy") return s2_chain_add_greedy(chain);
    throw Mismatch("no stage " + name);
}

// The number of candidates above -inf after each stage. llama.cpp leaves tokens at -inf in its list.
std::vector<std::int32_t> left_by_each(const ChainHandle &chain, const std::vector<float> &row) {
    std::vector<std::int32_t> counts;
    const std::int32_t stages = ok(s2_chain_count(chain.get()));
    for (std::int32_t kept = 1; kept <= stages; ++kept) {
        const ChainHandle first = own(s2_chain_clone(chain.get()));
        for (std::int32_t index = stages; --index >= kept;) ok(s2_chain_remove(first.get(), index));
        std::vector<S2TokenData> tokens = candidates(row);
        apply(first, tokens);
        counts.push_back(static_cast<std::int32_t>(tokens.size()));
    }
    return counts;
}

}  // namespace

// The same stages in the same order, seeds included; on long rows top_p is a stage of the caller's own.
void llama_cpp(const Record &line) {
    const std::vector<float> row = line.row();
    std::list<FloatTopP> own_stages;
    const ChainHandle chain = new_chain();
    for (const std::string &text : split(line.text("chain"), ' ')) {
        ok(add(chain.get(), text, length(row), own_stages));
    }
    const std::vector<std::int32_t> tokens = line.numbers("tokens");
    const std::vector<std::string> lists = split(line.text("candidates"), '|');
    same("draws", lists.size(), tokens.size());
    for (std::size_t draw = 0; draw < tokens.size(); ++draw) {
        std::vector<std::int32_t> sizes;
        for (const std::string &size : split(lists[draw], ':')) {
            sizes.push_back(static_cast<std::int32_t>(integer(size.substr(size.find('/') + 1))));
        }
        const std::string of = "draw " + std::to_string(draw + 1) + ", ";
        same(of + "candidates of stage", left_by_each(chain, row), sizes);
        same(of + "token", ok(s2_chain_sample(chain.get(), row.data(), length(row))), tokens[draw]);
    }
}
