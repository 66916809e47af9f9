/* A plugin that carries the library, or needs it. */
#include "support/module.h"

const struct Module *test_module(void);

const struct Module *test_module(void) {
    static const struct Module module = {s2_sample_token,       s2_seed_thread,    s2_sampler_new_random,
                                         s2_sampler_get_seed,   s2_sampler_sample, s2_sampler_free};
    return &module;
}
