#include "random_values.hpp"

#include <boost/json.hpp>

#include <array>
#include <string>
#include <string_view>

namespace kubecoro::test {

namespace json = boost::json;

namespace {

using std::string_view_literals::operator""sv;

constexpr std::array pieces{"a"sv,
                            " "sv,
                            "\n"sv,
                            "\t"sv,
                            ":"sv,
                            ": "sv,
                            "#"sv,
                            " #"sv,
                            "-"sv,
                            "- "sv,
                            "'"sv,
                            "\""sv,
                            "\\"sv,
                            "{"sv,
                            "}"sv,
                            "["sv,
                            "]"sv,
                            ","sv,
                            "&"sv,
                            "*"sv,
                            "!"sv,
                            "|"sv,
                            ">"sv,
                            "%"sv,
                            "@"sv,
                            "`"sv,
                            "~"sv,
                            "0"sv,
                            "1.5"sv,
                            "0x1F"sv,
                            "1e"sv,
                            "true"sv,
                            "No"sv,
                            "y"sv,
                            "on"sv,
                            "null"sv,
                            "012"sv,
                            "1:30"sv,
                            "="sv,
                            "<<"sv,
                            "?"sv,
                            "..."sv,
                            "---"sv,
                            "."sv,
                            "inf"sv,
                            "+"sv,
                            "\r"sv,
                            "_"sv,
                            "x"sv,
                            "é"sv,
                            "\0"sv,
                            "\x7f"sv,
                            "... x"sv,
                            "2026-01-01"sv,
                            "2026-01-01t10:00:00z"sv,
                            " 10:00"sv,
                            "1_000"sv,
                            "0b1"sv,
                            "0o7"sv,
                            "\xC2\x9B"sv,
                            "\xC2\x85"sv,
                            "\xC2\xA0"sv,
                            "\xE2\x80\xA8"sv,
                            "\xE2\x80\xAE"sv,
                            "\xEF\xBB\xBF"sv,
                            "\xEF\xBF\xBE"sv,
                            "\xEF\xBF\xBF"sv,
                            "\xF0\x9F\x98\x80"sv,
                            "\xF3\xA0\x80\x81"sv};

} // namespace

json::value random_value(std::mt19937_64& random, int depth)
{
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const auto text = [&] {
        if (below(40) == 0) return std::string(1000 + below(100), 'k') + std::string(pieces[below(pieces.size())]);
        std::string out;
        for (auto n = below(5); n != 0; --n) out += pieces[below(pieces.size())];
        return out;
    };
    constexpr std::array numbers{0.5, 1e20, -1e21, 1e300, 5e-324, 1e-7, 123456789.125, 1.7976931348623157e308};
    switch (below(depth > 0 ? 10 : 6)) {
    case 0:
        return static_cast<std::int64_t>(random()) >> below(64);
    case 1:
        return below(2) == 0;
    case 2:
        return nullptr;
    case 3:
        return numbers[below(numbers.size())];
    case 6:
    case 7: {
        json::object out;
        for (auto n = below(4); n != 0; --n) out[text()] = random_value(random, depth - 1);
        return out;
    }
    case 8: {
        json::array out;
        for (auto n = below(4); n != 0; --n) out.push_back(random_value(random, depth - 1));
        return out;
    }
    case 9: { // deeper than lines are indented
        auto out = random_value(random, depth - 1);
        for (auto n = below(40); n != 0; --n) out = json::object{{text(), std::move(out)}};
        return out;
    }
    default:
        return json::value(text());
    }
}

} // namespace kubecoro::test
