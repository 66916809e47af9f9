// What both stand-ins for llama.h have: the structs that a sampler of one's own needs, in llama.cpp's layout.
#ifndef S2_TEST_LLAMA_COMMON_H
#define S2_TEST_LLAMA_COMMON_H

#include <cstddef>
#include <cstdint>

#define LLAMA_DEFAULT_SEED 0xFFFFFFFF

typedef int32_t llama_token;
typedef void *llama_sampler_context_t;

struct llama_token_data {
    llama_token id;
    float logit;
    float p;
};

struct llama_token_data_array {
    llama_token_data *data;
    size_t size;
    int64_t selected;
    bool sorted;
};

struct llama_sampler;

#endif
