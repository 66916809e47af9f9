// Handles of all kinds at once, in random order, with hostile sizes, values and floating-point modes: no call
// crashes, returns an unknown number, or leaves the row; a clone goes on as its original does; a call that
// returns a status changes nothing.
//
//   s2_test_stateful_shared [cases] [first seed]
//
// With S2_FUZZER defined the same program is a libFuzzer target: scripts/fuzz.sh builds it so.
#include "support/check.h"
#include "support/rows.hpp"

#include <s2sampler.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

// Choices, from a fuzzer's bytes and after them from a generator that the bytes seed.
class Choices {
public:
    Choices(const std::uint8_t *data, std::size_t size, std::uint64_t seed) : data_(data), size_(size), random_(seed) {
        for (std::size_t i = 0; i < size; ++i) {
            random_ = SplitMix64(random_.next() ^ data[i]);
        }
    }

    std::uint32_t below(std::uint32_t limit) {
        if (size_ > 0) {
            const std::uint32_t byte = *data_++;
            --size_;
            return byte % limit;
        }
        return static_cast<std::uint32_t>(random_.below(limit));
    }
    bool one_in(std::uint32_t n) { return below(n) == 0; }
    std::uint32_t word() { return static_cast<std::uint32_t>(random_.next()); }

    float number() {
        static const float special[] = {0.0F, -0.0F, 1.0F, -1.0F, 0.5F, 0.8F, 0.9F, 1e-45F, 1e-38F, 3.4e38F, -3.4e38F,
                                        kInf, -kInf, kNan, 0.1F, 2.0F};
        if (one_in(3)) {
            return special[below(16)];
        }
        if (one_in(8)) {
            const std::uint32_t bits = word();
            float value = 0;
            std::memcpy(&value, &bits, sizeof value);
            return value;
        }
        return static_cast<float>(word() % 4001U) / 1000.0F - 1.0F;
    }

    std::int32_t integer() {
        static const std::int32_t special[] = {0, 1, -1, 2, 3, 30, INT_MAX, INT_MIN, 1 << 20, (1 << 20) + 1};
        return one_in(3) ? special[below(10)] : static_cast<std::int32_t>(below(200)) - 20;
    }

    std::size_t min_keep() { return one_in(8) ? SIZE_MAX : below(5); }

    S2SamplerParams params() { return {number(), number(), integer()}; }

private:
    const std::uint8_t *data_;
    std::size_t size_;
    SplitMix64 random_;
};

// Memory of the exact size: one byte too many is seen by a sanitizer.
struct Row {
    std::vector<float> logits;
    std::int32_t n() const { return static_cast<std::int32_t>(logits.size()); }
};

Row a_row(Choices &c) {
    static const std::size_t sizes[] = {0, 1, 2, 3, 7, 31, 32, 33, 100, 255, 256, 257, 600, 1025, 3000};
    const std::size_t n = sizes[c.below(15)];
    Row row{bell(n, c.one_in(4) ? 1e-9F : 0x1p-19F, c.word())};
    const std::uint32_t shape = c.below(6);
    for (float &logit : row.logits) {
        if (shape == 1) {
            logit = -kInf;
        } else if (shape == 2 && c.word() % 3U != 0) {
            logit = -kInf;
        } else if (shape == 3) {
            logit = static_cast<float>(static_cast<int>(logit));
        }
    }
    for (std::uint32_t i = c.below(4); i > 0 && n > 0; --i) {
        row.logits[c.word() % n] = c.number();
    }
    return row;
}

// Whether a result is one that the header knows.
void known(std::int32_t result, std::int32_t n, const char *call) {
    const bool token = result >= 0 && result < (n > 0 ? n : 1);
    CHECK_CASE(token || (result < 0 && result >= S2_ERROR_BUSY), "%s: %d of %d", call, result, n);
    CHECK_CASE(result != S2_ERROR_INTERNAL && result != S2_ERROR_BUSY, "%s: %d", call, result);
}

