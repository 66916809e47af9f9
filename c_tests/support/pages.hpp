// Memory whose ends are known to the page: what is read or written beyond them ends the program.
#ifndef S2_TESTS_PAGES_HPP
#define S2_TESTS_PAGES_HPP

#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

// Room for items between two protected pages.
class Enclosed {
public:
    explicit Enclosed(std::size_t bytes)
        : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), size_((bytes + page_ - 1) / page_ * page_) {
        void *const all =
            mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(all != MAP_FAILED);
        begin_ = static_cast<unsigned char *>(all) + page_;
        CHECK(mprotect(begin_, size_, PROT_READ | PROT_WRITE) == 0);
    }
    ~Enclosed() { CHECK(munmap(begin_ - page_, size_ + 2 * page_) == 0); }
    Enclosed(const Enclosed &) = delete;
    Enclosed &operator=(const Enclosed &) = delete;

    // A copy that begins with the first byte after the protected page before.
    template <class T>
    T *at_begin(const std::vector<T> &items) const {
        return put(items, begin_);
    }

    // A copy that ends with the last byte before the protected page after.
    template <class T>
    T *at_end(const std::vector<T> &items) const {
        return put(items, begin_ + size_ - items.size() * sizeof(T));
    }

private:
    template <class T>
    T *put(const std::vector<T> &items, unsigned char *where) const {
        CHECK(items.size() * sizeof(T) <= size_);
        T *const first = reinterpret_cast<T *>(where);
        std::copy(items.begin(), items.end(), first);
        return first;
    }

    std::size_t page_;
    std::size_t size_;
    unsigned char *begin_;
};

#endif
