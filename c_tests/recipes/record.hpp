// One line of a file, its columns by name, and what a recipe says of it.
#ifndef S2_RECIPES_RECORD_HPP
#define S2_RECIPES_RECORD_HPP

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// What differs, or what is wrong with the line.
struct Mismatch : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The elements of a list; "-" is an empty one.
std::vector<std::string> split(const std::string &text, char separator);

std::int64_t integer(const std::string &text);
std::uint64_t natural(const std::string &text);
double real(const std::string &text);

class Record {
public:
    // `header` begins with "# ". A name ends at a colon: what follows describes the column. The columns of
    // a file are separated by tabs, or by spaces and, before the last, a bar.
    Record(const std::string &header, const std::string &line);

    // Changes the last digit of what the engine returned.
    void alter();

    bool has(const char *name) const;
    const std::string &text(const char *name) const;
    std::int32_t number(const char *name) const { return static_cast<std::int32_t>(integer(text(name))); }
    std::uint32_t seed(const char *name) const { return static_cast<std::uint32_t>(natural(text(name))); }
    std::uint64_t word(const char *name) const { return natural(text(name)); }
    float value(const char *name) const { return static_cast<float>(real(text(name))); }
    std::vector<std::int32_t> numbers(const char *name) const;
    std::vector<float> values(const char *name) const;

    // The row of the family, length, scale and seed.
    std::vector<float> row() const { return row(word("seed")); }
    std::vector<float> row(std::uint64_t seed) const;
    // Whether the family ends in this sign, which says which seeds the line uses.
    bool family_ends_in(char sign) const { return text("family").back() == sign; }

private:
    std::vector<std::pair<std::string, std::string>> columns_;
};

#endif