class Mode {
public:
    explicit Mode(Choices &c) {
#if defined(__x86_64__)
        static const unsigned modes[] = {0x1f80, 0x3f80, 0x5f80, 0x7f80, 0x9fc0, 0x0000, 0xdfc0};
        host_ = _mm_getcsr();
        set_ = modes[c.below(7)];
        _mm_setcsr(set_);
#else
        (void)c;
#endif
    }
    ~Mode() {
#if defined(__x86_64__)
        const unsigned after = _mm_getcsr();
        _mm_setcsr(host_);
        CHECK(after == set_);
#endif
    }
    Mode(const Mode &) = delete;
    Mode &operator=(const Mode &) = delete;

private:
    unsigned host_ = 0;
    unsigned set_ = 0;
};

template <typename Handle> struct Pool {
    std::vector<Handle *> handles;
    std::size_t most;

    Handle *any(Choices &c) { return handles.empty() || c.one_in(40) ? nullptr : handles[c.below(static_cast<std::uint32_t>(handles.size()))]; }
    void add(Handle *handle, void (*free)(Handle *)) {
        if (handle == nullptr) {
            CHECK(s2_new_status() < 0);
        } else if (handles.size() < most) {
            handles.push_back(handle);
        } else {
            free(handle);
        }
    }
    void drop(Choices &c, void (*free)(Handle *)) {
        if (handles.empty()) {
            free(nullptr);
            return;
        }
        const std::size_t place = c.below(static_cast<std::uint32_t>(handles.size()));
        free(handles[place]);
        handles.erase(handles.begin() + static_cast<std::ptrdiff_t>(place));
    }
    void clear(void (*free)(Handle *)) {
        for (Handle *handle : handles) {
            free(handle);
        }
        handles.clear();
    }
};

struct World {
    Pool<S2Sampler> samplers{{}, 12};
    Pool<S2Stream> streams{{}, 8};
    Pool<S2Chain> chains{{}, 8};
    ~World() {
        samplers.clear(s2_sampler_free);
        streams.clear(s2_stream_free);
        chains.clear(s2_chain_free);
    }
};

std::vector<std::int32_t> ids(Choices &c, std::int32_t n) {
    std::vector<std::int32_t> list(c.below(40));
    for (std::int32_t &id : list) {
        id = c.one_in(6) ? c.integer() : static_cast<std::int32_t>(c.word() % static_cast<std::uint32_t>(n + 2)) - 1;
    }
    return list;
}

std::vector<S2TokenRange> some_ranges(Choices &c, std::int32_t n) {
    std::vector<S2TokenRange> list(c.below(5));
    for (S2TokenRange &range : list) {
        const auto bound = static_cast<std::uint32_t>(n + 3);
        range = c.one_in(5) ? S2TokenRange{c.integer(), c.integer()}
                            : S2TokenRange{static_cast<std::int32_t>(c.word() % bound) - 1,
                                           static_cast<std::int32_t>(c.word() % bound)};
    }
    return list;
}

void draw_with_sampler(World &w, Choices &c) {
    S2Sampler *sampler = w.samplers.any(c);
    const Row row = a_row(c);
    const S2SamplerParams params = c.params();
    const std::vector<S2TokenRange> ranges = some_ranges(c, row.n());
    S2Sampler *twin = s2_sampler_clone(sampler);
    for (int turn = 0; turn < 2; ++turn) {
        std::int32_t results[2] = {0, 0};
        S2Sampler *both[2] = {sampler, twin};
        for (int who = 0; who < 2; ++who) {
            const Mode mode(c);
            results[who] = turn == 0 ? s2_sampler_sample(both[who], row.logits.data(), row.n(), &params)
                                     : s2_sampler_sample_ranges(both[who], row.logits.data(), row.n(), ranges.data(),
                                                                static_cast<std::int32_t>(ranges.size()), &params);
        }
        known(results[0], row.n(), "sampler");
        CHECK(results[0] == results[1]);
    }
    s2_sampler_free(twin);
}

