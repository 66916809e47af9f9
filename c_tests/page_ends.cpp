// Rows right before and right after a protected page, and at every place in a cache line: nothing beyond
// the row is read, and the tokens are those of the same row elsewhere.
#include <s2sampler.h>

#include "support/check.h"
#include "support/oracle.hpp"
#include "support/pages.hpp"
#include "support/rows.hpp"
#include "support/ways.hpp"

#include <csignal>
#include <sys/wait.h>

#include <vector>

namespace {

using Tokens = std::vector<std::int32_t>;

const SamplerParams kParams[] = {
    {0.0F, 0.9F, 0}, {0.8F, 0.8F, 30}, {1.0F, 1.0F, 0}, {1.0F, 0.999F, 0}, {2.0F, kNan, 200}};

// What all ways draw from the row, with every parameter set, by generators of one seed.
Tokens drawn_from(const float *row, std::size_t n) {
    const Generators generators(7);
    Tokens tokens;
    for (const SamplerParams &params : kParams) {
        const Drawing drawing = generators.from(row, static_cast<std::int32_t>(n), params);
        for (const Way &way : kWays) tokens.push_back(way.draw(drawing));
    }
    return tokens;
}

// Around whole vectors, chunks and pages of every level, and the sizes of a codebook and a vocabulary.
std::vector<std::size_t> lengths() {
    std::vector<std::size_t> lengths;
    for (std::size_t n = 1; n <= 530; ++n) lengths.push_back(n);
    for (const std::size_t n : {768U, 1024U, 2048U, 4096U, 8192U, 16384U, 32768U, 155776U}) {
        for (std::size_t near = n - 2; near <= n + 2; ++near) lengths.push_back(near);
    }
    return lengths;
}

void beside_protected_pages() {
    const Enclosed memory(156000 * sizeof(float));
    for (const std::size_t n : lengths()) {
        const std::vector<float> row = n % 2 == 0 ? bell(n, 0x1p-19F, n) : peaky(n, 0x1p-19F, n);
        const Tokens expected = drawn_from(row.data(), n);
        CHECK_CASE(drawn_from(memory.at_end(row), n) == expected, "n %zu at the end", n);
        CHECK_CASE(drawn_from(memory.at_begin(row), n) == expected, "n %zu at the beginning", n);
    }
}

// All starts that a float may have in two cache lines, against the oracle.
void at_every_start() {
    constexpr std::size_t kPlaces = 32;
    for (const std::size_t n : {1U, 15U, 64U, 257U, 4096U, 20000U}) {
        const std::vector<float> row = bell(n, 0x1p-19F, n);
        std::vector<float> room(n + kPlaces + 16);
        for (std::size_t place = 0; place < kPlaces; ++place) {
            std::fill(room.begin(), room.end(), kInf);  // who reads beside the row finds a better token
            std::copy(row.begin(), row.end(), room.begin() + static_cast<std::ptrdiff_t>(place));
            for (const SamplerParams &params : kParams) {
                s2_seed_thread(3);
                std::mt19937 mirror(3);
                const std::int32_t token =
                    s2_sample_token(room.data() + place, static_cast<std::int32_t>(n), &params);
                CHECK_CASE(token == oracle_draw(row, params, mirror), "n %zu at %zu", n, place);
            }
            CHECK_CASE(drawn_from(room.data() + place, n) == drawn_from(row.data(), n), "n %zu at %zu", n,
                       place);
        }
    }
}

// Starts that no float may have: the same status in every way, without a look at the row or a word.
void between_floats() {
    const Enclosed memory(64);
    const float *const row = memory.at_end(std::vector<float>(8, 0.0F));
    const Generators generators(1);
    const State before = save(generators.sampler);
    for (std::size_t bytes = 1; bytes < sizeof(float); ++bytes) {
        const void *const odd = reinterpret_cast<const unsigned char *>(row) + bytes;
        for (const SamplerParams &params : kParams) {
            for (const Way &way : kWays) {
                const std::int32_t status =
                    way.draw(generators.from(static_cast<const float *>(odd), 8, params));
                CHECK_CASE(status == S2_ERROR_BAD_ARGUMENT, "%s at %zu: %d", way.name, bytes, status);
            }
        }
    }
    CHECK(save(generators.sampler) == before);
}

// The other arrays that a request points to.
void other_arrays_beside_protected_pages() {
    constexpr std::int32_t n = 100;
    const std::vector<float> row = bell(n, 0x1p-19F, 1);
    const Enclosed ranges(4096);
    const Enclosed banned(4096);
    const Enclosed history(4096);
    for (std::size_t count = 1; count < 40; ++count) {
        std::vector<std::int32_t> ids;
        for (std::size_t i = 0; i < count; ++i) ids.push_back(static_cast<std::int32_t>(i * 37 % n));
        std::vector<S2TokenRange> spans;
        for (const std::int32_t id : ids) spans.push_back({id, id + 1});
        S2SampleRequest request;
        s2_sample_request_init(&request);
        request.logits = row.data();
        request.vocab_size = n;
        request.n_ranges = request.n_banned = request.n_history = static_cast<std::int32_t>(count);
        request.repetition_penalty = 1.5F;
        const auto token = [&](bool at_end) {
            request.ranges = at_end ? ranges.at_end(spans) : ranges.at_begin(spans);
            request.banned = at_end ? banned.at_end(ids) : banned.at_begin(ids);
            request.history = at_end ? history.at_end(ids) : history.at_begin(ids);
            return s2_sampler_sample_ex(own(s2_sampler_new(1)).get(), &request, nullptr);
        };
        CHECK(token(true) >= 0 && token(true) == token(false));
    }
}

// The protected pages do end a program that reads them.
void the_pages_are_protected() {
    for (const bool at_end : {true, false}) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            const Enclosed memory(4096);
            const std::vector<float> row(100, 0.0F);
            const volatile float *const copy = at_end ? memory.at_end(row) : memory.at_begin(row);
            _exit(at_end ? copy[100] > 0.0F : copy[-1] > 0.0F);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    }
}

}  // namespace

int main() {
    the_pages_are_protected();
    beside_protected_pages();
    at_every_start();
    between_floats();
    other_arrays_beside_protected_pages();
}
