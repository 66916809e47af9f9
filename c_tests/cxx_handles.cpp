// s2sampler.hpp's owners of handles: the tokens of the C functions, move-only, and fine when empty.
#include <s2sampler.hpp>

#include "support/check.h"
#include "support/rows.hpp"

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace {

using s2sampler::Sampler;
using s2sampler::Params;
using s2sampler::Stream;
using s2sampler::StreamConfig;
using s2sampler::TokenRange;

template <class T>
constexpr bool is_owner =
    !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
    std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
    !std::is_default_constructible_v<T> && !std::is_convertible_v<T, bool> && sizeof(T) == sizeof(void *);
static_assert(is_owner<Sampler> && is_owner<Stream>);
static_assert(!std::is_convertible_v<S2Sampler *, Sampler> && !std::is_convertible_v<S2Stream *, Stream>);

const std::vector<float> &row() {
    static const std::vector<float> one = bell(64, 0x1p-20F, 1);
    return one;
}
const Params kFlat{1.0F, 1.0F, 0};
const ::SamplerParams kFlatC = kFlat;

void samplers_as_in_c() {
    Sampler sampler = Sampler::with_seed(42);
    S2Sampler *const c = s2_sampler_new(42);
    CHECK(sampler && c != nullptr && sampler.seed() == 42);
    const auto same = [&](s2sampler::Result drawn, std::int32_t expected) {
        CHECK(drawn.ok() && drawn.token() == expected);
    };
    const std::vector<TokenRange> ranges = {{40, 50}, {3, 7}};
    const std::array<TokenRange, 1> one = {{{10, 30}}};
    const auto c_ranges = [&](const TokenRange *first, std::int32_t count, const ::SamplerParams *params) {
        return s2_sampler_sample_ranges(c, row().data(), 64, first, count, params);
    };
    for (int i = 0; i < 50; ++i) {
        same(sampler.sample(row(), kFlat), s2_sampler_sample(c, row().data(), 64, &kFlatC));
        same(sampler.sample(row()), s2_sampler_sample(c, row().data(), 64, nullptr));
        same(sampler.sample(row().data(), 9, kFlat), s2_sampler_sample(c, row().data(), 9, &kFlatC));
        same(sampler.sample_ranges(row(), ranges, kFlat), c_ranges(ranges.data(), 2, &kFlatC));
        same(sampler.sample_ranges(row(), one), c_ranges(one.data(), 1, nullptr));
        same(sampler.sample_ranges(row(), {{40, 50}, {3, 7}}, kFlat), c_ranges(ranges.data(), 2, &kFlatC));
        same(sampler.sample_ranges(row(), {{40, 50}}), c_ranges(ranges.data(), 1, nullptr));
        same(sampler.sample_ranges(row().data(), 64, ranges.data(), 2), c_ranges(ranges.data(), 2, nullptr));
#if __cplusplus >= 202002L
        same(sampler.sample(std::span<const float>(row()), kFlat),
             s2_sampler_sample(c, row().data(), 64, &kFlatC));
        same(sampler.sample_ranges(row(), std::span<const TokenRange>(ranges)),
             c_ranges(ranges.data(), 2, nullptr));
#endif
    }
    sampler.reseed(43);
    s2_sampler_seed(c, 43);
    same(sampler.sample(row(), kFlat), s2_sampler_sample(c, row().data(), 64, &kFlatC));
    s2_sampler_free(c);
}

void samplers_move_clone_and_save() {
    Sampler sampler = Sampler::with_seed(5);
    CHECK(sampler.sample(row(), kFlat).ok());
    Sampler clone = sampler.clone();
    Sampler restored = Sampler::from_system();
    const std::vector<unsigned char> state = sampler.save();
    CHECK(state.size() == Sampler::state_size() && restored.restore(state) && restored.seed() == 5);
    std::array<unsigned char, 4096> buffer{};
    CHECK(sampler.save(buffer.data(), buffer.size()) && !sampler.save(buffer.data(), state.size() - 1));
    Sampler again = Sampler::with_seed(0);
    CHECK(!again.restore(buffer.data(), buffer.size()) && again.seed() == 0);
    CHECK(again.restore(buffer.data(), state.size()));

    S2Sampler *const handle = sampler.get();
    Sampler moved = std::move(sampler);
    CHECK(moved.get() == handle);
    for (int i = 0; i < 50; ++i) {
        const std::int32_t token = moved.sample(row(), kFlat).token();
        CHECK(clone.sample(row(), kFlat).token() == token);
        CHECK(restored.sample(row(), kFlat).token() == token);
        CHECK(again.sample(row(), kFlat).token() == token);
    }
    Sampler random = Sampler::from_system();
    Sampler replayed = Sampler::with_seed(random.seed());
    for (int i = 0; i < 50; ++i) CHECK(random.sample(row()).token() == replayed.sample(row()).token());
}

void an_empty_sampler_is_an_error() {
    Sampler empty(nullptr);
    CHECK(!empty && empty.get() == nullptr && empty.seed() == 0 && !empty.clone() && empty.save().empty());
    CHECK(empty.sample(row()).status() == S2_ERROR_NULL_POINTER);
    CHECK(empty.sample_ranges(row(), {{0, 3}}).status() == S2_ERROR_NULL_POINTER);
    CHECK(!empty.restore(Sampler::with_seed(1).save()));
    empty.reseed(1);
    empty = Sampler::with_seed(1);
    CHECK(empty && empty.sample(row()).ok());
    CHECK(empty.sample(std::vector<float>()).status() == S2_ERROR_EMPTY_ROW);
    CHECK(empty.sample_ranges(row(), {}).status() == S2_ERROR_EMPTY_ROW);

    // Counts that an int32_t cannot hold are never cut to one that it can.
    const std::size_t most = INT32_MAX;
    const TokenRange range = {0, 3};
    Stream stream = Stream::with_seed(1, {0, 3, -1});
    for (const std::size_t count : {most + 1, most * 2 + 2, most * 2 + 3, SIZE_MAX}) {
        CHECK(empty.sample(row().data(), count).status() == S2_ERROR_BAD_ARGUMENT);
        CHECK(empty.sample_ranges(row().data(), count, &range, 1).status() == S2_ERROR_BAD_ARGUMENT);
        CHECK(empty.sample_ranges(row().data(), 4, &range, count).status() == S2_ERROR_BAD_ARGUMENT);
        CHECK(stream.slow(row().data(), count, kFlat, true).status() == S2_ERROR_BAD_ARGUMENT);
        CHECK(stream.fast(row().data(), count, kFlat).status() == S2_ERROR_BAD_ARGUMENT);
    }
}

void configurations() {
    ::S2StreamConfig c;
    s2_stream_config_init(&c);
    const ::S2StreamConfig mine = StreamConfig();
    CHECK(std::memcmp(&mine, &c, sizeof c) == 0);
    const ::S2StreamConfig all = StreamConfig{1, 2, 3, 4, 5.0F, 6.0F, s2sampler::Ras::share, 7.0F,
                                              s2sampler::RasEnd::continues, true, true};
    CHECK(all.struct_size == sizeof c && all.semantic_first == 1 && all.semantic_last == 2 &&
          all.end_id == 3);
    CHECK(all.ras_window == 4 && all.ras_temperature == 5.0F && all.ras_top_p == 6.0F);
    CHECK(all.ras_mode == S2_RAS_SHARE && all.ras_tau == 7.0F && all.ras_end == S2_RAS_END_CONTINUES);
    CHECK(all.ras_always == 1 && all.ras_bans == 1);
#if __cplusplus >= 202002L
    CHECK(StreamConfig{.semantic_last = 5}.ras_window == 10);
#endif
}

void streams_as_in_c() {
    const StreamConfig config{10, 40, 5};
    const ::S2StreamConfig c_config = config;
    Stream stream = Stream::with_seed(42, config);
    S2Stream *const c = s2_stream_new(42, &c_config);
    CHECK(stream && c != nullptr && stream.seed() == 42);
    int ends = 0;
    for (int i = 0; i < 300; ++i) {
        if (i == 200) {
            stream.reset(44);
            s2_stream_reset(c, 44);
        }
        const bool allow_end = i % 2 == 0;
        const s2sampler::Result token = stream.slow(row(), kFlat, allow_end);
        CHECK(token.token() == s2_stream_slow(c, row().data(), 64, &kFlatC, allow_end));
        CHECK(stream.ended() == (s2_stream_ended(c) == 1) && (allow_end || !stream.ended()));
        CHECK(stream.code(token, 20).token() == s2_stream_code(c, token.token(), 20));
        CHECK(stream.fast(row(), kFlat).token() == s2_stream_fast(c, row().data(), 64, &kFlatC));
        ends += stream.ended();
    }
    CHECK(ends > 0);
    s2_stream_free(c);

    Stream clone = stream.clone();
    Stream moved = std::move(stream);
    for (int i = 0; i < 50; ++i)
        CHECK(moved.slow(row(), kFlat, true).token() == clone.slow(row(), kFlat, true).token());

    // What is no token stays what it was.
    const s2sampler::Result none = moved.slow(nullptr, 4, kFlat, true);
    CHECK(none.status() == S2_ERROR_NULL_POINTER && moved.code(none, 20).status() == S2_ERROR_NULL_POINTER);
    CHECK(moved.code(s2sampler::Result(12), 0).status() == S2_ERROR_BAD_ARGUMENT);

    Stream random = Stream::from_system(config);
    Stream replayed = Stream::with_seed(random.seed(), config);
    for (int i = 0; i < 50; ++i)
        CHECK(random.slow(row(), kFlat, true).token() == replayed.slow(row(), kFlat, true).token());
}

void an_empty_stream_is_an_error() {
    Stream empty = Stream::with_seed(1, StreamConfig());
    CHECK(!empty && empty.get() == nullptr && empty.seed() == 0 && !empty.clone() && !empty.ended());
    CHECK(!Stream::from_system(StreamConfig()));
    CHECK(empty.slow(row(), kFlat, true).status() == S2_ERROR_NULL_POINTER);
    CHECK(empty.fast(row(), kFlat).status() == S2_ERROR_NULL_POINTER);
    CHECK(empty.code(s2sampler::Result(3), 20).status() == S2_ERROR_NULL_POINTER);
    empty.reset(1);
    CHECK(!empty);
}

}  // namespace

int main() {
    samplers_as_in_c();
    samplers_move_clone_and_save();
    an_empty_sampler_is_an_error();
    configurations();
    streams_as_in_c();
    an_empty_stream_is_an_error();
}
