// No system call after warm-up: in strict seccomp mode any but read, write and exit ends the process.
#include <s2sampler.h>

#include "support/check.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace {

constexpr std::int32_t N = 20000;

S2Stream *new_stream() {
    S2StreamConfig config;
    s2_stream_config_init(&config);
    config.semantic_first = 10;
    config.semantic_last = N - 10;
    config.end_id = 1;
    return s2_stream_new_random(&config);
}

// Every way to draw, each with a row, parameters and histories of one size.
struct Draws {
    S2Sampler *const sampler = s2_sampler_new_random();
    S2Sampler *const other = s2_sampler_new(7);
    S2Stream *const stream = new_stream();
    S2Chain *const chain = s2_chain_new_preset(S2_PRESET_LLAMA, 42, nullptr);
    std::vector<float> row = std::vector<float>(2 * N);
    std::vector<std::int32_t> history = std::vector<std::int32_t>(64, 3);
    Draws() {
        std::uint32_t state = 1;
        for (float &logit : row) {
            state = state * 1664525U + 1013904223U;
            logit = static_cast<float>(state >> 16) / 8192.0F;
        }
    }
    Draws(const Draws &) = delete;
    Draws &operator=(const Draws &) = delete;
    ~Draws() {
        s2_sampler_free(sampler);
        s2_sampler_free(other);
        s2_stream_free(stream);
        s2_chain_free(chain);
    }

    // Whether every way gives a token.
    bool once() const {
        const SamplerParams wide = {1.0F, 0.95F, 0};
        const S2TokenRange ranges[] = {{5, 900}, {1000, 3000}};
        std::int32_t tokens[2] = {};
        S2SampleRequest request;
        s2_sample_request_init(&request);
        request.logits = row.data();
        request.vocab_size = N;
        request.repetition_penalty = 1.1F;
        request.history = history.data();
        request.n_history = static_cast<std::int32_t>(history.size());
        request.penalty_window = 64;
        S2SampleResult result;
        s2_sample_result_init(&result);
        S2Sampler *const both[] = {sampler, other};
        return s2_sample_token(row.data(), N, nullptr) >= 0 && s2_sample_token(row.data(), N, &wide) >= 0 &&
               s2_sampler_sample(sampler, row.data(), N, &wide) >= 0 &&
               s2_sampler_sample_ranges(sampler, row.data(), N, ranges, 2, &wide) >= 0 &&
               s2_sampler_sample_rows(both, row.data(), 2, N, N, &wide, 1, tokens) == 0 &&
               s2_sampler_sample_ex(sampler, &request, &result) >= 0 &&
               s2_stream_slow(stream, row.data(), N, &wide, 1) >= 0 &&
               s2_stream_fast(stream, row.data(), N, nullptr) >= 0 &&
               s2_chain_sample(chain, row.data(), N) >= 0;
    }
};

}  // namespace

int main() {
    const pid_t child = fork();
    if (child == 0) {
        const Draws draws;
        bool good = draws.once();
        good = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0 && good;
        for (int i = 0; i < 50; ++i) {
            good = draws.once() && good;
        }
        // exit_group, which exit() and _exit() call, is not among the three.
        syscall(SYS_exit, good ? 0 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);

    // The control: the mode ends a process that calls the system.
    const pid_t control = fork();
    if (control == 0) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        syscall(SYS_getpid);
        syscall(SYS_exit, 0);
    }
    CHECK(waitpid(control, &status, 0) == control);
    CHECK(WIFSIGNALED(status));
    return 0;
}
