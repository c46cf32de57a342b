#include "texts.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace kubecoro::test {

namespace {

using std::string_view_literals::operator""sv;

constexpr std::array scalars{"a"sv,
                             "b c"sv,
                             "1"sv,
                             "0"sv,
                             "-1"sv,
                             "+1"sv,
                             "010"sv,
                             "08"sv,
                             "0o17"sv,
                             "0O7"sv,
                             "0x1F"sv,
                             "0X1f"sv,
                             "0b101"sv,
                             "0B11"sv,
                             "-0b11"sv,
                             "1_000"sv,
                             "_1"sv,
                             "1__0"sv,
                             "1.5"sv,
                             "1.10"sv,
                             "1."sv,
                             ".5"sv,
                             ".1_0"sv,
                             "1e3"sv,
                             "1E+3"sv,
                             "1e-3"sv,
                             "1.0"sv,
                             "-0.0"sv,
                             "1e400"sv,
                             "1e-400"sv,
                             ".inf"sv,
                             "-.Inf"sv,
                             ".nan"sv,
                             "9223372036854775807"sv,
                             "9223372036854775808"sv,
                             "-9223372036854775808"sv,
                             "-9223372036854775809"sv,
                             "18446744073709551615"sv,
                             "18446744073709551616"sv,
                             "123456789012345678901234567890"sv,
                             "1e21"sv,
                             "123456789.125"sv,
                             "true"sv,
                             "True"sv,
                             "TRUE"sv,
                             "tRue"sv,
                             "yes"sv,
                             "No"sv,
                             "on"sv,
                             "OFF"sv,
                             "y"sv,
                             "N"sv,
                             "null"sv,
                             "~"sv,
                             "Null"sv,
                             "nULL"sv,
                             "2001-01-01"sv,
                             "2001-1-1t1:2:3Z"sv,
                             "190:20:30"sv,
                             "1:2"sv,
                             "<<"sv,
                             "="sv,
                             "-"sv,
                             "?"sv,
                             "?a"sv,
                             ":a"sv,
                             "a:b"sv,
                             "a:"sv,
                             "a#b"sv,
                             "-a"sv,
                             "a?b"sv,
                             "http://h/p?q=1"sv,
                             "a,b"sv,
                             "a]b"sv,
                             "@a"sv,
                             "`a"sv,
                             "%a"sv,
                             "!a"sv,
                             "é"sv,
                             "\xF0\x9F\x98\x80"sv,
                             "\xC2\x85"sv,
                             "\xE2\x80\xA8"sv,
                             "\xEF\xBB\xBF"sv,
                             "'a'"sv,
                             "'a''b'"sv,
                             "'a\n b'"sv,
                             "\"a\""sv,
                             "\"a\\tb\""sv,
                             "\"\\_\\N\\L\\P\\0\\e\""sv,
                             "\"\\x41\\u00e9\\U0001F600\""sv,
                             "\"\\ud83d\\ude00\""sv,
                             "\"a\\/b\""sv,
                             "\"it\\'s\""sv,
                             "\"a\\\n  b\""sv,
                             "\"a\n\n b\""sv,
                             "\"1\""sv,
                             "'yes'"sv,
                             "\"\""sv,
                             "''"sv,
                             ""sv,
                             "\"a"sv,
                             "'a"sv,
                             "*x"sv,
                             "*y"sv,
                             "|\n  a\n  b\n"sv,
                             "|-\n  a\n"sv,
                             "|+\n  a\n\n"sv,
                             ">\n  a\n  b\n\n  c\n"sv,
                             ">+\n  a\n\n"sv,
                             "|2\n    a\n"sv,
                             "|"sv,
                             ">"sv,
                             "|\n"sv,
                             "! 1"sv,
                             "!!str 1"sv,
                             "!!int \"3\""sv,
                             "!!int a"sv,
                             "!!float 1"sv,
                             "!!bool yes"sv,
                             "!!bool 1"sv,
                             "!!null ~"sv,
                             "!!null a"sv,
                             "!!binary aGVsbG8="sv,
                             "!!binary /w=="sv,
                             "!!binary a"sv,
                             "!!timestamp 2001-01-01"sv,
                             "!!timestamp a"sv,
                             "!a b"sv,
                             "!<tag:yaml.org,2002:int> 7"sv,
                             "!!str"sv,
                             "!a,b c"sv,
                             "!!set"sv,
                             "0b-1"sv,
                             "{}"sv,
                             "[]"sv};

constexpr std::array keys{"a"sv,
                          "b"sv,
                          "c"sv,
                          "d"sv,
                          "e f"sv,
                          "1"sv,
                          "1.10"sv,
                          "010"sv,
                          "on"sv,
                          "no"sv,
                          "null"sv,
                          "~"sv,
                          "'q'"sv,
                          "\"q\""sv,
                          "1e3"sv,
                          "2001-01-01"sv,
                          "*x"sv,
                          "!!str 2"sv,
                          "!!binary YQ=="sv,
                          "<<"sv,
                          "? a"sv,
                          "a?"sv,
                          "1000000.5"sv,
                          "18446744073709551615"sv,
                          ".inf"sv,
                          "kind"sv,
                          "items"sv};

constexpr std::array pieces{"\n"sv,
                            " "sv,
                            "  "sv,
                            "\t"sv,
                            "\r\n"sv,
                            "\r"sv,
                            ":"sv,
                            ": "sv,
                            "- "sv,
                            "-"sv,
                            "? "sv,
                            "?"sv,
                            ","sv,
                            "["sv,
                            "]"sv,
                            "{"sv,
                            "}"sv,
                            "#"sv,
                            " #"sv,
                            "&x "sv,
                            "*x"sv,
                            "!"sv,
                            "!!str "sv,
                            "|"sv,
                            ">"sv,
                            "'"sv,
                            "\""sv,
                            "\\"sv,
                            "\\/"sv,
                            "\\'"sv,
                            "\\n"sv,
                            "%"sv,
                            "@"sv,
                            "`"sv,
                            "<<: "sv,
                            "---"sv,
                            "\n---\n"sv,
                            "\n...\n"sv,
                            "--- a\n"sv,
                            "%YAML 1.1\n"sv,
                            "%YAML 1.2\n"sv,
                            "%TAG !e! tag:yaml.org,2002:\n"sv,
                            "\xEF\xBB\xBF"sv,
                            "\xC2\xA0"sv,
                            "\xFF"sv,
                            "\x01"sv,
                            "0"sv,
                            "1"sv,
                            "a"sv,
                            "_"sv,
                            "."sv,
                            "~"sv,
                            "=="sv,
                            "null"sv,
                            "\xE2\x80\xA9"sv};

class grammar
{
public:
    explicit grammar(std::mt19937_64& random) : random_(random) {}

