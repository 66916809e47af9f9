// What calls cost as their input grows: the workloads of scripts/costs.py.
//
// Every cost has a size that its caller can choose, and is counted at two sizes. The program prints a line for
// each: its number, name, order, what it is, unit, the two sizes. Callgrind's profiles carry the name and the size.
// argv: which part of the costs, of how many parts.
#include <s2sampler.h>

#include "support/check.h"
#include "support/rows.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <valgrind/callgrind.h>
#include <vector>

namespace {

using Tokens = std::vector<std::int32_t>;
using Row = std::vector<float>;
using Call = std::function<void()>;
using Chain = std::shared_ptr<S2Chain>;

constexpr float kThree = 3.0F * 0x1p-20F;
constexpr std::uint64_t kSeed = 20240229;

std::int32_t length(std::size_t size) { return static_cast<std::int32_t>(size); }

// ---- The inputs

Row falling(std::size_t n) {
    Row row(n);
    for (std::size_t i = 0; i < n; ++i) {
        row[i] = -12.0F * static_cast<float>(i) / static_cast<float>(n);
    }
    return row;
}

// A bell, equal logits, a falling ramp and logits half of which are masked: where selection by threshold is
// easy, useless, not needed, and done for.
std::vector<Row> shapes(std::size_t n) {
    return {bell(n, kThree, kSeed), Row(n, 1.0F), falling(n), masked(n, kThree, kSeed)};
}

Tokens random_tokens(std::size_t count, std::size_t below) {
    SplitMix64 rng(kSeed);
    Tokens tokens(count);
    for (std::int32_t &token : tokens) {
        token = static_cast<std::int32_t>(rng.below(below));
    }
    return tokens;
}

std::vector<S2TokenRange> every_other(std::size_t count) {
    std::vector<S2TokenRange> ranges(count);
    for (std::size_t i = 0; i < count; ++i) {
        ranges[i] = {length(2 * i), length(2 * i)};
    }
    return ranges;
}

template <class T>
std::vector<T> shuffled(std::vector<T> items) {
    SplitMix64 rng(kSeed);
    for (std::size_t i = items.size(); i > 1; --i) {
        std::swap(items[i - 1], items[rng.below(i)]);
    }
    return items;
}

// ---- Chains

using Add = std::function<std::int32_t(S2Chain *)>;

Chain chain_of(const std::vector<Add> &stages) {
    Chain chain(s2_chain_new(), s2_chain_free);
    CHECK(chain != nullptr);
    for (const Add &add : stages) {
        CHECK(add(chain.get()) >= 0);
    }
    return chain;
}

void accept(const Chain &chain, const Tokens &tokens) {
    for (const std::int32_t token : tokens) {
        CHECK(s2_chain_accept(chain.get(), token) == 0);
    }
}

Call sample(const Chain &chain, const Row &row) {
    return [chain, row] { CHECK(s2_chain_sample(chain.get(), row.data(), length(row.size())) >= 0); };
}

Call apply_to_array(const Chain &chain, const Row &row) {
    std::vector<S2TokenData> tokens(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
        tokens[i] = {length(i), row[i], 0.0F};
    }
    auto work = std::make_shared<std::vector<S2TokenData>>(tokens);
    return [chain, tokens, work] {
        std::copy(tokens.begin(), tokens.end(), work->begin());
        S2TokenDataArray array = {work->data(), work->size(), -1, false};
        CHECK(s2_chain_apply(chain.get(), &array) == 0);
    };
}

// A draw that weighs every candidate: inversion weighs all only if its random number falls where sums decide too little.
Add dist() {
    return [](S2Chain *c) {
        S2DistOptions options;
        s2_dist_options_init(&options);
        options.seed = 1;
        options.method = S2_DIST_DISCRETE;
        return s2_chain_add_dist_ex(c, &options);
    };
}

Add penalties(std::int32_t last_n) {
    return [=](S2Chain *c) { return s2_chain_add_penalties(c, last_n, 1.1F, 0.1F, 0.1F); };
}

Add biases(std::size_t count, float bias) {
    return [=](S2Chain *c) {
        std::vector<S2LogitBias> list(count);
        for (std::size_t i = 0; i < count; ++i) {
            list[i] = {length(i), bias};
        }
        return s2_chain_add_logit_bias(c, list.data(), length(count));
    };
}

Add dry(const std::vector<Tokens> &breakers) {
    Tokens tokens;
    Tokens lengths;
    for (const Tokens &breaker : breakers) {
        tokens.insert(tokens.end(), breaker.begin(), breaker.end());
        lengths.push_back(length(breaker.size()));
    }
    return [=](S2Chain *c) {
        return s2_chain_add_dry(c, 0.8F, 1.75F, 2, -1, tokens.data(), lengths.data(), length(lengths.size()));
    };
}

// `count` breakers that begin with `shared` times the token 5; then come 1000, 1001 and so on.
std::vector<Tokens> breakers_after(std::size_t shared, std::size_t count) {
    std::vector<Tokens> breakers;
    for (std::size_t i = 0; i < count; ++i) {
        breakers.emplace_back(shared, 5);
        breakers.back().push_back(length(1000 + i));
    }
    return breakers;
}

struct Named {
    std::string name;
    std::string order;
    std::string what;
    Add add;
};

// Every kind of stage, where it has parameters with those that cost the most.
std::vector<Named> stages(std::size_t n) {
    const auto k = length(n / 2);
    const SamplerParams all = {0.8F, 1.0F, 0};
    return {
        {"logit_bias", "n", "one bias", biases(1, 1.0F)},
        {"penalties", "n", "64 tokens of history", penalties(64)},
        {"dry", "n", "64 tokens of history", dry({})},
        {"temperature", "n", "0.7", [](S2Chain *c) { return s2_chain_add_temperature(c, 0.7F); }},
        {"temperature_ext", "n log n", "sums over the row",
         [](S2Chain *c) { return s2_chain_add_temperature_ext(c, 1.0F, 0.5F, 1.0F); }},
        {"top_k", "n + k log k", "k = n / 2", [k](S2Chain *c) { return s2_chain_add_top_k(c, k); }},
        {"top_p", "n log n", "0.999", [](S2Chain *c) { return s2_chain_add_top_p(c, 0.999F, 1); }},
        {"min_p", "n", "1e-30", [](S2Chain *c) { return s2_chain_add_min_p(c, 1e-30F, 1); }},
        {"typical", "n log n", "0.9; sums over the row, sorts what it keeps",
         [](S2Chain *c) { return s2_chain_add_typical(c, 0.9F, 1); }},
        {"epsilon_cutoff", "n log n", "1e-9; ranks what it keeps",
         [](S2Chain *c) { return s2_chain_add_epsilon_cutoff(c, 1e-9F, 1); }},
        {"top_n_sigma", "n", "3", [](S2Chain *c) { return s2_chain_add_top_n_sigma(c, 3.0F); }},
        {"xtc", "n log n", "probability 1; ranks what it drops",
         [](S2Chain *c) { return s2_chain_add_xtc(c, 1.0F, 1e-6F, 1, 1); }},
        {"mirostat_v2", "n log n", "ranks what it keeps",
         [](S2Chain *c) { return s2_chain_add_mirostat_v2(c, 1, 5.0F, 0.1F); }},
        {"mirostat", "n log n", "ranks what it keeps",
         [](S2Chain *c) { return s2_chain_add_mirostat(c, 1, 5.0F, 0.1F, 100); }},
        {"adaptive_p", "n", "target 0.3", [](S2Chain *c) { return s2_chain_add_adaptive_p(c, 0.3F, 0.9F, 1); }},
        {"scale", "n", "1.25", [](S2Chain *c) { return s2_chain_add_scale(c, 1.25F); }},
        {"smoothing", "n", "0.1", [](S2Chain *c) { return s2_chain_add_smoothing(c, 0.1F, 1.0F); }},
        {"top_k_ties", "n + k log k", "k = n / 2", [k](S2Chain *c) { return s2_chain_add_top_k_ties(c, k); }},
        {"top_p_exclusive", "n log n", "0.999; ranks what it keeps",
         [](S2Chain *c) { return s2_chain_add_top_p_exclusive(c, 0.999F); }},
        {"top_a", "n log n", "1e-9; ranks what it keeps", [](S2Chain *c) { return s2_chain_add_top_a(c, 1e-9F, 1); }},
        {"eta_cutoff", "n log n", "1e-9; sums over the row, ranks what it keeps",
         [](S2Chain *c) { return s2_chain_add_eta_cutoff(c, 1e-9F, 1); }},
        {"xtc_protected", "n log n", "probability 1; ranks the row",
         [](S2Chain *c) { return s2_chain_add_xtc_protected(c, 1.0F, 1e-6F, 1, 1, nullptr, 0); }},
        {"bitmask", "n", "every other id",
         [n](S2Chain *c) {
             const Tokens words(n / 32, 0x55555555);
             return s2_chain_add_bitmask(c, words.data(), length(words.size()));
         }},
        {"penalty_each", "n", "64 tokens of history",
         [](S2Chain *c) { return s2_chain_add_penalty_each(c, 64, 1.1F); }},
        {"penalty_run", "n", "the last token", [](S2Chain *c) { return s2_chain_add_penalty_run(c, 1.1F); }},
        {"penalty_decay", "n", "64 tokens of history",
         [](S2Chain *c) { return s2_chain_add_penalty_decay(c, 32, 32, 1.1F); }},
        {"no_repeat_ngram", "n", "64 tokens of history",
         [](S2Chain *c) { return s2_chain_add_no_repeat_ngram(c, 2, -1); }},
        {"sequence_bias", "n", "two tokens",
         [](S2Chain *c) {
             const std::int32_t tokens[] = {1, 2};
             const std::int32_t two = 2;
             const float bias = 1.0F;
             return s2_chain_add_sequence_bias(c, tokens, &two, &bias, 1);
         }},
        {"min_tokens", "n", "one end id",
         [](S2Chain *c) {
             const std::int32_t end = 3;
             return s2_chain_add_min_tokens(c, 1 << 30, &end, 1);
         }},
        {"custom", "n", "a function that does nothing; lists the row",
         [](S2Chain *c) {
             S2CustomStage stage = {};
             stage.struct_size = sizeof stage;
             stage.name = "nothing";
             stage.apply = [](void *, S2TokenDataArray *) { return std::int32_t{0}; };
             return s2_chain_add_custom(c, &stage);
         }},
        {"s2", "n log n", "top_p 1, no top_k", [all](S2Chain *c) { return s2_chain_add_s2(c, &all); }},
        {"s2_first", "n log n", "top_p 1, no top_k; ranks the row",
         [all](S2Chain *c) { return s2_chain_add_s2_first(c, &all, -1); }},
        {"softmax", "n", "", [](S2Chain *c) { return s2_chain_add_softmax(c); }},
        {"greedy", "n", "", [](S2Chain *c) { return s2_chain_add_greedy(c); }},
        {"dist", "n", "", [](S2Chain *c) { return s2_chain_add_dist(c, 1); }},
        {"dist_ex", "n", "a Gumbel race",
         [](S2Chain *c) {
             S2DistOptions options;
             s2_dist_options_init(&options);
             options.method = S2_DIST_GUMBEL_RACE;
             return s2_chain_add_dist_ex(c, &options);
         }},
    };
}

// ---- The costs

// The order of what must not grow.
constexpr const char *kFlat = "constant";

class Costs {
public:
    Costs(std::size_t part, std::size_t parts) : part_(part), parts_(parts) {}

