// A stand-in for llama.h as it is in 2026: hooks of backend sampling behind the first six members, and
// llama_sampler_init().
#include "../common.h"

#define S2_TEST_LLAMA_NAME "now"

struct ggml_context;
struct ggml_cgraph;
struct ggml_tensor;
struct llama_sampler_data;
typedef struct ggml_backend_buffer_type *ggml_backend_buffer_type_t;

struct llama_sampler_i {
    const char *(*name)(const llama_sampler *smpl);
    void (*accept)(llama_sampler *smpl, llama_token token);
    void (*apply)(llama_sampler *smpl, llama_token_data_array *cur_p);
    void (*reset)(llama_sampler *smpl);
    llama_sampler *(*clone)(const llama_sampler *smpl);
    void (*free)(llama_sampler *smpl);
    bool (*backend_init)(llama_sampler *smpl, ggml_backend_buffer_type_t buft, uint32_t n_outputs);
    void (*backend_accept)(llama_sampler *smpl, ggml_context *ctx, ggml_cgraph *gf, ggml_tensor *selected);
    void (*backend_apply)(llama_sampler *smpl, ggml_context *ctx, ggml_cgraph *gf, llama_sampler_data *data);
    void (*backend_set_input)(llama_sampler *smpl);
    void (*backend_reset)(llama_sampler *smpl);
    void (*copy_state)(const llama_sampler *src, llama_sampler *dst);
};

struct llama_sampler {
    llama_sampler_i *iface;
    llama_sampler_context_t ctx;
};

// Counted: the adapter must use it where it exists.
inline int host_inits = 0;

inline llama_sampler *llama_sampler_init(llama_sampler_i *iface, llama_sampler_context_t ctx) {
    ++host_inits;
    return new llama_sampler{iface, ctx};
}

inline bool host_made(const llama_sampler *smpl) {
    const llama_sampler_i *i = smpl->iface;
    return host_inits > 0 && i->backend_init == nullptr && i->backend_accept == nullptr &&
           i->backend_apply == nullptr && i->backend_set_input == nullptr && i->backend_reset == nullptr &&
           i->copy_state == nullptr;
}