void draw_with_request(World &w, Choices &c) {
    S2Sampler *sampler = w.samplers.any(c);
    const Row row = a_row(c);
    const S2SamplerParams params = c.params();
    const std::vector<S2TokenRange> ranges = some_ranges(c, row.n());
    const std::vector<std::int32_t> banned = ids(c, row.n());
    const std::vector<std::int32_t> history = ids(c, row.n());
    S2SampleRequest request = {};
    request.struct_size = c.one_in(10) ? c.below(300) : sizeof request;
    request.flags = c.one_in(20) ? c.word() : c.below(32);
    request.logits = c.one_in(40) ? nullptr : row.logits.data();
    request.vocab_size = row.n();
    request.id_offset = c.one_in(4) ? c.integer() : 0;
    request.params = c.one_in(6) ? nullptr : &params;
    request.ranges = ranges.data();
    request.n_ranges = c.one_in(2) ? static_cast<std::int32_t>(ranges.size()) : 0;
    request.banned = banned.data();
    request.n_banned = c.one_in(2) ? static_cast<std::int32_t>(banned.size()) : 0;
    const std::vector<std::int32_t> allowed = ids(c, row.n());
    std::vector<std::int32_t> bitmask(c.below(12));
    for (std::int32_t &word : bitmask) {
        word = static_cast<std::int32_t>(c.word());
    }
    request.allowed_ids = allowed.data();
    request.n_allowed = c.one_in(3) ? static_cast<std::int32_t>(allowed.size()) : 0;
    request.bitmask = bitmask.data();
    request.n_bitmask = c.one_in(3) ? static_cast<std::int32_t>(bitmask.size()) : 0;
    request.history = history.data();
    request.n_history = c.one_in(2) ? static_cast<std::int32_t>(history.size()) : 0;
    request.penalty_window = c.integer();
    request.repetition_penalty = c.number();
    request.frequency_penalty = c.number();
    request.presence_penalty = c.number();
    request.min_p = c.number();
    request.keep_id = c.integer();
    request.watched_id = c.integer();
    request.uniform = static_cast<double>(c.number());
    // The bytes behind what struct_size states are not the request's: the block ends there.
    std::vector<unsigned char> block(request.struct_size < 4 ? 4 : request.struct_size, 0);
    std::memcpy(block.data(), &request, std::min(block.size(), sizeof request));
    S2SampleResult result = {};
    result.struct_size = c.one_in(10) ? c.below(200) : sizeof result;
    std::vector<unsigned char> out(result.struct_size < 4 ? 4 : result.struct_size, 0xa5);
    std::memcpy(out.data(), &result.struct_size, sizeof result.struct_size);
    const Mode mode(c);
    const std::int32_t token =
        s2_sampler_sample_ex(sampler, reinterpret_cast<const S2SampleRequest *>(block.data()),
                             c.one_in(3) ? nullptr : reinterpret_cast<S2SampleResult *>(out.data()));
    if (token >= 0) {
        known(token - request.id_offset, row.n(), "request");
    } else {
        known(token, row.n(), "request");
    }
    for (std::size_t i = sizeof result; i < out.size(); ++i) {
        CHECK(out[i] == 0xa5);
    }
}

void states(World &w, Choices &c) {
    S2Sampler *from = w.samplers.any(c);
    S2Sampler *to = w.samplers.any(c);
    std::vector<unsigned char> block(s2_sampler_state_size());
    const std::size_t size = c.one_in(8) ? c.below(static_cast<std::uint32_t>(block.size())) : block.size();
    if (s2_sampler_save(from, block.data(), size) < 0) {
        return;
    }
    if (c.one_in(3)) {
        block[c.word() % block.size()] ^= static_cast<unsigned char>(1U << c.below(8));
    }
    const std::int32_t status = s2_sampler_restore(to, block.data(), size);
    CHECK(status <= 0 && status > S2_ERROR_INTERNAL);
}