    void add(const std::string &name, const std::string &order, const std::string &what, const std::string &unit,
             std::size_t size, const std::function<Call(std::size_t)> &make) {
        add(name, order, what, unit, size, 2 * size, make);
    }

    void add(const std::string &name, const std::string &order, const std::string &what, const std::string &unit,
             std::size_t size, std::size_t other, const std::function<Call(std::size_t)> &make) {
        const std::size_t number = next_++;
        if (number % parts_ != part_) {
            return;
        }
        std::printf("%zu\t%s\t%s\t%s\t%s\t%zu\t%zu\n", number, name.c_str(), order.c_str(), what.c_str(), unit.c_str(), size,
                    other);
        for (const std::size_t s : {size, other}) {
            const Call call = make(s);
            call();
            const std::string trigger = name + "@" + std::to_string(s) + "/1";
            CALLGRIND_ZERO_STATS;
            call();
            CALLGRIND_DUMP_STATS_AT(trigger.c_str());
        }
    }

    // One count for each shape of a row.
    void add_shapes(const std::string &name, const std::string &order, const std::string &what, std::size_t n,
                    const std::function<Call(const Row &)> &make) {
        for (std::size_t shape = 0; shape < shapes(1).size(); ++shape) {
            add(name + "#" + std::to_string(shape), order, what, "logit", n,
                [&](std::size_t size) { return make(shapes(size)[shape]); });
        }
    }

private:
    std::size_t part_;
    std::size_t parts_;
    std::size_t next_ = 0;
};

void plain_draws(Costs &costs) {
    const struct {
        const char *name;
        const char *order;
        const char *what;
        SamplerParams params;
    } draws[] = {
        {"draw_default", "n", "s2_sample_token, the default parameters", s2_sampler_params_default()},
        {"draw_greedy", "n", "s2_sample_token, temperature 0", {0.0F, 0.8F, 30}},
        {"draw_nucleus", "n log n", "s2_sample_token, top_p 0.9, no top_k", {0.8F, 0.9F, 0}},
        {"draw_all", "n log n", "s2_sample_token, top_p 1, no top_k", {0.8F, 1.0F, 0}},
    };
    for (const auto &draw : draws) {
        costs.add_shapes(draw.name, draw.order, draw.what, 32768, [&](const Row &row) -> Call {
            s2_seed_thread(1);
            return [row, params = draw.params] {
                CHECK(s2_sample_token(row.data(), length(row.size()), &params) >= 0);
            };
        });
    }
}

void chain_stages(Costs &costs) {
    const std::size_t n = 16384;
    for (std::size_t i = 0; i < stages(n).size(); ++i) {
        const Named stage = stages(n)[i];
        const auto chain = [i](std::size_t size) {
            Chain made = chain_of({stages(size)[i].add, dist()});
            accept(made, random_tokens(64, 1000));
            return made;
        };
        costs.add_shapes("stage_" + stage.name, stage.order, stage.what, n,
                         [&](const Row &row) { return sample(chain(row.size()), row); });
        // The same of an array, which is sorted by comparison.
        costs.add_shapes("array_" + stage.name, stage.order, stage.what, n,
                         [&](const Row &row) { return apply_to_array(chain(row.size()), row); });
    }
}

void chains(Costs &costs) {
    const Add ext = [](S2Chain *c) { return s2_chain_add_temperature_ext(c, 1.0F, 0.5F, 1.0F); };
    const Add typical = [](S2Chain *c) { return s2_chain_add_typical(c, 0.999F, 1); };
    const Row row = bell(16384, kThree, kSeed);
    costs.add("chain_of_temperature_ext", "stages", "a chain of temperature_ext again and again", "stage", 10,
              [&](std::size_t count) {
                  std::vector<Add> all(count, ext);
                  all.push_back(dist());
                  return sample(chain_of(all), row);
              });
    costs.add("chain_of_typical", "stages", "a chain of typical again and again, each sorts", "stage", 4,
              [&](std::size_t count) {
                  std::vector<Add> all(count, typical);
                  all.push_back(dist());
                  return sample(chain_of(all), row);
              });
    const std::pair<std::int32_t, const char *> presets[] = {{S2_PRESET_S2, "S2"},
                                                             {S2_PRESET_TEMPERATURE_FIRST, "TEMPERATURE_FIRST"},
                                                             {S2_PRESET_LLAMA, "LLAMA"},
                                                             {S2_PRESET_HUGGINGFACE, "HUGGINGFACE"},
                                                             {S2_PRESET_S2_FIRST, "S2_FIRST"}};
    for (const auto &[preset, named] : presets) {
        costs.add_shapes(std::string("preset_") + named, "n log n", std::string("a chain of the preset ") + named, 16384,
                         [which = preset](const Row &logits) {
                             S2PresetParams params;
                             CHECK(s2_preset_params_init(&params, which) == 0);
                             params.repeat_penalty = 1.1F;
                             Chain chain(s2_chain_new_preset(which, 1, &params), s2_chain_free);
                             CHECK(chain != nullptr);
                             accept(chain, random_tokens(64, 1000));
                             return sample(chain, logits);
                         });
    }
    costs.add("chain_rows", "rows", "s2_chain_sample_rows, 4,096 logits a row", "row", 4, [&](std::size_t count) -> Call {
        std::vector<Chain> owners;
        std::vector<S2Chain *> pointers;
        for (std::size_t i = 0; i < count; ++i) {
            owners.push_back(chain_of({dist()}));
            pointers.push_back(owners.back().get());
        }
        return [owners, pointers, logits = bell(count * 4096, kThree, kSeed)] {
            Tokens tokens(pointers.size());
            CHECK(s2_chain_sample_rows(pointers.data(), logits.data(), length(tokens.size()), 4096, 4096,
                                        tokens.data()) >= 0);
        };
    });
    costs.add("chain_clone", "history", "s2_chain_clone with penalties", "token", 20000, [](std::size_t size) {
        const Chain chain = chain_of({penalties(-1), dist()});
        accept(chain, Tokens(size, 7));
        return [chain] { s2_chain_free(s2_chain_clone(chain.get())); };
    });
}

void edits(Costs &costs) {
    const Row row = bell(32768, kThree, kSeed);
    const Add min_p = [](S2Chain *c) { return s2_chain_add_min_p(c, 1e-30F, 1); };
    costs.add("biases", "edits + n", "a chain of logit_bias and dist", "bias", 16384,
              [&](std::size_t count) { return sample(chain_of({biases(count, -0.5F), dist()}), row); });
    for (const auto &sizes : {std::pair<std::size_t, std::size_t>{514, 512}, {512, 514}, {256, 512}}) {
        costs.add("biases_min_p_" + std::to_string(sizes.first), "edits + n", "a chain of logit_bias and min_p 1e-30", "bias",
                  sizes.first, sizes.second, [&](std::size_t count) {
                      return sample(chain_of({biases(count, -100.0F), min_p, dist()}), row);
                  });
        costs.add("biases_rank_" + std::to_string(sizes.first), "edits + n log n", "a chain of logit_bias and top_k of all",
                  "bias", sizes.first, sizes.second, [&](std::size_t count) {
                      const Add top_k = [](S2Chain *c) { return s2_chain_add_top_k(c, 32768); };
                      return sample(chain_of({biases(count, -0.5F), top_k, dist()}), row);
                  });
    }
    costs.add("biases_twice", "edits + n", "a chain of two logit_bias for the same tokens", "bias", 256,
              [&](std::size_t count) {
                  return sample(chain_of({biases(count, -0.5F), biases(count, 0.25F), dist()}), row);
              });
    costs.add("penalties_history", "distinct tokens + n", "a chain with penalties, all tokens different", "token", 8192,
              [&](std::size_t count) {
                  const Chain chain = chain_of({penalties(-1), dist()});
                  Tokens tokens(count);
                  for (std::size_t i = 0; i < count; ++i) {
                      tokens[i] = length(i);
                  }
                  accept(chain, tokens);
                  return sample(chain, row);
              });
    costs.add("penalties_accept", "distinct tokens", "s2_chain_accept with penalties, all tokens different", "token", 8192,
              [&](std::size_t count) -> Call {
                  const Chain chain = chain_of({penalties(-1), dist()});
                  for (std::size_t i = count; i > 0; --i) {
                      accept(chain, {length(i)});
                  }
                  // One that comes before all others.
                  auto next = std::make_shared<std::int32_t>(0);
                  return [chain, next] { CHECK(s2_chain_accept(chain.get(), (*next)--) == 0); };
              });
}

void dry_histories(Costs &costs) {
    const Row row = bell(64, kThree, kSeed);
    const auto with = [&](const std::vector<Tokens> &breakers, const Tokens &history) {
        const Chain chain = chain_of({dry(breakers), dist()});
        accept(chain, history);
        // This accepts no token, so the history stays as it is.
        return apply_to_array(chain, row);
    };
    costs.add("dry_one_token", "history", "dry, one token again and again", "token", 20000,
              [&](std::size_t size) { return with({}, Tokens(size, 5)); });
    costs.add("dry_random", "history", "dry, random tokens", "token", 20000,
              [&](std::size_t size) { return with({}, random_tokens(size, 3)); });
    costs.add("dry_two_tokens", "history", "dry, two tokens in turn", "token", 20000, [&](std::size_t size) {
        Tokens history(size, 5);
        for (std::size_t i = 0; i < size; i += 2) {
            history[i] = 6;
        }
        return with({}, history);
    });
    costs.add("dry_distinct", "history", "dry, a text of different tokens twice", "token", 20000,
              [&](std::size_t size) {
                  Tokens history = shuffled(random_tokens(size / 2, 1000000));
                  history.insert(history.end(), history.begin(), history.end());
                  return with({}, history);
              });
    costs.add("dry_history_breakers", "history", "dry with 400 breakers of 400 tokens that share 399", "token",
              4000, [&](std::size_t size) { return with(breakers_after(399, 400), Tokens(size, 5)); });

    // How long and how many the breakers are costs a draw nothing.
    const Tokens fives(4000, 5);
    costs.add("dry_breakers_400", kFlat, "dry, 4,000 tokens of history, 200 and more breakers of 400 tokens", "breaker", 200,
              [&](std::size_t count) { return with(breakers_after(399, count), fives); });
    costs.add("dry_breakers_20", kFlat, "dry, 4,000 tokens of history, 1,000 to 20,000 breakers of 20 tokens", "breaker", 1000,
              20000, [&](std::size_t count) { return with(breakers_after(19, count), fives); });
    costs.add("dry_breakers_2", kFlat, "dry, 4,000 tokens of history, 20,000 to 100,000 breakers of 2 tokens", "breaker", 20000,
              100000, [&](std::size_t count) { return with(breakers_after(1, count), fives); });
    costs.add("dry_breaker_long", kFlat, "dry, 4,000 tokens of history, a breaker of 10,000 and more tokens", "token", 10000, 20000,
              [&](std::size_t size) { return with(breakers_after(size - 1, 1), fives); });

    costs.add("dry_add", "breaker tokens", "s2_chain_add_dry, breakers of 20 tokens", "token", 40000,
              [&](std::size_t tokens) -> Call {
                  const Add add = dry(shuffled(breakers_after(19, tokens / 20)));
                  return [add] { chain_of({add}); };
              });
    costs.add("dry_accept", "log breakers", "s2_chain_accept with dry, breakers of 20 tokens", "breaker", 1000, 2000,
              [&](std::size_t count) -> Call {
                  const Chain chain = chain_of({dry(breakers_after(19, count)), dist()});
                  accept(chain, fives);
                  return [chain] { accept(chain, {5}); };
              });
}

// ---- Requests

struct Request {
    Row row;
    std::vector<S2TokenRange> ranges;
    Tokens history;
    Tokens banned;
    bool with_result = false;
    Tokens allowed = {};
    Tokens bitmask = {};
};

Call request(Request &&owned) {
    const auto held = std::make_shared<const Request>(std::move(owned));
    const std::shared_ptr<S2Sampler> sampler(s2_sampler_new(1), s2_sampler_free);
    CHECK(sampler != nullptr);
    return [held, sampler] {
        const SamplerParams params = s2_sampler_params_default();
        S2SampleRequest r;
        s2_sample_request_init(&r);
        r.logits = held->row.data();
        r.vocab_size = length(held->row.size());
        r.params = &params;
        r.ranges = held->ranges.data();
        r.n_ranges = length(held->ranges.size());
        r.allowed_ids = held->allowed.data();
        r.n_allowed = length(held->allowed.size());
        r.bitmask = held->bitmask.data();
        r.n_bitmask = length(held->bitmask.size());
        r.banned = held->banned.data();
        r.n_banned = length(held->banned.size());
        r.history = held->history.data();
        r.n_history = length(held->history.size());
        r.penalty_window = -1;
        r.repetition_penalty = 1.1F;
        r.frequency_penalty = 0.1F;
        r.presence_penalty = 0.1F;
        if (held->with_result) {
            r.min_p = 0.05F;
            r.flags = S2_REQUEST_KEEP_ID | S2_REQUEST_WATCH_ID;
            r.keep_id = 0;
            r.watched_id = 2;
        }
        S2SampleResult result;
        s2_sample_result_init(&result);
        CHECK(s2_sampler_sample_ex(sampler.get(), &r, held->with_result ? &result : nullptr) >= 0);
    };
}

void requests(Costs &costs) {
    costs.add("count_special", "n", "s2_count_special", "logit", 32768, [](std::size_t n) -> Call {
        return [row = bell(n, kThree, kSeed)] {
            std::int32_t nans = 0;
            std::int32_t infinities = 0;
            CHECK(s2_count_special(row.data(), length(row.size()), &nans, &infinities) == 0);
        };
    });
    const auto row = [](std::size_t n) { return bell(n, kThree, kSeed); };
    costs.add("request_result", "n", "s2_sampler_sample_ex with min_p, keep_id, watched_id and the result", "logit", 32768,
              [&](std::size_t n) { return request({row(n), {}, {}, {}, true}); });
    costs.add("request_history", "history", "s2_sampler_sample_ex with penalties, history", "token", 100000,
              [&](std::size_t size) { return request({row(32768), {}, random_tokens(size, 32768), {}}); });
    costs.add("request_banned", "banned", "s2_sampler_sample_ex, banned ids", "banned id", 100000,
              [&](std::size_t size) { return request({row(32768), {}, {}, random_tokens(size, 32768)}); });
    costs.add("request_allowed", "ids", "s2_sampler_sample_ex, allowed ids in any order", "id", 20000,
              [&](std::size_t size) {
                  return request({row(32768), {}, {}, {}, false, random_tokens(size, 32768)});
              });
    costs.add("request_bitmask", "n", "s2_sampler_sample_ex, a bitmask of every other id", "logit", 32768,
              [&](std::size_t size) {
                  return request({row(size), {}, {}, {}, false, {}, Tokens(size / 32, 0x55555555)});
              });
    costs.add("chain_request", "n", "s2_chain_sample_ex with all results, preset llama", "logit", 32768,
              [&](std::size_t size) -> Call {
                  const std::shared_ptr<S2Chain> chain(s2_chain_new_preset(S2_PRESET_LLAMA, 1, nullptr), s2_chain_free);
                  CHECK(chain != nullptr);
                  return [chain, logits = row(size)] {
                      S2ChainRequest r;
                      s2_chain_request_init(&r);
                      r.logits = logits.data();
                      r.vocab_size = length(logits.size());
                      S2ChainResult result;
                      s2_chain_result_init(&result);
                      CHECK(s2_chain_sample_ex(chain.get(), &r, &result) >= 0);
                  };
              });
    const std::size_t engine = 155776;
    costs.add("request_all", "history + ranges log ranges", "s2_sampler_sample_ex with penalties, history and 77,888 ranges",
              "token", 2000000, [&](std::size_t size) {
                  return request({row(engine), every_other(engine / 2), random_tokens(size, engine), {}});
              });
    const auto in_order = [](std::size_t count) { return every_other(count); };
    const auto reversed = [](std::size_t count) {
        auto ranges = every_other(count);
        std::reverse(ranges.begin(), ranges.end());
        return ranges;
    };
    const auto random = [](std::size_t count) { return shuffled(every_other(count)); };
    const std::pair<const char *, std::function<std::vector<S2TokenRange>(std::size_t)>> orders[] = {
        {"in order", in_order}, {"falling", reversed}, {"in any order", random}};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto &[order, make] = orders[i];
        const std::string bound = i == 0 ? "ranges + n" : "ranges log ranges + n";
        costs.add("ranges_" + std::to_string(i), bound, std::string("s2_sampler_sample_ranges, ranges ") + order, "range",
                  8192, [&, &ranges = make](std::size_t count) -> Call {
                      const std::shared_ptr<S2Sampler> sampler(s2_sampler_new(1), s2_sampler_free);
                      return [sampler, list = ranges(count), logits = row(2 * count)] {
                          const SamplerParams params = s2_sampler_params_default();
                          CHECK(s2_sampler_sample_ranges(sampler.get(), logits.data(), length(logits.size()),
                                                         list.data(), length(list.size()), &params) >= 0);
                      };
                  });
        costs.add("request_ranges_" + std::to_string(i), bound,
                  std::string("s2_sampler_sample_ex with 20,000 tokens of history, ranges ") + order, "range", 8192,
                  [&, &ranges = make](std::size_t count) {
                      return request({row(2 * count), ranges(count), random_tokens(20000, 2 * count), {}});
                  });
    }
    costs.add("sampler_rows", "rows", "s2_sampler_sample_rows, 4,096 logits a row", "row", 4,
              [&](std::size_t count) -> Call {
                  std::vector<std::shared_ptr<S2Sampler>> owners;
                  std::vector<S2Sampler *> pointers;
                  for (std::size_t i = 0; i < count; ++i) {
                      owners.emplace_back(s2_sampler_new(1), s2_sampler_free);
                      pointers.push_back(owners.back().get());
                  }
                  return [owners, pointers, logits = row(count * 4096)] {
                      const SamplerParams params = s2_sampler_params_default();
                      Tokens tokens(pointers.size());
                      CHECK(s2_sampler_sample_rows(pointers.data(), logits.data(), length(tokens.size()), 4096,
                                                   4096, &params, 1, tokens.data()) >= 0);
                  };
              });
    costs.add("save_restore", kFlat, "s2_sampler_save and s2_sampler_restore", "logit", 4096,
              [&](std::size_t n) -> Call {
                  const std::shared_ptr<S2Sampler> sampler(s2_sampler_new(1), s2_sampler_free);
                  const SamplerParams params = s2_sampler_params_default();
                  CHECK(s2_sampler_sample(sampler.get(), row(n).data(), length(n), &params) >= 0);
                  return [sampler] {
                      static unsigned char state[16384];
                      const std::size_t size = s2_sampler_state_size();
                      CHECK(size <= sizeof state && s2_sampler_save(sampler.get(), state, size) == 0);
                      CHECK(s2_sampler_restore(sampler.get(), state, size) == 0);
                  };
              });
}

