#include "record.hpp"

#include "support/rows.hpp"

#include <cerrno>
#include <cstdlib>

namespace {

// The columns of a header or a line: the last one of a line with spaces stands behind a bar.
std::vector<std::string> columns(const std::string &line, bool tabs) {
    std::vector<std::string> found;
    std::string rest = line;
    std::string last;
    const std::size_t bar = tabs ? std::string::npos : line.find(" | ");
    if (bar != std::string::npos) {
        rest = line.substr(0, bar);
        last = line.substr(bar + 3);
    }
    const char separator = tabs ? '\t' : ' ';
    for (std::size_t end = 0; end != std::string::npos;) {
        end = rest.find(separator);
        found.push_back(rest.substr(0, end));
        if (end != std::string::npos) rest.erase(0, end + 1);
    }
    if (bar != std::string::npos) found.push_back(last);
    return found;
}

template <class Number>
Number parsed(const std::string &text, Number (*parse)(const char *, char **)) {
    char *end = nullptr;
    errno = 0;
    const Number number = parse(text.c_str(), &end);
    // A float below the smallest normal one is a range error and a number.
    if (end == text.c_str() || *end != '\0') throw Mismatch("\"" + text + "\" is no number");
    return number;
}

}  // namespace

std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts;
    if (text == "-") return parts;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
        end = text.find(separator, begin);
        parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    }
    return parts;
}

std::int64_t integer(const std::string &text) {
    return parsed<long long>(text, [](const char *from, char **end) { return std::strtoll(from, end, 10); });
}

std::uint64_t natural(const std::string &text) {
    return parsed<unsigned long long>(
        text, [](const char *from, char **end) { return std::strtoull(from, end, 10); });
}

double real(const std::string &text) { return parsed<double>(text, std::strtod); }

Record::Record(const std::string &header, const std::string &line) {
    if (header.compare(0, 2, "# ") != 0) throw Mismatch("no header line");
    const bool tabs = header.find('\t') != std::string::npos;
    const std::vector<std::string> names = columns(header.substr(2), tabs);
    const std::vector<std::string> texts = columns(line, tabs);
    if (names.size() != texts.size()) {
        throw Mismatch(std::to_string(texts.size()) + " columns, not " + std::to_string(names.size()));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        columns_.emplace_back(names[i].substr(0, names[i].find(':')), texts[i]);
    }
}

void Record::alter() {
    for (auto &column : columns_) {
        for (const char *const result : {"tokens", "frames", "calls", "ids_or_hash"}) {
            if (column.first != result) continue;
            char &last = column.second.back();
            last = last == '0' ? '1' : '0';
            return;
        }
    }
    throw Mismatch("no column of results");
}

bool Record::has(const char *name) const {
    for (const auto &column : columns_) {
        if (column.first == name) return true;
    }
    return false;
}

const std::string &Record::text(const char *name) const {
    for (const auto &column : columns_) {
        if (column.first == name) return column.second;
    }
    throw Mismatch(std::string("no column ") + name);
}

std::vector<std::int32_t> Record::numbers(const char *name) const {
    std::vector<std::int32_t> list;
    for (const std::string &part : split(text(name), ',')) {
        list.push_back(static_cast<std::int32_t>(integer(part)));
    }
    return list;
}

std::vector<float> Record::values(const char *name) const {
    std::vector<float> list;
    for (const std::string &part : split(text(name), ',')) list.push_back(static_cast<float>(real(part)));
    return list;
}

std::vector<float> Record::row(std::uint64_t seed) const {
    std::string family = text("family");
    family.erase(family.find_last_not_of("+=") + 1);
    for (const char *const known : {"bell", "peaky", "masked", "tied"}) {
        if (family == known) {
            return family_row(family, static_cast<std::size_t>(natural(text("n"))), value("scale"), seed);
        }
    }
    throw Mismatch("family " + family);
}