    std::string document()
    {
        if (one_in(12)) out_ += one_in(2) ? "---\n" : "--- # c\n";
        if (one_in(4))
            flow(0);
        else
            block(0, 0);
        if (!out_.ends_with('\n') && !one_in(4)) out_ += '\n';
        return std::move(out_);
    }

private:
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
    bool one_in(std::size_t n) { return below(n) == 0; }
    template<class List>
    std::string_view one_of(const List& list)
    {
        return list[below(list.size())];
    }

    void comment()
    {
        if (one_in(15)) out_ += " # c";
    }

    void properties()
    {
        if (one_in(12)) out_ += one_in(2) ? "&x " : "&y ";
        if (one_in(40)) out_ += "!!map ";
    }

    void scalar() { out_ += one_of(scalars); }

    // NOLINTNEXTLINE(misc-no-recursion): bounded by the depth
    void block(std::size_t indent, std::size_t depth)
    {
        const bool list = one_in(3);
        const auto count = 1 + below(4);
        for (std::size_t i = 0; i < count; ++i) {
            if (!out_.empty() && !out_.ends_with('\n')) out_ += '\n';
            out_.append(indent, ' ');
            if (list) {
                out_ += "- ";
            } else {
                if (one_in(30)) out_ += "? ";
                out_ += one_of(keys);
                out_ += one_in(25) ? ":" : ": ";
            }
            properties();
            if (depth > 3 || !one_in(3)) {
                if (one_in(5))
                    flow(depth + 1);
                else
                    scalar();
                comment();
            } else {
                comment();
                out_ += '\n';
                block(indent + (list || !one_in(3) ? 2 : 1), depth + 1);
            }
        }
    }

