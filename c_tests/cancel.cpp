// A thread may be cancelled while the library asks the system for a seed: the process goes on.
#include "support/check.h"

#include <s2sampler.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

const float row[4] = {1.0F, 3.0F, 2.5F, 2.0F};
const SamplerParams params = {0.8F, 0.95F, 30};
S2Sampler *inherited = nullptr;
std::atomic<bool> seeded{false};

// Every way to a seed of the system.
void draw_of_the_thread() { CHECK(s2_sample_token(row, 4, &params) >= 0); }
void new_sampler() {
    S2Sampler *sampler = s2_sampler_new_random();
    CHECK(sampler != nullptr);
    s2_sampler_free(sampler);
}
void new_stream() {
    S2StreamConfig config = {};
    s2_stream_config_init(&config);
    config.semantic_first = 0;
    config.semantic_last = 3;
    S2Stream *stream = s2_stream_new_random(&config);
    CHECK(stream != nullptr);
    s2_stream_free(stream);
}
void seed_to_log() {
    std::uint32_t seed = 0;
    CHECK(s2_random_seed(&seed) == 0);
}
void draw_in_a_child() { CHECK(s2_sampler_sample(inherited, row, 4, &params) >= 0); }

using Way = void (*)();

void *with_a_pending_request(void *way) {
    seeded = false;
    CHECK(pthread_cancel(pthread_self()) == 0);
    (*static_cast<Way *>(way))();
    seeded = true;
    pthread_testcancel();
    std::abort();
}

// The call ends as always, and the thread is cancelled at its own next cancellation point.
void pending(Way way) {
    pthread_t thread{};
    void *result = nullptr;
    CHECK(pthread_create(&thread, nullptr, with_a_pending_request, &way) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED && seeded);
}

void *over_and_over(void *) {
    for (;;) {
        new_sampler();
        new_stream();
        pthread_testcancel();
    }
}

void from_outside() {
    for (int round = 0; round < 500; ++round) {
        pthread_t thread{};
        void *result = nullptr;
        CHECK(pthread_create(&thread, nullptr, over_and_over, nullptr) == 0);
        usleep(static_cast<useconds_t>(round % 50));
        CHECK(pthread_cancel(thread) == 0);
        CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    }
}

void in_a_child() {
    inherited = s2_sampler_new_random();
    draw_in_a_child();
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        pending(draw_in_a_child); // seeds anew, for it is a child
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    s2_sampler_free(inherited);
}

} // namespace

int main() {
    pending(draw_of_the_thread);
    pending(new_sampler);
    pending(new_stream);
    pending(seed_to_log);
    from_outside();
    in_a_child();
    return 0;
}