// ---- Streams and reports

Call slow(std::int32_t window, std::size_t drawn) {
    S2StreamConfig config;
    s2_stream_config_init(&config);
    config.semantic_first = 0;
    config.semantic_last = 63;
    config.end_id = 64;
    config.ras_window = window;
    // The whole window is counted, and no token drawn again.
    config.ras_mode = S2_RAS_SHARE;
    config.ras_tau = 2.0F;
    const std::shared_ptr<S2Stream> stream(s2_stream_new(1, &config), s2_stream_free);
    CHECK(stream != nullptr);
    const Call call = [stream, row = bell(65, kThree, kSeed)] {
        const SamplerParams params = s2_sampler_params_default();
        CHECK(s2_stream_slow(stream.get(), row.data(), 65, &params, 0) >= 0);
    };
    for (std::size_t i = 0; i < drawn; ++i) {
        call();
    }
    return call;
}

void streams(Costs &costs) {
    costs.add("stream_window", "window", "s2_stream_slow, a full RAS window", "token", 4096,
              [](std::size_t size) { return slow(length(size), size); });
    costs.add("stream_wide_window", kFlat, "s2_stream_slow, 100 tokens in a wide RAS window", "token", 1 << 19,
              [](std::size_t size) { return slow(length(size), 100); });
}

