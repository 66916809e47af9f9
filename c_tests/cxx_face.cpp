// s2sampler.hpp: same tokens as the C function, from every kind of row; errors are values.
#include <s2sampler.hpp>

#include "support/check.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

// Engines have a namespace s2 and a struct of this name in it; both must be able to live here.
namespace s2 {
struct SamplerParams {
    float temperature = 0.8F;
    float top_p = 0.8F;
    std::int32_t top_k = 30;
};
static_assert(sizeof(SamplerParams) == sizeof(s2sampler::Params));
}  // namespace s2

namespace {

// A row of an engine's own, and things that are no rows.
struct View {
    const float *data() const { return values; }
    std::size_t size() const { return 3; }
    float values[3] = {0, 5, 1};
};

template <class Row, class = void>
struct accepted : std::false_type {};
template <class Row>
struct accepted<Row, std::void_t<decltype(s2sampler::sample_token(std::declval<Row>()))>>
    : std::true_type {};

static_assert(accepted<std::vector<float>>::value && accepted<std::array<float, 2>>::value);
static_assert(accepted<float (&)[2]>::value && accepted<View>::value);
static_assert(accepted<const std::vector<float> &>::value);
static_assert(!accepted<std::vector<double>>::value && !accepted<std::vector<int>>::value);
static_assert(!accepted<std::string>::value && !accepted<int>::value && !accepted<float *>::value);

static_assert(noexcept(s2sampler::sample_token(std::declval<const std::vector<float> &>())));
static_assert(noexcept(s2sampler::sample_token(nullptr, 0)));
static_assert(noexcept(s2sampler::seed_thread(0)));
static_assert(noexcept(s2sampler::simd_level()));
static_assert(!std::is_convertible_v<s2sampler::Result, bool>);
static_assert(!std::is_convertible_v<s2sampler::Result, int>);
static_assert(sizeof(s2sampler::Result) == 4 && std::is_trivially_copyable_v<s2sampler::Result>);

void parameters() {
    const s2sampler::Params mine;
    const ::SamplerParams c = s2_sampler_params_default();
    CHECK(std::memcmp(&mine, &c, sizeof c) == 0);
    const ::SamplerParams converted = s2sampler::Params{1.5F, 0.25F, -3};
    CHECK(converted.temperature == 1.5F && converted.top_p == 0.25F && converted.top_k == -3);
    const s2sampler::Params back = s2sampler::Params::from(converted);
    CHECK(std::memcmp(&back, &converted, sizeof back) == 0);
#if __cplusplus >= 202002L
    CHECK(s2sampler::Params{.top_k = 5}.top_p == mine.top_p);
#endif
}

void same_tokens_as_c() {
    const std::vector<float> row = {1.0F, 2.0F, 3.0F, 2.9F};
    const s2sampler::Params params{1.0F, 1.0F, 0};
    const ::SamplerParams c = params;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        s2_seed_thread(seed);
        const std::int32_t expected = s2_sample_token(row.data(), 4, &c);
        const std::int32_t expected_default = s2_sample_token(row.data(), 4, nullptr);
        s2sampler::seed_thread(seed);
        CHECK(s2sampler::sample_token(row, params).token() == expected);
        CHECK(s2sampler::sample_token(row).token() == expected_default);
        s2sampler::seed_thread(seed);
        CHECK(s2sampler::sample_token(row.data(), row.size(), params).token() == expected);
        CHECK(s2sampler::sample_token(row.data(), row.size()).token() == expected_default);

        s2_seed_thread(seed);
        const std::int32_t first[] = {s2_sample_token_first(row.data(), 4, nullptr, -1),
                                      s2_sample_token_first(row.data(), 4, &c, 0)};
        s2sampler::seed_thread(seed);
        CHECK(s2sampler::sample_token_first(row).token() == first[0]);
        CHECK(s2sampler::sample_token_first(row, params, 0).token() == first[1]);
        s2sampler::seed_thread(seed);
        CHECK(s2sampler::sample_token_first(row.data(), row.size()).token() == first[0]);
    }
}

void every_kind_of_row() {
    const s2sampler::Params greedy{0.0F, 1.0F, 0};
    std::vector<float> vector = {0, 1, 9};
    const float array[] = {7, 1, 2, 3};
    CHECK(s2sampler::sample_token(vector, greedy).token() == 2);
    CHECK(s2sampler::sample_token(std::array<float, 2>{1, 2}, greedy).token() == 1);
    CHECK(s2sampler::sample_token(array, greedy).token() == 0);
    CHECK(s2sampler::sample_token(View(), greedy).token() == 1);
    CHECK(s2sampler::sample_token(std::vector<float>(), greedy).token() == 0);
#if __cplusplus >= 202002L
    CHECK(s2sampler::sample_token(std::span<float>(vector).first(2), greedy).token() == 1);
    CHECK(s2sampler::sample_token(std::span<const float>(array), greedy).token() == 0);
#endif
}

void errors_are_values() {
    const s2sampler::Result none = s2sampler::sample_token(nullptr, 4);
    CHECK(!none && !none.ok());
    CHECK(none.status() == S2_ERROR_NULL_POINTER && none.token() < 0 && none.value_or(11) == 11);
    CHECK(std::string_view(none.message()) == s2_status_string(S2_ERROR_NULL_POINTER));

    // Lengths that an int32_t cannot hold are never cut to one that it can.
    const float row[1] = {0};
    const std::size_t most = INT32_MAX;
    for (const std::size_t count : {most + 1, most * 2 + 2, most * 2 + 3, SIZE_MAX}) {
        CHECK(s2sampler::sample_token(row, count).status() == S2_ERROR_BAD_ARGUMENT);
    }

    const s2sampler::Result some = s2sampler::sample_token(row, 1);
    CHECK(some && some.ok() && some.token() == 0 && some.status() == 0 && some.value_or(11) == 0);
    CHECK(std::string_view(some.message()) == s2_status_string(0));
}

// The variable is read once: what is set later has no influence.
void the_level_stays() {
    const std::string_view level = s2sampler::simd_level();
    CHECK(level == s2_simd_level());
    for (const char *const name : {"baseline", "avx2", "avx512", "neon"}) {
#ifdef _WIN32
        CHECK(_putenv_s("S2SAMPLER_SIMD", name) == 0);
#else
        CHECK(setenv("S2SAMPLER_SIMD", name, 1) == 0);
#endif
        CHECK(s2sampler::simd_level() == level);
    }
}

}  // namespace

int main() {
    parameters();
    same_tokens_as_c();
    every_kind_of_row();
    errors_are_values();
    the_level_stays();
}