    // NOLINTNEXTLINE(misc-no-recursion): bounded by the depth
    void flow(std::size_t depth)
    {
        const bool list = one_in(2);
        const auto count = below(4);
        out_ += list ? '[' : '{';
        for (std::size_t i = 0; i < count; ++i) {
            if (i != 0) out_ += one_in(20) ? "," : ", ";
            if (!list || one_in(8)) {
                if (one_in(20)) out_ += "? ";
                out_ += one_of(keys);
                out_ += one_in(10) ? ":" : ": ";
            }
            properties();
            if (depth < 4 && one_in(4))
                flow(depth + 1);
            else
                scalar();
            if (one_in(20)) out_ += '\n';
        }
        if (one_in(15)) out_ += ',';
        out_ += list ? ']' : '}';
    }

    std::mt19937_64& random_;
    std::string out_;
};

void mutate(std::string& text, std::mt19937_64& random)
{
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    for (auto changes = 1 + below(4); changes > 0; --changes) {
        const auto at = below(text.size() + 1);
        const auto length = std::min(text.size() - at, 1 + below(below(4) == 0 ? 40 : 3));
        switch (below(6)) {
        case 0:
            text.erase(at, length);
            break;
        case 1:
            text.insert(below(text.size() + 1), text.substr(at, length));
            break;
        case 2:
            text.resize(at);
            break;
        case 3:
            text.replace(at, std::min<std::size_t>(length, 1), pieces[below(pieces.size())]);
            break;
        default:
            text.insert(at, pieces[below(pieces.size())]);
        }
    }
}

std::string json_of(const std::string& yaml)
{
    // Brackets and quotes for what would be plain: much of it is JSON, and much nearly so.
    std::string out = "{";
    for (const char c : yaml) out += c == '\n' ? ',' : c == '\'' ? '"' : c;
    return out + "}";
}

std::string kubeconfig_of(std::mt19937_64& random)
{
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    constexpr std::array users{"token: "sv,    "tokenFile: "sv,  "as: "sv,
                               "as-uid: "sv,   "as-groups: ["sv, "as-user-extra: {k: ["sv,
                               "username: "sv, "password: "sv,   "exec: {apiVersion: x, command: "sv,
                               "<<: "sv};
    constexpr std::array clusters{"server: "sv,    "insecure-skip-tls-verify: "sv, "tls-server-name: "sv,
                                  "proxy-url: "sv, "disable-compression: "sv,      "certificate-authority: "sv};
    std::string out = "apiVersion: v1\nkind: Config\nbase: &x {token: anchored, as: jane}\n";
    const auto list = [&](const char* name, const char* inner, const auto& fields) {
        out += std::string(name) + ":\n";
        for (std::size_t i = below(3); i > 0; --i) {
            out += "- name: n" + std::to_string(below(3)) + "\n  " + inner + ":\n";
            for (std::size_t n = 1 + below(3); n > 0; --n) {
                const auto field = fields[below(fields.size())];
                out += "    " + std::string(field) + std::string(scalars[below(scalars.size())]);
                if (field.ends_with('['))
                    out += field.find('{') == field.npos ? "]" : "]}";
                else if (field.find('{') != field.npos)
                    out += "}";
                out += "\n";
            }
        }
    };
    list("clusters", "cluster", clusters);
    list("users", "user", users);
    out += "contexts: []\ncurrent-context: " + std::string(scalars[below(scalars.size())]) + "\n";
    return out;
}

} // namespace

yaml_case random_yaml_case(std::mt19937_64& random, const std::vector<std::string>& seeds)
{
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    yaml_case out;
    const auto what = below(10);
    if (what == 0) {
        out = {"kubeconfig", kubeconfig_of(random)};
    } else {
        out.as = what < 5 ? "document" : "stream";
        out.text = !seeds.empty() && below(2) == 0 ? seeds[below(seeds.size())] : grammar(random).document();
        if (out.as == "stream" && below(3) == 0) out.text = json_of(out.text);
        for (std::size_t more = out.as == "stream" ? below(3) : 0; more > 0; --more) {
            out.text += below(8) == 0 ? "" : "\n---\n";
            out.text += grammar(random).document();
        }
    }
    if (below(2) == 0) mutate(out.text, random);
    return out;
}

} // namespace kubecoro::test
