/* Structs that state their size, at every size from 0 to 4096, in memory of exactly that size before a page
   that cannot be touched. */
#define _DEFAULT_SOURCE
#include <s2sampler.h>

#include "support/check.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { kPage = 8192, kLargest = 4096 };

static unsigned char *pages;

/* A struct that states `size`, with `known` bytes of `from` and `beyond` in the last byte of what it states. */
static void *sized(uint32_t size, const void *from, size_t known, unsigned char beyond) {
    const size_t room = size < 4 ? 4 : size > kLargest ? kLargest : size;
    unsigned char *const at = pages + kPage - room;
    memset(pages, 0, kPage);
    memcpy(at, from, known < room ? known : room);
    memcpy(at, &size, sizeof size);
    if (room > known) at[room - 1] = beyond;
    return at;
}

static const float row[6] = {1.0F, 2.0F, 3.0F, 2.5F, 0.0F, -1.0F};

static int32_t draws(uint32_t size, unsigned char beyond) {
    S2Sampler *const sampler = s2_sampler_new(9);
    S2SampleRequest request = {0};
    int32_t token;
    request.logits = row;
    request.vocab_size = 6;
    token = s2_sampler_sample_ex(
        sampler, (S2SampleRequest *)sized(size, &request, sizeof request, beyond), NULL);
    s2_sampler_free(sampler);
    return token;
}

static int32_t tells(uint32_t size, unsigned char beyond) {
    S2Sampler *const sampler = s2_sampler_new(9);
    S2SampleRequest request = {0};
    S2SampleResult empty;
    S2SampleResult expected = {0};
    unsigned char before[kLargest];
    const size_t room = size < 4 ? 4 : size > kLargest ? kLargest : size;
    void *at;
    int32_t token;

    request.struct_size = sizeof request;
    request.logits = row;
    request.vocab_size = 6;
    expected.struct_size = sizeof expected;
    CHECK(s2_sampler_sample_ex(sampler, &request, &expected) >= 0);
    s2_sampler_seed(sampler, 9);

    memset(&empty, 0x5A, sizeof empty);
    at = sized(size, &empty, sizeof empty, beyond);
    memcpy(before, at, room);
    token = s2_sampler_sample_ex(sampler, &request, (S2SampleResult *)at);
    if (token < 0) {
        CHECK(memcmp(before, at, room) == 0);
    } else {
        expected.struct_size = size;
        CHECK(memcmp(at, &expected, sizeof expected) == 0);
        CHECK(memcmp(before + sizeof expected, (unsigned char *)at + sizeof expected, room - sizeof expected) == 0);
    }
    s2_sampler_free(sampler);
    return token;
}

static int32_t configures(uint32_t size, unsigned char beyond) {
    S2StreamConfig config;
    S2Stream *stream;
    s2_stream_config_init(&config);
    config.semantic_last = 3;
    stream = s2_stream_new(1, (S2StreamConfig *)sized(size, &config, sizeof config, beyond));
    CHECK((stream == NULL) == (s2_new_status() < 0));
    s2_stream_free(stream);
    return s2_new_status();
}

static int32_t presets(uint32_t size, unsigned char beyond) {
    S2PresetParams params;
    S2Chain *chain;
    CHECK(s2_preset_params_init(&params, S2_PRESET_LLAMA) == 0);
    chain = s2_chain_new_preset(S2_PRESET_LLAMA, 1,
                                (S2PresetParams *)sized(size, &params, sizeof params, beyond));
    CHECK((chain == NULL) == (s2_new_status() < 0));
    s2_chain_free(chain);
    return s2_new_status();
}

static int32_t options(uint32_t size, unsigned char beyond) {
    S2DistOptions given;
    S2Chain *const chain = s2_chain_new();
    int32_t index;
    s2_dist_options_init(&given);
    index = s2_chain_add_dist_ex(chain, (S2DistOptions *)sized(size, &given, sizeof given, beyond));
    CHECK(s2_chain_count(chain) == (index < 0 ? 0 : 1));
    s2_chain_free(chain);
    return index;
}

static int32_t asks(uint32_t size, unsigned char beyond) {
    S2Chain *const chain = s2_chain_new();
    S2ChainRequest request = {0};
    int32_t token;
    CHECK(s2_chain_add_dist(chain, 9) == 0);
    request.logits = row;
    request.vocab_size = 6;
    token = s2_chain_sample_ex(chain, (S2ChainRequest *)sized(size, &request, sizeof request, beyond), NULL);
    s2_chain_free(chain);
    return token;
}

static int32_t answers(uint32_t size, unsigned char beyond) {
    S2Chain *const chain = s2_chain_new();
    S2ChainRequest request = {0};
    S2ChainResult empty;
    S2ChainResult expected = {0};
    unsigned char before[kLargest];
    const size_t room = size < 4 ? 4 : size > kLargest ? kLargest : size;
    void *at;
    int32_t token;
    CHECK(s2_chain_add_dist(chain, 9) == 0);
    request.struct_size = sizeof request;
    request.logits = row;
    request.vocab_size = 6;
    expected.struct_size = sizeof expected;
    CHECK(s2_chain_sample_ex(chain, &request, &expected) >= 0);
    s2_chain_reset(chain);
    memset(&empty, 0x5A, sizeof empty);
    at = sized(size, &empty, sizeof empty, beyond);
    memcpy(before, at, room);
    token = s2_chain_sample_ex(chain, &request, (S2ChainResult *)at);
    if (token < 0) {
        CHECK(memcmp(before, at, room) == 0);
    } else {
        expected.struct_size = size;
        CHECK(memcmp(at, &expected, sizeof expected) == 0);
        CHECK(memcmp(before + sizeof expected, (unsigned char *)at + sizeof expected, room - sizeof expected) == 0);
    }
    s2_chain_free(chain);
    return token;
}

static void every_size(const char *name, int32_t (*call)(uint32_t, unsigned char), size_t first) {
    uint32_t size;
    for (size = 0; size <= kLargest; ++size) {
        CHECK_CASE((call(size, 0) >= 0) == (size >= first), "%s of %d bytes", name, (int)size);
        if (size < first) CHECK(call(size, 0) == S2_ERROR_BAD_ARGUMENT);
        /* What this version does not know must be off. */
        if (size > first) CHECK(call(size, 1) == S2_ERROR_BAD_ARGUMENT);
    }
    CHECK(call(kLargest + 1, 0) == S2_ERROR_BAD_ARGUMENT);
    CHECK(call(UINT_MAX, 0) == S2_ERROR_BAD_ARGUMENT);
    CHECK(call(INT_MAX, 0) == S2_ERROR_BAD_ARGUMENT);
}

int main(void) {
    pages = (unsigned char *)mmap(NULL, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    CHECK(mprotect(pages + kPage, kPage, PROT_NONE) == 0);
    every_size("request", draws, sizeof(S2SampleRequest));
    every_size("result", tells, sizeof(S2SampleResult));
    every_size("stream's configuration", configures, sizeof(S2StreamConfig));
    every_size("preset's parameters", presets, sizeof(S2PresetParams));
    every_size("options of dist", options, sizeof(S2DistOptions));
    every_size("chain's request", asks, sizeof(S2ChainRequest));
    every_size("chain's result", answers, sizeof(S2ChainResult));
    return 0;
}
