// How much physical memory this process has.
#ifndef S2_TESTS_RESIDENT_HPP
#define S2_TESTS_RESIDENT_HPP

#include "check.h"

#include <fstream>
#include <string>

// A line of /proc/self/status that is a number of KiB.
inline long status_kib(const std::string &name) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        long kib = 0;
        if (word == name + ":" && status >> kib) return kib;
    }
    CHECK_CASE(false, "no %s in /proc/self/status", name.c_str());
    return 0;
}

inline long resident_kib() { return status_kib("VmRSS"); }
// The most there was at once.
inline long peak_resident_kib() { return status_kib("VmHWM"); }

#endif
