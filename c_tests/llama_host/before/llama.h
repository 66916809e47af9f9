// A stand-in for llama.h as it was early in 2025: six members, const interfaces, no llama_sampler_init().
#include "../common.h"

#define S2_TEST_LLAMA_NAME "before"

struct llama_sampler_i {
    const char *(*name)(const llama_sampler *smpl);
    void (*accept)(llama_sampler *smpl, llama_token token);
    void (*apply)(llama_sampler *smpl, llama_token_data_array *cur_p);
    void (*reset)(llama_sampler *smpl);
    llama_sampler *(*clone)(const llama_sampler *smpl);
    void (*free)(llama_sampler *smpl);
};

struct llama_sampler {
    const llama_sampler_i *iface;
    llama_sampler_context_t ctx;
};

inline bool host_made(const llama_sampler *) { return true; }
