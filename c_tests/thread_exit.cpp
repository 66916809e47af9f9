// Calls while a thread ends: from thread_local destructors that run after the library's own, and from
// a pthread key's destructor, which runs last of all. The stream goes on.
#include <s2sampler.h>

#include "support/check.h"
#include "support/oracle.hpp"
#include "support/rows.hpp"

#include <pthread.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

std::atomic<int> late_calls{0};

// Draws from rows of several lengths and compares with the stream a std::mt19937 would have given.
void draw_and_compare(std::mt19937 &expected) {
    for (const std::size_t n : {7U, 300U, 5000U}) {
        const std::vector<float> row = bell(n, 0x1p-20F, n);
        const SamplerParams params = {1.0F, 1.0F, 0};
        const std::int32_t token = s2_sample_token(row.data(), static_cast<std::int32_t>(n), &params);
        CHECK(token == oracle_draw(row, params, expected));
    }
}

// The words that the thread of this moment has still to take. Not in the thread_local object: MinGW frees the
// memory of such an object before it runs the destructor.
std::mt19937 mirror;

struct DrawsWhenDestroyed {
    bool armed = false;
    ~DrawsWhenDestroyed() {
        draw_and_compare(mirror);
        ++late_calls;
    }
};

// Destructors run in the reverse order of construction: what is touched before the thread's first
// draw is destroyed after the library's memory.
void destroyed_after_the_library() {
    static thread_local DrawsWhenDestroyed guard;
    guard.armed = true;
    s2_seed_thread(77);
    mirror.seed(77);
    draw_and_compare(mirror);
}

void destroyed_before_the_library() {
    s2_seed_thread(77);
    mirror.seed(77);
    draw_and_compare(mirror);
    static thread_local DrawsWhenDestroyed guard;
    guard.armed = true;
}

// The thread's first draw of all is a late one, seeded by the system.
void first_draw_while_ending() {
    struct Guard {
        bool armed = false;
        ~Guard() {
            const float row[3] = {0, 1, 2};
            const std::int32_t token = s2_sample_token(row, 3, nullptr);
            CHECK(token >= 0 && token < 3);
            ++late_calls;
        }
    };
    static thread_local Guard guard;
    guard.armed = true;
}

pthread_key_t key;

void in_key_destructor(void *value) {
    std::mt19937 *own = static_cast<std::mt19937 *>(value);
    draw_and_compare(*own);
    delete own;
    ++late_calls;
}

void drawn_by_a_key_destructor() {
    std::mt19937 *own = new std::mt19937(5);
    CHECK(pthread_setspecific(key, own) == 0);
    s2_seed_thread(5);
    draw_and_compare(*own);
}

}  // namespace

int main() {
    CHECK(pthread_key_create(&key, in_key_destructor) == 0);
    void (*const bodies[])() = {destroyed_after_the_library, destroyed_before_the_library,
                                first_draw_while_ending, drawn_by_a_key_destructor};
    int expected = 0;
    for (void (*body)() : bodies) {
        std::thread(body).join();
        CHECK(late_calls == ++expected);
    }
}
