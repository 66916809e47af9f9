// Rows without a logit above -inf: token 0 from the thread's draw, a status from every handle, and then
// nothing has changed.
#include <s2sampler.h>

#include "support/check.h"
#include "support/rows.hpp"
#include "support/ways.hpp"

#include <cstring>
#include <vector>

namespace {

constexpr std::int32_t kN = 300;
const SamplerParams kFlat = {1.0F, kNan, 0};

std::vector<float> dead_row(bool nans) {
    std::vector<float> row(kN, -kInf);
    for (std::size_t i = 0; nans && i < row.size(); i += 3) row[i] = kNan;
    return row;
}

// Draws by `way` with and without dead rows between: the tokens are the same.
void leaves_no_trace(const Way &way) {
    const std::vector<float> row = bell(kN, 0x1p-20F, 3);
    const bool is_thread = draws_with_thread(way);
    std::vector<std::int32_t> plain;
    std::vector<std::int32_t> disturbed;
    {
        const Generators generators(11);
        for (int i = 0; i < 60; ++i) plain.push_back(way.draw(generators.from(row.data(), kN, kFlat)));
    }
    const Generators generators(11);
    for (int i = 0; i < 60; ++i) {
        const std::vector<float> dead = dead_row(i % 2 == 0);
        for (const SamplerParams params : {kFlat, SamplerParams{0.0F, 1.0F, 0}, SamplerParams{0.8F, 0.8F, 1}}) {
            const std::int32_t token = way.draw(generators.from(dead.data(), kN, params));
            if (is_thread) {
                CHECK(token == 0);
            } else {
                CHECK_CASE(token == S2_ERROR_NO_CANDIDATE, "%s: %d", way.name, token);
            }
        }
        CHECK(s2_stream_ended(generators.stream.get()) == (i > 0 && plain[static_cast<std::size_t>(i) - 1] == 0 &&
                                                          std::strcmp(way.name, "s2_stream_slow") == 0));
        disturbed.push_back(way.draw(generators.from(row.data(), kN, kFlat)));
    }
    // The thread's draw uses two words for a dead row with two candidates or more, as the original does.
    if (!is_thread) CHECK_CASE(plain == disturbed, "%s", way.name);
}

// What is masked out does not count, however high it is.
void allowed_is_what_counts() {
    std::vector<float> row = dead_row(true);
    row[5] = 9.0F;
    const Handles handles(1);
    S2SampleRequest request = {};
    request.struct_size = sizeof request;
    request.logits = row.data();
    request.vocab_size = kN;
    CHECK(s2_sampler_sample_ex(handles.sampler.get(), &request, nullptr) == 5);
    const std::int32_t banned[] = {5};
    request.banned = banned;
    request.n_banned = 1;
    S2SampleResult result = {};
    result.struct_size = sizeof result;
    CHECK(s2_sampler_sample_ex(handles.sampler.get(), &request, &result) == S2_ERROR_NO_CANDIDATE);
    CHECK(result.token == 0 && result.candidates == 0);
    const S2TokenRange around[] = {{0, 4}, {6, kN}};
    CHECK(s2_sampler_sample_ranges(handles.sampler.get(), row.data(), kN, around, 2, nullptr) ==
          S2_ERROR_NO_CANDIDATE);
    // A forbidden end never comes out.
    row[5] = -kInf;
    row[0] = 9.0F;
    CHECK(s2_stream_slow(handles.stream.get(), row.data(), kN, nullptr, 0) == S2_ERROR_NO_CANDIDATE);
    CHECK(s2_stream_ended(handles.stream.get()) == 0);
    CHECK(s2_stream_slow(handles.stream.get(), row.data(), kN, nullptr, 1) == 0);
    CHECK(s2_stream_ended(handles.stream.get()) == 1);
    CHECK(s2_stream_slow(handles.stream.get(), row.data(), kN, nullptr, 0) == S2_ERROR_NO_CANDIDATE);
    CHECK(s2_stream_ended(handles.stream.get()) == 1);
}

void special_values_can_be_counted() {
    std::vector<float> row = dead_row(true);
    row[1] = row[2] = kInf;
    std::int32_t nans = -1;
    std::int32_t infinities = -1;
    CHECK(s2_count_special(row.data(), kN, &nans, &infinities) == 102 && nans == 100 && infinities == 2);
    CHECK(s2_count_special(row.data(), kN, nullptr, nullptr) == 102);
    CHECK(s2_count_special(nullptr, 0, &nans, &infinities) == 0 && nans == 0 && infinities == 0);
    CHECK(s2_count_special(nullptr, -3, nullptr, nullptr) == 0);
    nans = -1;
    CHECK(s2_count_special(nullptr, 1, &nans, &infinities) == S2_ERROR_NULL_POINTER && nans == -1);
}

// An end token of the second draw ends the utterance, or not.
void an_end_that_is_drawn_again() {
    // Token 1 is semantic, then always drawn again; the second draw's only other choice is the end, 0.
    const std::vector<float> row = {0.0F, 0.1F};
    for (const std::int32_t end : {S2_RAS_END_STOPS, S2_RAS_END_CONTINUES}) {
        S2StreamConfig config = stream_config();
        config.ras_end = end;
        config.ras_temperature = 1.0F;
        config.ras_top_p = kNan;
        const StreamHandle stream = own(s2_stream_new(3, &config));
        const SamplerParams greedy = {0.0F, 1.0F, 0};
        int ends = 0;
        for (int i = 0; i < 100; ++i) {
            const std::int32_t token = s2_stream_slow(stream.get(), row.data(), 2, &greedy, 1);
            ends += token == 0;
            CHECK(s2_stream_ended(stream.get()) == (token == 0 && end == S2_RAS_END_STOPS));
            CHECK(token != 0 || s2_stream_code(stream.get(), token, 8) == 0);
        }
        CHECK(ends > 20 && ends < 80);
        // An end of the first draw ends it in either case.
        const std::vector<float> over = {1.0F, 0.0F};
        CHECK(s2_stream_slow(stream.get(), over.data(), 2, &greedy, 1) == 0);
        CHECK(s2_stream_ended(stream.get()) == 1);
    }
}

// A chain whose own stages leave nothing above -inf: the array says that nothing was selected.
void stages_can_leave_nothing() {
    const float row[3] = {2.0F, 1.0F, 3.0F};
    const S2LogitBias bans[3] = {{0, -kInf}, {1, -kInf}, {2, -kInf}};
    const ChainHandle chain = own(s2_chain_new());
    CHECK(s2_chain_add_logit_bias(chain.get(), bans, 3) == 0);
    CHECK(s2_chain_add_dist(chain.get(), 5) == 1);
    CHECK(s2_chain_sample(chain.get(), row, 3) == S2_ERROR_NO_CANDIDATE);
    S2Chain *const chains[1] = {chain.get()};
    std::int32_t token = 7;
    CHECK(s2_chain_sample_rows(chains, row, 1, 3, 3, &token) == 0 && token == S2_ERROR_NO_CANDIDATE);
    S2TokenData data[3] = {{0, 2.0F, 0.0F}, {1, 1.0F, 0.0F}, {2, 3.0F, 0.0F}};
    S2TokenDataArray array = {data, 3, 2, false};
    CHECK(s2_chain_apply(chain.get(), &array) == S2_ERROR_NO_CANDIDATE && array.selected == -1);
    // No random word was used: the next draw is the first.
    const ChainHandle fresh = own(s2_chain_new());
    CHECK(s2_chain_remove(chain.get(), 0) == 0 && s2_chain_add_dist(fresh.get(), 5) == 0);
    for (int i = 0; i < 20; ++i) {
        CHECK(s2_chain_sample(chain.get(), row, 3) == s2_chain_sample(fresh.get(), row, 3));
    }
}

}  // namespace

int main() {
    stages_can_leave_nothing();
    for (const Way &way : kWays) leaves_no_trace(way);
    allowed_is_what_counts();
    special_values_can_be_counted();
    an_end_that_is_drawn_again();
}