void make_stream(World &w, Choices &c) {
    S2StreamConfig config;
    s2_stream_config_init(&config);
    config.semantic_first = c.one_in(5) ? c.integer() : static_cast<std::int32_t>(c.below(50));
    config.semantic_last = c.one_in(5) ? c.integer()
                                          : static_cast<std::int32_t>(static_cast<std::uint32_t>(config.semantic_first) + c.below(250));
    config.end_id = c.integer();
    config.ras_mode = c.one_in(20) ? c.integer() : static_cast<std::int32_t>(c.below(3));
    config.ras_window = c.one_in(3) ? c.integer() : 10;
    config.ras_temperature = c.number();
    config.ras_top_p = c.number();
    config.ras_tau = c.number();
    config.ras_end = c.one_in(20) ? c.integer() : static_cast<std::int32_t>(c.below(2));
    config.ras_always = c.one_in(20) ? c.integer() : static_cast<std::int32_t>(c.below(2));
    config.ras_bans = c.one_in(20) ? c.integer() : static_cast<std::int32_t>(c.below(2));
    config.struct_size = c.one_in(10) ? c.below(sizeof config + 1) : config.struct_size;
    w.streams.add(c.one_in(4) ? s2_stream_new_random(&config) : s2_stream_new(c.word(), &config), s2_stream_free);
}

void use_stream(World &w, Choices &c) {
    S2Stream *stream = w.streams.any(c);
    const Row row = a_row(c);
    const S2SamplerParams params = c.params();
    std::int32_t token = 0;
    {
        const Mode mode(c);
        token = c.one_in(2) ? s2_stream_slow(stream, row.logits.data(), row.n(), &params, c.integer())
                            : s2_stream_fast(stream, row.logits.data(), row.n(), &params);
    }
    known(token, row.n(), "stream");
    const std::int32_t code = s2_stream_code(stream, token, c.integer());
    CHECK(code >= 0 || code >= S2_ERROR_BUSY);
    CHECK(s2_stream_ended(stream) <= 1 && s2_stream_redrawn(stream) <= 1);
    if (c.one_in(20)) {
        (void)s2_stream_reset(stream, c.word());
    }
    if (c.one_in(20)) {
        w.streams.add(s2_stream_clone(stream), s2_stream_free);
    }
    if (c.one_in(20)) {
        // A saved stream goes on as its original does; bytes that were changed are no stream.
        std::vector<unsigned char> state(s2_stream_state_size(stream));
        CHECK(state.empty() == (stream == nullptr));
        CHECK((s2_stream_save(stream, state.data(), state.size()) == 0) == !state.empty());
        if (state.empty()) return;
        CHECK(s2_stream_save(stream, state.data(), state.size() - 1) == S2_ERROR_BAD_ARGUMENT);
        S2Stream *restored = s2_stream_new_restored(state.data(), state.size());
        CHECK(s2_stream_slow(restored, row.logits.data(), row.n(), &params, 1) ==
              s2_stream_slow(stream, row.logits.data(), row.n(), &params, 1));
        CHECK(s2_stream_ended(restored) == s2_stream_ended(stream));
        s2_stream_free(restored);
        state[c.below(static_cast<int>(state.size()))] ^= 1;
        CHECK(s2_stream_new_restored(state.data(), state.size()) == nullptr);
    }
}

