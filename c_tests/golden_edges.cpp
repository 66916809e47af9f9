// Every case of edge_cases.json: tokens, their support, and the random words one draw uses.
// argv[1]: the directory tests/data.
#include <s2sampler.h>

#include "support/check.h"
#include "support/json.hpp"
#include "support/rows.hpp"
#include "support/stream.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

// Often enough that an id of probability 1/100 is missed less than once in 10^8 runs; the seeds are
// fixed, so what passes once passes always.
constexpr int kDraws = 2000;

// The rows that the file describes by a formula.
std::vector<float> formula_row(const std::string &formula) {
    std::vector<float> row;
    if (formula == "{0, -logf(3)}") {
        row = {0.0F, -std::log(3.0F)};
    } else if (formula == "v[i]=0.25f*i, n=16") {
        for (int i = 0; i < 16; ++i) row.push_back(0.25F * static_cast<float>(i));
    } else if (formula == "v[i]=((i*2731)%4096)*0.001953125f, n=4096") {
        for (int i = 0; i < 4096; ++i) {
            row.push_back(static_cast<float>((i * 2731) % 4096) * 0.001953125F);
        }
    } else {
        std::size_t hole = 0;
        CHECK_CASE(std::sscanf(formula.c_str(), "v[i]=((i*37)%%64)*0.1f, n=64, v[%zu]=NaN", &hole) == 1,
                   "unknown formula %s", formula.c_str());
        for (int i = 0; i < 64; ++i) row.push_back(static_cast<float>((i * 37) % 64) * 0.1F);
        row.at(hole) = kNan;
    }
    return row;
}

std::vector<float> read_row(const Json &json) {
    std::vector<float> row;
    if (json.kind == Json::Kind::array) {
        for (const Json &item : json.items) row.push_back(item.real());
    } else if (const Json *values = json.find("ln_of")) {
        for (const Json &item : values->items) row.push_back(std::log(item.real()));
    } else if (const Json *value = json.find("const")) {
        row.assign(static_cast<std::size_t>(json.at("n").integer()), value->real());
    } else if (const Json *fill = json.find("fill")) {
        row.assign(static_cast<std::size_t>(json.at("n").integer()), fill->real());
        for (const Json &pair : json.at("set").items) {
            row.at(static_cast<std::size_t>(pair.items.at(0).integer())) = pair.items.at(1).real();
        }
    } else {
        row = formula_row(json.at("expr").text);
    }
    return row;
}

std::set<std::int32_t> read_ids(const Json &json) {
    std::set<std::int32_t> ids;
    for (const Json &item : json.items) ids.insert(static_cast<std::int32_t>(item.integer()));
    return ids;
}

// Returns the number of things the case demanded.
int check_case(const Json &json) {
    const char *id = json.at("id").text.c_str();
    const std::vector<float> row = read_row(json.at("logits"));
    const SamplerParams params = {json.at("temperature").real(), json.at("top_p").real(),
                                  static_cast<std::int32_t>(json.at("top_k").integer())};
    const auto draw = [&] {
        return s2_sample_token(row.data(), static_cast<std::int32_t>(row.size()), &params);
    };
    int demands = 0;

    if (const Json *tokens = json.find("first_tokens")) {
        s2_seed_thread(static_cast<std::uint32_t>(json.at("seed").integer()));
        for (const Json &token : tokens->items) {
            const std::int32_t drawn = draw();
            CHECK_CASE(drawn == token.integer(), "%s: %d", id, drawn);
        }
        ++demands;
    }
    if (const Json *words = json.find("rng_words")) {
        s2_seed_thread(7);
        std::mt19937 mirror(7);
        CHECK_CASE(draw() >= 0, "%s", id);
        mirror.discard(static_cast<unsigned long long>(words->integer()));
        CHECK_CASE(stream_is_at(mirror), "%s: not %s words", id, words->text.c_str());
        ++demands;
    }

    s2_seed_thread(1234);
    std::set<std::int32_t> seen;
    for (int i = 0; i < kDraws; ++i) seen.insert(draw());
    if (const Json *always = json.find("always")) {
        CHECK_CASE(seen == std::set<std::int32_t>{static_cast<std::int32_t>(always->integer())}, "%s", id);
        ++demands;
    }
    if (const Json *support = json.find("support")) {
        CHECK_CASE(seen == read_ids(*support), "%s", id);
        ++demands;
    }
    if (const Json *never = json.find("never")) {
        for (std::int32_t banned : read_ids(*never)) CHECK_CASE(seen.count(banned) == 0, "%s", id);
        ++demands;
    }
    if (const Json *distinct = json.find("at_least_distinct")) {
        CHECK_CASE(static_cast<long>(seen.size()) >= distinct->integer(), "%s: %zu", id, seen.size());
        ++demands;
    }
    return demands;
}

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 2);
    std::ifstream file(std::string(argv[1]) + "/golden/edge_cases.json");
    CHECK(file.is_open());
    const std::string source((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const Json json = JsonReader::read(source);
    const std::vector<Json> &cases = json.at("cases").items;
    CHECK(!cases.empty());
    for (const Json &one : cases) {
        CHECK_CASE(check_case(one) > 0, "%s demands nothing", one.at("id").text.c_str());
    }
    std::printf("%zu cases\n", cases.size());
}
