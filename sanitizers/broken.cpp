// Does one wrong thing, named by argv[1], which a sanitizer must report: proof that it looks at this program
// and, where the library does the wrong thing for it, at the library. Ends with 0 if nothing hinders it.
#include <s2sampler.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

// What a compiler does not see through.
volatile int argument = 1;

const SamplerParams kFlat = {1.0F, 1.0F, 0};

int read_beyond_the_end() {
    const std::vector<int> items(4);
    const int *volatile first = items.data();
    return first[3 + argument];
}

// The library is told of one logit more than there is.
int library_reads_beyond_the_end() {
    const std::vector<float> row(1000, 1.0F);
    return s2_sample_token(row.data(), 1001, &kFlat);
}

int overflow_a_sum() { return argument + (INT_MAX - 1) + argument; }

int lose_memory() {
    void *volatile lost = std::malloc(100);
    lost = nullptr;
    return lost != nullptr;
}

int library_loses_memory() {
    S2Sampler *volatile lost = s2_sampler_new(1);
    lost = nullptr;
    return lost != nullptr;
}

int library_decides_by_unset_memory() {
    // Allocated as ints, of which one is set: a compiler must not see that the others are not.
    int *const unset = static_cast<int *>(std::malloc(1000 * sizeof(int)));
    unset[argument] = 0;
    float *volatile row = reinterpret_cast<float *>(unset);
    const int token = s2_sample_token(row, 1000, &kFlat);
    std::free(unset);
    return token;
}

int race() {
    int shared = argument;
    std::thread other([&shared] { ++shared; });
    ++shared;
    other.join();
    return shared;
}

// The library reads a row that this thread writes.
int library_reads_while_the_row_is_written() {
    std::vector<float> row(1000, 1.0F);
    int token = 0;
    std::thread other([&] { token = s2_sample_token(row.data(), 1000, &kFlat); });
    for (float &logit : row) logit = static_cast<float>(argument);
    other.join();
    return token;
}

const struct {
    std::string name;
    int (*wrong)();
} kWrongs[] = {
    {"nothing", [] { return 0; }},
    {"read", read_beyond_the_end},
    {"library_read", library_reads_beyond_the_end},
    {"overflow", overflow_a_sum},
    {"leak", lose_memory},
    {"library_leak", library_loses_memory},
    {"library_unset", library_decides_by_unset_memory},
    {"race", race},
    {"library_row_race", library_reads_while_the_row_is_written},
};

}  // namespace

int main(int argc, char **argv) {
    for (const auto &[name, wrong] : kWrongs) {
        if (argc == 2 && name == argv[1]) {
            std::printf("%s: %d\n", argv[1], wrong());
            return 0;
        }
    }
    std::fputs("which wrong thing?\n", stderr);
    return 2;
}