std::int32_t add_a_stage(S2Chain *chain, Choices &c) {
    const std::vector<std::int32_t> tokens = ids(c, 60);
    const S2SamplerParams params = c.params();
    const auto count = static_cast<std::int32_t>(tokens.size());
    switch (c.below(36)) {
        case 0: return s2_chain_add_dist(chain, c.word());
        case 17: {
            S2DistOptions options;
            s2_dist_options_init(&options);
            options.seed = c.word();
            options.method = static_cast<std::int32_t>(c.below(5));
            options.order = static_cast<std::int32_t>(c.below(4));
            options.sums = static_cast<std::int32_t>(c.below(3));
            options.mass = c.one_in(2) ? 1.0F : c.number();
            return s2_chain_add_dist_ex(chain, &options);
        }
        case 1: return s2_chain_add_greedy(chain);
        case 2: return s2_chain_add_temperature(chain, c.number());
        case 3: return s2_chain_add_top_k(chain, c.integer());
        case 4: return s2_chain_add_top_p(chain, c.number(), c.min_keep());
        case 5: return s2_chain_add_min_p(chain, c.number(), c.min_keep());
        case 6: return s2_chain_add_penalties(chain, c.integer(), c.number(), c.number(), c.number());
        case 7: {
            std::vector<S2LogitBias> biases;
            for (const std::int32_t id : tokens) {
                biases.push_back({id, c.number()});
            }
            return s2_chain_add_logit_bias(chain, biases.data(), static_cast<std::int32_t>(biases.size()));
        }
        case 8: return s2_chain_add_s2(chain, &params);
        case 9: return s2_chain_add_softmax(chain);
        case 10: return s2_chain_add_typical(chain, c.number(), c.min_keep());
        case 11: return s2_chain_add_epsilon_cutoff(chain, c.number(), c.min_keep());
        case 12: return s2_chain_add_top_n_sigma(chain, c.number());
        case 13: return s2_chain_add_xtc(chain, c.number(), c.number(), c.min_keep(), c.word());
        case 14: {
            std::vector<std::int32_t> lengths;
            for (std::size_t left = tokens.size(); left > 0;) {
                const std::size_t length = std::min<std::size_t>(left, c.below(4));
                lengths.push_back(static_cast<std::int32_t>(length));
                left -= length;
                if (lengths.size() > 60) {
                    break;
                }
            }
            return s2_chain_add_dry(chain, c.number(), c.number(), c.integer(), c.integer(), tokens.data(),
                                    lengths.data(), static_cast<std::int32_t>(lengths.size()));
        }
        case 16: return s2_chain_add_s2_first(chain, &params, c.integer());
        case 15: return s2_chain_add_temperature_ext(chain, c.number(), c.number(), c.number());
        case 32: {
            // Drops a third of the candidates and names one of them twice, whatever is left.
            S2CustomStage stage = {};
            stage.struct_size = sizeof stage;
            stage.name = "third";
            stage.apply = [](void *, S2TokenDataArray *array) {
                array->size -= array->size / 3;
                array->data[0] = array->data[array->size - 1];
                array->sorted = true;
                return 0;
            };
            return s2_chain_add_custom(chain, &stage);
        }
        case 33: return s2_chain_add_scale(chain, c.number());
        case 34: return s2_chain_add_top_k_ties(chain, c.integer());
        case 18: return s2_chain_add_top_p_exclusive(chain, c.number());
        case 19: return s2_chain_add_penalty_each(chain, c.integer(), c.number());
        case 20: return s2_chain_add_penalty_run(chain, c.number());
        case 21: return s2_chain_add_no_repeat_ngram(chain, c.integer(), c.integer());
        case 22: return s2_chain_add_eta_cutoff(chain, c.number(), c.min_keep());
        case 23: return s2_chain_add_mirostat(chain, c.word(), c.number(), c.number(), c.integer());
        case 24: return s2_chain_add_adaptive_p(chain, c.number(), c.number(), c.word());
        case 25: return s2_chain_add_penalty_decay(chain, c.integer(), c.integer(), c.number());
        case 26: return s2_chain_add_min_tokens(chain, c.integer(), tokens.data(), count);
        case 27: return s2_chain_add_bitmask(chain, tokens.data(), count);
        case 28: return s2_chain_add_top_a(chain, c.number(), c.min_keep());
        case 29: return s2_chain_add_smoothing(chain, c.number(), c.number());
        case 30:
            return s2_chain_add_xtc_protected(chain, c.number(), c.number(), c.min_keep(), c.word(), tokens.data(), count);
        case 31: {
            std::vector<std::int32_t> lengths(tokens.size(), 1);
            std::vector<float> biases(tokens.size());
            for (std::size_t i = 0; i + 1 < lengths.size(); i += 3) {
                lengths[i] = 2;
                lengths[i + 1] = 0;
            }
            lengths.erase(std::remove(lengths.begin(), lengths.end(), 0), lengths.end());
            for (float &bias : biases) {
                bias = c.number();
            }
            return s2_chain_add_sequence_bias(chain, tokens.data(), lengths.data(), biases.data(),
                                              static_cast<std::int32_t>(lengths.size()));
        }
        default: return s2_chain_add_mirostat_v2(chain, c.word(), c.number(), c.number());
    }
}

