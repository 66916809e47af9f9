// Reads the subset of JSON that the golden files and reports use: no escapes. true, false and null are
// numbers as far as this reader knows, with that text.
#ifndef S2_TESTS_JSON_HPP
#define S2_TESTS_JSON_HPP

#include "check.h"

#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

struct Json {
    enum class Kind { number, text, array, object };
    Kind kind = Kind::number;
    std::string text;                                // a string, or a number as it is written
    std::vector<Json> items;                         // of an array
    std::vector<std::pair<std::string, Json>> fields;  // of an object

    // The field of that name, or null.
    const Json *find(const std::string &name) const {
        for (const auto &field : fields) {
            if (field.first == name) return &field.second;
        }
        return nullptr;
    }

    const Json &at(const std::string &name) const {
        const Json *field = find(name);
        CHECK_CASE(field != nullptr, "no field %s", name.c_str());
        return *field;
    }

    // A number, or one of the strings "nan", "inf", "-inf"; binary32 as written in the file.
    float real() const {
        char *end = nullptr;
        const float value = std::strtof(text.c_str(), &end);
        CHECK_CASE(!text.empty() && *end == '\0', "not a number: %s", text.c_str());
        return value;
    }

    long integer() const {
        char *end = nullptr;
        const long value = std::strtol(text.c_str(), &end, 10);
        CHECK_CASE(!text.empty() && *end == '\0', "not an integer: %s", text.c_str());
        return value;
    }
};

class JsonReader {
public:
    static Json read(const std::string &source) {
        JsonReader reader(source);
        Json value = reader.value();
        reader.skip_space();
        CHECK(reader.at_ == source.size());
        return value;
    }

private:
    explicit JsonReader(const std::string &source) : source_(source) {}

    void skip_space() {
        while (at_ < source_.size() && std::isspace(static_cast<unsigned char>(source_[at_]))) ++at_;
    }

    char peek() {
        skip_space();
        CHECK(at_ < source_.size());
        return source_[at_];
    }

    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }

    std::string string() {
        CHECK(take('"'));
        const std::size_t end = source_.find('"', at_);
        CHECK(end != std::string::npos);
        const std::string text = source_.substr(at_, end - at_);
        CHECK(text.find('\\') == std::string::npos);
        at_ = end + 1;
        return text;
    }

    Json value() {
        Json json;
        if (peek() == '"') {
            json.kind = Json::Kind::text;
            json.text = string();
        } else if (take('[')) {
            json.kind = Json::Kind::array;
            while (!take(']')) {
                json.items.push_back(value());
                CHECK(take(',') || peek() == ']');
            }
        } else if (take('{')) {
            json.kind = Json::Kind::object;
            while (!take('}')) {
                std::string name = string();
                CHECK(take(':'));
                json.fields.emplace_back(std::move(name), value());
                CHECK(take(',') || peek() == '}');
            }
        } else {
            const std::size_t end = source_.find_first_not_of("+-.0123456789eEtrufalsn", at_);
            json.text = source_.substr(at_, end - at_);
            CHECK(!json.text.empty());
            at_ = end;
        }
        return json;
    }

    const std::string &source_;
    std::size_t at_ = 0;
};

#endif