void reports(Costs &costs) {
    const auto chain_report = [](const Chain &chain, const Row &row, std::int32_t first) -> Call {
        return [=] {
            S2Report *report = nullptr;
            CHECK(s2_chain_report_first(chain.get(), row.data(), length(row.size()), first, &report) == 0);
            s2_report_free(report);
        };
    };
    costs.add("report_draw", "n log n", "s2_draw_report_first of 3 tokens", "logit", 77888,
              [](std::size_t n) -> Call {
                  return [row = bell(n, kThree, kSeed)] {
                      const SamplerParams params = s2_sampler_params_default();
                      S2Report *report = nullptr;
                      CHECK(s2_draw_report_first(row.data(), length(row.size()), &params, 3, &report) == 0);
                      s2_report_free(report);
                  };
              });
    costs.add("report_all", "n log n", "s2_chain_report and s2_draw_report of all tokens", "logit", 4096,
              [](std::size_t n) -> Call {
                  return [chain = chain_of({dist()}), row = bell(n, kThree, kSeed)] {
                      const SamplerParams params = s2_sampler_params_default();
                      S2Report *report = nullptr;
                      CHECK(s2_chain_report(chain.get(), row.data(), length(row.size()), &report) == 0);
                      s2_report_free(report);
                      CHECK(s2_draw_report(row.data(), length(row.size()), &params, &report) == 0);
                      s2_report_free(report);
                  };
              });
    const Add top_k = [](S2Chain *c) { return s2_chain_add_top_k(c, 40); };
    const Add temperature = [](S2Chain *c) { return s2_chain_add_temperature(c, 0.7F); };
    const Add min_p = [](S2Chain *c) { return s2_chain_add_min_p(c, 0.05F, 1); };
    costs.add("report_chain", "n", "s2_chain_report_first of 3 tokens, four stages", "logit", 32768,
              [&](std::size_t n) {
                  return chain_report(chain_of({temperature, top_k, min_p, dist()}), bell(n, kThree, kSeed), 3);
              });
    costs.add("report_stages", "stages n", "s2_chain_report_first of 3 tokens, temperature again and again",
              "stage", 4, [&](std::size_t count) {
                  std::vector<Add> all(count, temperature);
                  all.push_back(dist());
                  return chain_report(chain_of(all), bell(8192, kThree, kSeed), 3);
              });
    costs.add("report_first", "first log first", "s2_chain_report_first of many tokens", "token", 4096,
              [&](std::size_t first) {
                  return chain_report(chain_of({top_k, dist()}), bell(16384, kThree, kSeed), length(first));
              });
}

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 3);
    CHECK_CASE(std::strcmp(s2_simd_level(), "avx2") == 0, "level %s", s2_simd_level());
    Costs costs(std::stoul(argv[1]), std::stoul(argv[2]));
    plain_draws(costs);
    chain_stages(costs);
    chains(costs);
    edits(costs);
    dry_histories(costs);
    requests(costs);
    streams(costs);
    reports(costs);
}