void make_chain(World &w, Choices &c) {
    if (c.one_in(3)) {
        S2PresetParams params;
        const std::int32_t which = c.one_in(20) ? c.integer() : static_cast<std::int32_t>(c.below(5));
        if (s2_preset_params_init(&params, which) == 0) {
            if (c.one_in(2)) {
                params.temperature = c.number();
                params.top_p = c.number();
                params.top_k = c.integer();
                params.penalty_last_n = c.integer();
            }
            w.chains.add(s2_chain_new_preset(which, c.word(), &params), s2_chain_free);
        }
        return;
    }
    S2Chain *chain = s2_chain_new();
    for (std::uint32_t i = c.below(7); i > 0; --i) {
        const std::int32_t index = add_a_stage(chain, c);
        CHECK(index >= 0 || index == S2_ERROR_BAD_ARGUMENT);
    }
    w.chains.add(chain, s2_chain_free);
}

// A request and a clone's: the same, and after a status the chain is as it was.
void draw_with_chain_request(World &w, Choices &c) {
    S2Chain *chain = w.chains.any(c);
    const Row row = a_row(c);
    const std::vector<S2TokenRange> ranges = some_ranges(c, row.n());
    const std::vector<std::int32_t> banned = ids(c, row.n());
    const std::vector<std::int32_t> allowed = ids(c, row.n());
    std::vector<std::int32_t> bitmask(c.below(12));
    for (std::int32_t &word : bitmask) {
        word = static_cast<std::int32_t>(c.word());
    }
    std::vector<double> uniforms(c.one_in(3) ? c.below(400) : 0);
    for (double &u : uniforms) {
        u = c.one_in(400) ? static_cast<double>(c.number()) : c.word() * 0x1p-32;
    }
    std::vector<S2TokenData> data;
    for (std::size_t i = 0; i < row.logits.size(); ++i) {
        data.push_back({c.one_in(9) ? c.integer() : static_cast<std::int32_t>(i), row.logits[i], 0.0F});
    }
    const std::vector<S2TokenData> before = data;
    const S2TokenDataArray array = {data.data(), data.size(), -1, c.one_in(2)};
    std::vector<S2TokenLogProb> best(c.below(20));
    S2ChainRequest request = {};
    request.struct_size = c.one_in(20) ? c.below(300) : sizeof request;
    request.flags = c.one_in(20) ? c.word() : (c.below(8) << 1 & ~16U) | c.below(4) << 5;
    const bool of_array = c.one_in(3) && !data.empty();
    request.logits = row.logits.data();
    request.vocab_size = of_array && !c.one_in(20) ? 0 : row.n();
    request.array = of_array ? &array : nullptr;
    request.uniforms = uniforms.data();
    request.n_uniforms = static_cast<std::int32_t>(uniforms.size());
    request.ranges = ranges.data();
    request.n_ranges = c.one_in(3) ? static_cast<std::int32_t>(ranges.size()) : 0;
    request.allowed_ids = allowed.data();
    request.n_allowed = c.one_in(3) ? static_cast<std::int32_t>(allowed.size()) : 0;
    request.bitmask = bitmask.data();
    request.n_bitmask = c.one_in(3) ? static_cast<std::int32_t>(bitmask.size()) : 0;
    request.banned = banned.data();
    request.n_banned = c.one_in(3) ? static_cast<std::int32_t>(banned.size()) : 0;
    request.best_before = best.data();
    request.n_best_before = static_cast<std::int32_t>(best.size());
    request.best_after = best.data();
    request.n_best_after = c.one_in(20) ? c.integer() & INT32_MIN : static_cast<std::int32_t>(best.size());
    request.keep_id = c.integer();
    request.watched_id = c.integer();
    request.group_first = c.integer();
    request.group_last = c.integer();
    std::vector<unsigned char> block(request.struct_size < 4 ? 4 : request.struct_size, 0);
    std::memcpy(block.data(), &request, std::min(block.size(), sizeof request));
    const auto *given = reinterpret_cast<const S2ChainRequest *>(block.data());
    S2Chain *twin = s2_chain_clone(chain);
    S2Chain *third = s2_chain_clone(chain);
    S2ChainResult result;
    s2_chain_result_init(&result);
    std::int32_t tokens[2] = {0, 0};
    {
        const Mode mode(c);
        tokens[0] = s2_chain_sample_ex(chain, given, &result);
    }
    {
        const Mode mode(c);
        tokens[1] = s2_chain_sample_ex(twin, given, nullptr);
    }
    CHECK(tokens[0] == tokens[1] || chain == nullptr);
    if (!of_array) {
        known(tokens[0], row.n(), "chain request");
    }
    CHECK(data.empty() || std::memcmp(before.data(), data.data(), data.size() * sizeof data[0]) == 0);
    if (chain != nullptr) {
        if (tokens[0] >= 0) {
            CHECK(of_array || result.token == tokens[0]);
            CHECK(result.candidates >= 1 && result.n_best_before >= 0 && result.n_best_after >= 0);
            CHECK(result.uniforms <= request.n_uniforms);
        } else {
            CHECK(result.token == 0 && result.candidates == 0);
        }
        const Row other = a_row(c);
        const std::int32_t next = s2_chain_sample(chain, other.logits.data(), other.n());
        CHECK(next == s2_chain_sample(twin, other.logits.data(), other.n()));
        if (tokens[0] < 0) {
            CHECK(next == s2_chain_sample(third, other.logits.data(), other.n()));
        }
    }
    s2_chain_free(twin);
    s2_chain_free(third);
}

