// A row of any length in little memory: a small file, mapped again and again.
#ifndef S2_TESTS_SPARSE_HPP
#define S2_TESTS_SPARSE_HPP

#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

class SparseRow {
public:
    // The number of logits after which the row repeats: 8,192 mappings make the longest row.
    static constexpr std::size_t kPeriod = std::size_t{1} << 18;

    // `pattern`, as long as a period, again and again, `n` logits in all.
    SparseRow(std::size_t n, const std::vector<float> &pattern) : n_(n), file_(memfd_create("row", 0)) {
        CHECK(file_ >= 0 && pattern.size() == kPeriod);
        CHECK(write(file_, pattern.data(), kBytes) == static_cast<ssize_t>(kBytes));
        void *const all = mmap(nullptr, mapped(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        CHECK(all != MAP_FAILED);
        row_ = static_cast<float *>(all);
        for (std::size_t at = 0; at < n_; at += kPeriod) map(at, PROT_READ, MAP_SHARED);
    }
    ~SparseRow() { CHECK(munmap(row_, mapped()) == 0 && close(file_) == 0); }
    SparseRow(const SparseRow &) = delete;
    SparseRow &operator=(const SparseRow &) = delete;

    const float *data() const { return row_; }
    std::int32_t size() const { return static_cast<std::int32_t>(n_); }

    // Changes one logit; its page becomes memory of its own.
    void set(std::size_t id, float logit) {
        CHECK(id < n_);
        const std::size_t period = id / kPeriod * kPeriod;
        if (!std::count(own_.begin(), own_.end(), period)) {
            own_.push_back(period);
            map(period, PROT_READ | PROT_WRITE, MAP_PRIVATE);
        }
        row_[id] = logit;
    }

    // Takes all changes back.
    void reset() {
        for (const std::size_t period : own_) map(period, PROT_READ, MAP_SHARED);
        own_.clear();
    }

private:
    static constexpr std::size_t kBytes = kPeriod * sizeof(float);

    std::size_t mapped() const { return (n_ + kPeriod - 1) / kPeriod * kBytes; }

    void map(std::size_t at, int protection, int sharing) {
        CHECK(mmap(row_ + at, kBytes, protection, sharing | MAP_FIXED, file_, 0) == row_ + at);
    }

    std::size_t n_;
    int file_;
    float *row_ = nullptr;
    std::vector<std::size_t> own_;
};

#endif
