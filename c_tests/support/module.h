/* What a module that is loaded at run time hands out of the library. */
#ifndef S2_TESTS_MODULE_H
#define S2_TESTS_MODULE_H

#include <s2sampler.h>

struct Module {
    int32_t (*sample_token)(const float *, int32_t, const SamplerParams *);
    void (*seed_thread)(uint32_t);
    S2Sampler *(*sampler_new_random)(void);
    uint32_t (*sampler_get_seed)(const S2Sampler *);
    int32_t (*sampler_sample)(S2Sampler *, const float *, int32_t, const SamplerParams *);
    void (*sampler_free)(S2Sampler *);
};

#endif