void use_chain(World &w, Choices &c) {
    S2Chain *chain = w.chains.any(c);
    const Row row = a_row(c);
    S2Chain *twin = s2_chain_clone(chain);
    std::int32_t tokens[2] = {0, 0};
    S2Chain *both[2] = {chain, twin};
    for (int who = 0; who < 2; ++who) {
        const Mode mode(c);
        tokens[who] = s2_chain_sample(both[who], row.logits.data(), row.n());
    }
    known(tokens[0], row.n(), "chain");
    CHECK(tokens[0] == tokens[1] || chain == nullptr);
    if (tokens[0] < 0 && chain != nullptr) {
        // A failed draw changes nothing: the next one is a clone's first.
        S2Chain *third = s2_chain_clone(chain);
        const Row other = a_row(c);
        const std::int32_t next = s2_chain_sample(chain, other.logits.data(), other.n());
        CHECK(next == s2_chain_sample(third, other.logits.data(), other.n()));
        CHECK(next == s2_chain_sample(twin, other.logits.data(), other.n()));
        s2_chain_free(third);
    }
    s2_chain_free(twin);
    switch (c.below(8)) {
        case 7: {
            // A saved chain goes on as its original does; bytes that were changed are no chain.
            std::vector<unsigned char> state(s2_chain_state_size(chain));
            bool own = false;
            for (std::int32_t i = 0; i < s2_chain_count(chain); ++i) {
                own = own || std::strcmp(s2_chain_stage_name(chain, i), "custom") == 0;
            }
            CHECK(state.empty() == (chain == nullptr || own));
            CHECK((s2_chain_save(chain, state.data(), state.size()) == 0) == !state.empty());
            if (state.empty()) break;
            CHECK(s2_chain_save(chain, state.data(), state.size() - 1) == S2_ERROR_BAD_ARGUMENT);
            S2Chain *restored = s2_chain_new_restored(state.data(), state.size());
            S2Chain *clone = s2_chain_clone(chain);
            CHECK(s2_chain_sample(restored, row.logits.data(), row.n()) ==
                  s2_chain_sample(clone, row.logits.data(), row.n()));
            s2_chain_free(clone);
            s2_chain_free(restored);
            state[c.below(static_cast<int>(state.size()))] ^= 1;
            CHECK(s2_chain_new_restored(state.data(), state.size()) == nullptr);
            break;
        }
        case 6: {
            const std::int32_t index = static_cast<std::int32_t>(c.below(9)) - 1;
            const auto seed = static_cast<std::uint32_t>(c.integer());
            std::uint32_t read = ~seed;
            const bool seeded = s2_chain_set_seed(chain, index, seed) == 0;
            CHECK(seeded == (s2_chain_get_seed(chain, index, &read) == 0) && seeded == (read == seed));
            break;
        }
        case 0: (void)s2_chain_accept(chain, c.integer()); break;
        case 1: (void)s2_chain_reset(chain); break;
        case 2: (void)s2_chain_remove(chain, static_cast<std::int32_t>(c.below(9)) - 1); break;
        case 3: {
            S2Report *report = nullptr;
            const Mode mode(c);
            if (s2_chain_report_first(chain, row.logits.data(), row.n(), c.integer(), &report) == 0) {
                CHECK(report->n_stages == s2_chain_count(chain));
                s2_report_free(report);
            }
            break;
        }
        case 4: {
            std::vector<S2TokenData> data;
            for (std::size_t i = 0; i < row.logits.size(); ++i) {
                data.push_back({c.one_in(9) ? c.integer() : static_cast<std::int32_t>(i), row.logits[i], c.number()});
            }
            S2TokenDataArray array = {data.data(), data.size(), -1, c.one_in(2)};
            const Mode mode(c);
            if (s2_chain_apply(chain, &array) == 0) {
                CHECK(array.size > 0 && array.size <= data.size());
                CHECK(array.selected >= -1 && array.selected < static_cast<std::int64_t>(array.size));
            }
            break;
        }
        default: w.chains.add(s2_chain_clone(chain), s2_chain_free); break;
    }
}

