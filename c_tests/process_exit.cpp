// Calls while the process ends: from handlers of atexit(), from destructors of static objects, whichever
// was there first, from the main thread's thread_local objects, and on threads that nobody waits for.
#include <s2sampler.h>

#include "support/check.h"
#include "support/oracle.hpp"
#include "support/rows.hpp"
#include "support/ways.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {

// What the process that ends has to tell, through a pipe: a letter for each of the late calls.
int told = -1;

void tell(char letter) { CHECK(write(told, &letter, 1) == 1); }

// The stream of the main thread goes on as a std::mt19937 through all of its ending.
std::mt19937 &mirror() {
    static std::mt19937 *const never_destroyed = new std::mt19937(77);
    return *never_destroyed;
}

void draw_and_compare() {
    for (const std::size_t n : {7U, 300U, 5000U}) {
        const std::vector<float> row = bell(n, 0x1p-20F, n);
        const SamplerParams params = {1.0F, 1.0F, 0};
        const std::int32_t token = s2_sample_token(row.data(), static_cast<std::int32_t>(n), &params);
        if (token != oracle_draw(row, params, mirror())) _exit(2);
    }
}

// Through every entry point, with handles that are made and freed meanwhile.
void draw_in_every_way() {
    const std::vector<float> row = bell(300, 0x1p-20F, 5);
    const S2StreamConfig config = stream_config();
    Handles handles(9);
    handles.sampler = own(s2_sampler_new_random());
    handles.stream = own(s2_stream_new_random(&config));
    const SamplerParams params = {0.0F, 1.0F, 0};  // greedy: the thread's stream stays where it is
    for (const Way &way : kWays) {
        if (way.draw(handles.from(row.data(), 300, params)) < 0) _exit(3);
    }
}

template <char Letter>
struct DrawsWhenDestroyed {
    DrawsWhenDestroyed() = default;
    DrawsWhenDestroyed(const DrawsWhenDestroyed &) = delete;
    DrawsWhenDestroyed &operator=(const DrawsWhenDestroyed &) = delete;
    ~DrawsWhenDestroyed() { late(); }
    static void late() {
        draw_and_compare();
        draw_in_every_way();
        tell(Letter);
    }
};

// In the order in which the process comes to them: the main thread's own objects, then what was
// registered last, and at the end what was there before the library was used.
constexpr const char *kExpected = "tuedb";

[[noreturn]] void ends() {
    static const DrawsWhenDestroyed<'b'> built_before;
    CHECK(std::atexit(DrawsWhenDestroyed<'d'>::late) == 0);
    static thread_local DrawsWhenDestroyed<'u'> destroyed_second;
    (void)&destroyed_second;
    s2_seed_thread(77);
    draw_and_compare();
    static thread_local DrawsWhenDestroyed<'t'> destroyed_first;
    (void)&destroyed_first;
    static const DrawsWhenDestroyed<'e'> built_after;
    // These draw until there is no process: they must neither be stopped nor disturb the others.
    std::atomic<int> started{0};
    for (int i = 0; i < 3; ++i) {
        std::thread([&started] {
            const std::vector<float> row = bell(5000, 0x1p-20F, 5);
            for (bool first = true;; first = false) {
                if (s2_sample_token(row.data(), 5000, nullptr) < 0) _exit(4);
                if (first) ++started;
            }
        }).detach();
    }
    while (started < 3) std::this_thread::yield();
    std::exit(0);
}

}  // namespace

// Each ending in a process of its own; several, since threads draw meanwhile.
int main() {
    for (int i = 0; i < 20; ++i) {
        int pipe_ends[2];
        CHECK(pipe(pipe_ends) == 0);
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            close(pipe_ends[0]);
            told = pipe_ends[1];
            ends();
        }
        close(pipe_ends[1]);
        std::string letters;
        for (char letter = 0; read(pipe_ends[0], &letter, 1) == 1;) letters += letter;
        close(pipe_ends[0]);
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK_CASE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d after \"%s\"", status,
                   letters.c_str());
        CHECK_CASE(letters == kExpected, "\"%s\"", letters.c_str());
    }
}
