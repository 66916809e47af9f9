// No allocation after warm-up: every way to allocate is replaced by one that counts.
#include <s2sampler.h>

#include "support/check.h"
#include "support/rows.hpp"

#include <errno.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

// glibc's own entry points, which the replacements hand on to.
extern "C" {
void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t count, std::size_t size);
void *__libc_realloc(void *old, std::size_t size);
void *__libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<long> allocations{0};

}  // namespace

extern "C" {

void *malloc(std::size_t size) {
    ++allocations;
    return __libc_malloc(size);
}

void *calloc(std::size_t count, std::size_t size) {
    ++allocations;
    return __libc_calloc(count, size);
}

void *realloc(void *old, std::size_t size) {
    ++allocations;
    return __libc_realloc(old, size);
}

void *memalign(std::size_t alignment, std::size_t size) {
    ++allocations;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(std::size_t alignment, std::size_t size) {
    ++allocations;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, std::size_t alignment, std::size_t size) {
    ++allocations;
    *out = __libc_memalign(alignment, size);
    return *out == nullptr ? ENOMEM : 0;
}

}  // extern "C"

namespace {

long allocations_of(const std::vector<std::vector<float>> &rows, const std::vector<SamplerParams> &params) {
    const long before = allocations;
    for (const std::vector<float> &row : rows) {
        for (const SamplerParams &one : params) {
            CHECK(s2_sample_token(row.data(), static_cast<std::int32_t>(row.size()), &one) >= 0);
        }
    }
    return allocations - before;
}

// Adds stages of all kinds, with histories that are limited.
void add_stages(S2Chain *chain, bool by_rank) {
    const S2LogitBias biases[] = {{1, -1.0F}, {0, 1.0F}};
    CHECK(s2_chain_add_logit_bias(chain, biases, 2) >= 0);
    CHECK(s2_chain_add_penalties(chain, 64, 1.5F, 0.1F, 0.0F) >= 0);
    CHECK(s2_chain_add_dry(chain, 1.0F, 1.5F, 1, 64, nullptr, nullptr, 0) >= 0);
    if (by_rank) CHECK(s2_chain_add_top_k(chain, 40) >= 0);
    CHECK(s2_chain_add_softmax(chain) >= 0 && s2_chain_add_top_p(chain, 0.95F, 1) >= 0);
    CHECK(s2_chain_add_min_p(chain, 0.01F, 1) >= 0 && s2_chain_add_top_n_sigma(chain, 5.0F) >= 0);
    CHECK(s2_chain_add_typical(chain, 0.99F, 1) >= 0 && s2_chain_add_xtc(chain, 0.5F, 0.1F, 1, 1) >= 0);
    CHECK(s2_chain_add_temperature_ext(chain, 0.8F, 0.5F, 1.0F) >= 0 && s2_chain_add_dist(chain, 1) >= 0);
}

// Chains do not allocate either, once they have had the same rows.
void run_chains(const std::vector<std::vector<float>> &rows) {
    std::vector<S2TokenData> tokens(4096);
    for (const bool by_rank : {true, false}) {
        S2Chain *const chain = s2_chain_new();
        add_stages(chain, by_rank);
        const auto allocated = [&] {
            const long before = allocations;
            for (const std::vector<float> &row : rows) {
                const std::int32_t token = s2_chain_sample(chain, row.data(), static_cast<std::int32_t>(row.size()));
                CHECK(token >= 0 || token == S2_ERROR_NO_CANDIDATE);
                for (std::int32_t id = 0; id < 4096; ++id) {
                    tokens[static_cast<std::size_t>(id)] = {id, row[static_cast<std::size_t>(id) % row.size()], 0.0F};
                }
                S2TokenDataArray array = {tokens.data(), tokens.size(), 0, false};
                const std::int32_t applied = s2_chain_apply(chain, &array);
                CHECK(applied == 0 || applied == S2_ERROR_NO_CANDIDATE);
                CHECK(s2_chain_accept(chain, 5) == 0);
            }
            s2_chain_reset(chain);
            return allocations - before;
        };
        CHECK(allocated() > 0);
        for (int twice = 0; twice < 2; ++twice) {
            const long after = allocated();
            CHECK_CASE(after == 0, "%ld allocations of a chain after warm-up", after);
        }
        s2_chain_free(chain);
    }
}

void run() {
    constexpr std::size_t longest = 155776;
    const SamplerParams widest = {1.0F, kNan, 0};

    std::vector<SamplerParams> params = {{0.0F, 0.9F, 30}};
    for (const float temperature : {0.8F, 1e-6F, kInf, kNan}) {
        for (const float top_p : {0.8F, 1.0F, kNan}) {
            for (const std::int32_t top_k : {1, 30, 5000, 0}) params.push_back({temperature, top_p, top_k});
        }
    }
    std::vector<std::vector<float>> rows;
    for (const std::size_t n : {longest, std::size_t{4096}, std::size_t{1}, std::size_t{4097}, longest}) {
        for (const char *family : {"bell", "peaky", "masked", "tied"}) {
            rows.push_back(family_row(family, n, 0x1p-20F, n));
        }
    }
    rows.push_back(std::vector<float>(longest, 0.0F));
    rows.push_back(std::vector<float>(longest, -kInf));
    rows.push_back(std::vector<float>(longest, kNan));

    const long warm_up = allocations_of({rows[0], rows.end()[-3]}, {widest});
    // Otherwise the library allocates by another way than those above, and the count means nothing.
    CHECK(warm_up > 0);
    const long after = allocations_of(rows, params);
    CHECK_CASE(after == 0, "%ld allocations after warm-up", after);
    run_chains(rows);

    const long before = allocations;
    s2_seed_thread(1);
    CHECK(s2_sample_token(nullptr, 1, nullptr) == S2_ERROR_NULL_POINTER);
    CHECK(s2_status_string(S2_ERROR_NULL_POINTER) != nullptr && s2_version() != nullptr);
    CHECK(s2_abi_version() > 0 && s2_sampler_params_default().top_k > 0);
    CHECK(allocations == before);
}

}  // namespace

int main() {
    run();
    std::thread(run).join();  // another thread has memory of its own, hence a warm-up of its own
}