void play(Choices &c) {
    World w;
    for (std::uint32_t steps = 5 + c.below(120); steps > 0; --steps) {
        switch (c.below(16)) {
            case 14:
            case 15: draw_with_chain_request(w, c); break;
            case 0: w.samplers.add(c.one_in(4) ? s2_sampler_new_random() : s2_sampler_new(c.word()), s2_sampler_free); break;
            case 1: w.samplers.add(s2_sampler_clone(w.samplers.any(c)), s2_sampler_free); break;
            case 2: draw_with_sampler(w, c); break;
            case 3:
            case 4: draw_with_request(w, c); break;
            case 5: states(w, c); break;
            case 6: make_stream(w, c); break;
            case 7: use_stream(w, c); break;
            case 8:
            case 9: make_chain(w, c); break;
            case 10:
            case 11: use_chain(w, c); break;
            case 12: {
                const Row row = a_row(c);
                const S2SamplerParams params = c.params();
                if (c.one_in(3)) {
                    s2_seed_thread(c.word());
                }
                const Mode mode(c);
                const std::int32_t token = s2_sample_token(row.logits.data(), row.n(), &params);
                CHECK(token >= 0 && (token == 0 || token < row.n()));
                break;
            }
            default:
                switch (c.below(3)) {
                    case 0: w.samplers.drop(c, s2_sampler_free); break;
                    case 1: w.streams.drop(c, s2_stream_free); break;
                    default: w.chains.drop(c, s2_chain_free); break;
                }
        }
    }
}

} // namespace

#ifdef S2_FUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    Choices choices(data, size, size);
    play(choices);
    return 0;
}
#else
int main(int argc, char **argv) {
    const unsigned long cases = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2000;
    const unsigned long first = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
    for (unsigned long seed = first; seed < first + cases; ++seed) {
        // The seed of a failure is what was printed last.
        std::fprintf(stderr, "\r%lu", seed);
        Choices choices(nullptr, 0, seed);
        play(choices);
    }
    std::fprintf(stderr, "\n");
    return 0;
}
#endif
