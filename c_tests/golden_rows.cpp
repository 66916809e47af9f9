// Every golden line with the thread's generator. argv[1]: the directory tests/data.
#include <s2sampler.h>

#include "support/check.h"
#include "support/golden.hpp"

int main(int argc, char **argv) {
    CHECK(argc == 2);
    for_each_golden_line(argv[1], [](const GoldenLine &line) {
        s2_seed_thread(line.seed);
        for (const std::int32_t expected : line.tokens) {
            const std::int32_t token = s2_sample_token(
                line.row.data(), static_cast<std::int32_t>(line.row.size()), &line.params);
            CHECK_CASE(token == expected, "%s: %d, not %d", line.name.c_str(), token, expected);
        }
    });
}
