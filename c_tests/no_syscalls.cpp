// After warm-up a draw makes no system call: in strict seccomp mode any other than read, write and exit kills
// the process. And where the system refuses randomness, that is a status, and seeds of the caller's still work.
#include "support/check.h"
#include "support/rows.hpp"
#include "support/ways.hpp"

#include <s2sampler.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <functional>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// Runs `body` in a child; returns how the child ended.
int in_a_child(const std::function<void()> &body) {
    std::fflush(nullptr);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        body();
        syscall(SYS_exit, 0); // not exit_group, which strict mode forbids
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

const SamplerParams kSettings[] = {{0.8F, 0.8F, 30}, {1.0F, 1.0F, 0}, {0.7F, 0.95F, 0}, {0.0F, 0.9F, 40}};

void draw_in_all_ways(const Generators &handles, const std::vector<std::vector<float>> &rows) {
    for (const std::vector<float> &row : rows) {
        for (const SamplerParams &params : kSettings) {
            for (const Way &way : kWays) {
                if (way.draw(handles.from(row.data(), static_cast<std::int32_t>(row.size()), params)) < 0) {
                    static const char text[] = "a draw failed\n";
                    (void)!write(2, text, sizeof text - 1);
                    syscall(SYS_exit, 1);
                }
            }
        }
    }
}

void strict() {
    std::vector<std::vector<float>> rows;
    for (const std::size_t n : {std::size_t{20000}, std::size_t{4096}, std::size_t{1000}, std::size_t{7}}) {
        rows.push_back(bell(n, 0x1p-19F, n));
        rows.push_back(masked(n, 0x1p-19F, n));
        rows.push_back(std::vector<float>(n, 0.0F));
    }
    const int status = in_a_child([&] {
        const Generators handles(3);
        draw_in_all_ways(handles, rows);
        CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
        draw_in_all_ways(handles, rows);
        syscall(SYS_exit, 0); // before the destructors: freeing large memory is a system call
    });
    CHECK_CASE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "killed by signal %d, exit code %d",
               WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    // The mode kills, or the test above would be worth nothing.
    const int killed = in_a_child([] {
        CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
        syscall(SYS_getpid);
    });
    CHECK(WIFSIGNALED(killed));
}

// Has the kernel answer getrandom and the opening of files with `error`.
void refuse_randomness(unsigned error) {
    const sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program = {sizeof filter / sizeof filter[0], const_cast<sock_filter *>(filter)};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

void without_randomness() {
    for (const unsigned error : {unsigned{ENOSYS}, unsigned{EPERM}, unsigned{EIO}}) {
        const int status = in_a_child([&] {
            const float row[4] = {1.0F, 3.0F, 2.5F, 2.0F};
            const SamplerParams params = {0.8F, 0.95F, 30};
            const SamplerParams greedy = {0.0F, 0.95F, 30};
            refuse_randomness(error);
            CHECK(s2_sample_token(row, 4, &params) == S2_ERROR_NO_ENTROPY);
            CHECK(s2_sample_token(row, 4, &greedy) == 1);
            CHECK(s2_sampler_new_random() == nullptr);
            const SamplerHandle sampler = own(s2_sampler_new(7));
            CHECK(s2_sampler_sample(sampler.get(), row, 4, &params) >= 0);
            s2_seed_thread(7);
            CHECK(s2_sample_token(row, 4, &params) >= 0);
        });
        CHECK_CASE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "errno %u", error);
    }
}

} // namespace

int main() {
    strict();
    without_randomness();
    return 0;
}
