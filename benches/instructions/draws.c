/* Draws as often as argv[1] says from a row of the S2 vocabulary: for scripts/cross.sh, which counts the
 * instructions of programs with different numbers of draws under an emulator. */
#include <s2sampler.h>

#include <stdio.h>
#include <stdlib.h>

#define LENGTH 155776

int main(int argc, char **argv) {
    static float row[LENGTH];
    const SamplerParams params = {0.8F, 0.9F, 30};
    uint32_t state = 1;
    int draws = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < LENGTH; ++i) {
        float sum = 0.0F;
        for (int part = 0; part < 4; ++part) {
            state = state * 1664525U + 1013904223U;
            sum += (float)(state >> 8) / 16777216.0F;
        }
        row[i] = 6.0F * (sum - 2.0F);
    }
    s2_seed_thread(1);
    for (; draws > 0; --draws) printf("%d ", (int)s2_sample_token(row, LENGTH, &params));
    printf("%s\n", s2_simd_level());
    return 0;
}
