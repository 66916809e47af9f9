/* The engine's own function, drawn with the library that its build file chose. */
#include <s2sampler.h>

int engine_token(const float *logits, int n);

int engine_token(const float *logits, int n) {
    return (int)s2_sample_token(logits, n, 0);
}
