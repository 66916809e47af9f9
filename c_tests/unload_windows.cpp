// The DLL that argv[1] names, loaded, used on threads and unloaded: by threads that end before and after that,
// again and again.
#include <s2sampler.h>

#include "support/check.h"
#include "support/oracle.hpp"
#include "support/rows.hpp"

#include <windows.h>

#include <cstring>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace {

const char *dll = nullptr;

struct Loaded {
    HMODULE handle = LoadLibraryA(dll);
    decltype(&s2_seed_thread) seed_thread = nullptr;
    decltype(&s2_sample_token) sample_token = nullptr;

    Loaded() {
        CHECK(handle != nullptr);
        find("s2_seed_thread", seed_thread);
        find("s2_sample_token", sample_token);
    }

    void close() const { CHECK(FreeLibrary(handle) != 0); }

private:
    template <class Function>
    void find(const char *name, Function &function) const {
        const FARPROC found = GetProcAddress(handle, name);
        CHECK_CASE(found != nullptr, "%s", name);
        static_assert(sizeof found == sizeof function, "pointers to functions");
        std::memcpy(&function, &found, sizeof found);
    }
};

bool is_loaded() { return GetModuleHandleA(dll) != nullptr; }

void draw_and_compare(const Loaded &loaded, std::uint32_t seed) {
    loaded.seed_thread(seed);
    std::mt19937 mirror(seed);
    for (const std::size_t n : {7U, 300U, 5000U}) {
        const std::vector<float> row = bell(n, 0x1p-20F, seed);
        const SamplerParams params = {1.0F, 1.0F, 0};
        const std::int32_t token = loaded.sample_token(row.data(), static_cast<std::int32_t>(n), &params);
        CHECK(token == oracle_draw(row, params, mirror));
    }
}

void threads_that_end_before() {
    const Loaded loaded;
    CHECK(is_loaded());
    std::vector<std::thread> threads;
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
        threads.emplace_back([&loaded, seed] { draw_and_compare(loaded, seed); });
    }
    for (std::thread &thread : threads) thread.join();
    loaded.close();
    CHECK(!is_loaded());
}

void threads_that_end_after() {
    const Loaded loaded;
    std::promise<void> drawn;
    std::promise<void> unloaded;
    std::thread thread([&] {
        draw_and_compare(loaded, 9);
        drawn.set_value();
        unloaded.get_future().wait();
    });
    drawn.get_future().wait();
    loaded.close();
    CHECK(!is_loaded());
    unloaded.set_value();
    thread.join();
}

}  // namespace

int main(int argc, char **argv) {
    CHECK(argc == 2);
    dll = argv[1];
    for (int round = 0; round < 20; ++round) {
        threads_that_end_before();
        threads_that_end_after();
    }
}
