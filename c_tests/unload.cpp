// A plugin that is loaded, used on threads and unloaded: by threads that end before and after that, again
// and again, and with a fork afterwards.
//
// This program has nothing of the library but through the plugin that argv[1] names; argv[2] is the file
// whose memory must be gone when it is unloaded.
#include "support/check.h"
#include "support/module.h"
#include "support/oracle.hpp"
#include "support/resident.hpp"
#include "support/rows.hpp"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string plugin;
std::string library;

struct Loaded {
    void *handle = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
    const Module *module = nullptr;

    Loaded() {
        CHECK_CASE(handle != nullptr, "%s", dlerror());
        void *const symbol = dlsym(handle, "test_module");
        CHECK(symbol != nullptr);
        module = reinterpret_cast<const Module *(*)()>(symbol)();
    }

    void close() const { CHECK(dlclose(handle) == 0); }
};

bool is_mapped() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find(library) != std::string::npos) return true;
    }
    return false;
}

// What a thread's destructors belong to stays until they have run, and then until the next dlclose().
void must_be_gone() {
    Loaded().close();
    CHECK(!is_mapped());
}

void draw_and_compare(const Module &module, std::uint32_t seed) {
    module.seed_thread(seed);
    std::mt19937 mirror(seed);
    for (const std::size_t n : {7U, 300U, 5000U}) {
        const std::vector<float> row = bell(n, 0x1p-20F, seed);
        const SamplerParams params = {1.0F, 1.0F, 0};
        const std::int32_t token = module.sample_token(row.data(), static_cast<std::int32_t>(n), &params);
        CHECK(token == oracle_draw(row, params, mirror));
    }
}

std::uint32_t use_a_random_handle(const Module &module) {
    const float row[] = {0.0F, 1.0F, 2.0F};
    S2Sampler *const sampler = module.sampler_new_random();
    CHECK(sampler != nullptr);
    const std::int32_t token = module.sampler_sample(sampler, row, 3, nullptr);
    CHECK(token >= 0 && token < 3);
    const std::uint32_t seed = module.sampler_get_seed(sampler);
    module.sampler_free(sampler);
    return seed;
}

void threads_that_end_before() {
    const Loaded loaded;
    CHECK(is_mapped());
    std::vector<std::thread> threads;
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
        threads.emplace_back([&, seed] { draw_and_compare(*loaded.module, seed); });
    }
    for (std::thread &thread : threads) thread.join();
    loaded.close();
    must_be_gone();
}

// What the library frees when a thread ends is freed by code that must still be there then.
void threads_that_end_after() {
    const Loaded loaded;
    std::promise<void> closed;
    const std::shared_future<void> is_closed(closed.get_future());
    std::vector<std::promise<void>> drawn(8);
    std::vector<std::thread> threads;
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
        threads.emplace_back([&, seed] {
            draw_and_compare(*loaded.module, seed);
            drawn[seed].set_value();
            is_closed.wait();
        });
    }
    for (std::promise<void> &one : drawn) one.get_future().wait();
    loaded.close();
    closed.set_value();
    for (std::thread &thread : threads) thread.join();
    must_be_gone();
}

// The handler that hears of forks went with the library.
void fork_afterwards() {
    const Loaded loaded;
    use_a_random_handle(*loaded.module);
    loaded.close();
    CHECK(!is_mapped());
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        std::thread([] {
            const Loaded again;
            draw_and_compare(*again.module, 4);
        }).join();
        _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Loaded and unloaded many times: the memory of the process stays as it is.
void again_and_again() {
    constexpr int kTimes = 300;
    constexpr long kBound = 256;  // KiB: a handle lost each time would be three times as much
    std::uint32_t last_seed = 0;
    int same = 0;
    long before = 0;
    for (int i = 0; i < kTimes; ++i) {
        if (i == kTimes / 10) before = resident_kib();
        std::thread([&] {
            const Loaded loaded;
            draw_and_compare(*loaded.module, static_cast<std::uint32_t>(i));
            const std::uint32_t seed = use_a_random_handle(*loaded.module);
            same += seed == last_seed;
            last_seed = seed;
            loaded.close();
        }).join();
        must_be_gone();
    }
    const long growth = resident_kib() - before;
    std::printf("%d times loaded and unloaded: %ld KiB more\n", kTimes, growth);
    CHECK_CASE(growth < kBound, "%ld KiB", growth);
    CHECK(same < 2);  // by chance once in 2^32
}

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 3);
    plugin = argv[1];
    library = argv[2];
    CHECK(!is_mapped());
    threads_that_end_before();
    threads_that_end_after();
    fork_afterwards();
    again_and_again();
    // The process ends with the library loaded, and with a thread's memory in it.
    draw_and_compare(*Loaded().module, 9);
}
