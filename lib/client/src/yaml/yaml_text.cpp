#include <kubecoro/client/detail/yaml_text.hpp>

#include "yaml/document.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

/// Bounds the expansion of nested aliases: nodes beyond the bytes of the text. Each node of the text itself takes a byte
/// at least.
constexpr std::size_t max_aliased_nodes = 2'000'000;
/// Bounds that of aliases of long texts: bytes beyond those of the text that is read.
constexpr std::size_t max_text_growth = std::size_t{64} << 20;
constexpr std::size_t max_depth = 200;
constexpr std::size_t most_documents = 100'000;
/// The same for texts with a single document, which are small. Credentials come from others.
constexpr std::size_t more_nodes_of_one = 100'000;
constexpr std::size_t more_bytes_of_one = std::size_t{8} << 20;
/// For files, which may have larger objects than a server takes: those of one object of 20,000 members.
constexpr std::size_t most_comparisons_of_files = 4 * most_key_comparisons;

constexpr std::string_view json_blanks = " \t\r\n";

/// Bytes of the white space at a position, in Unicode's sense, as Go's; 0 = there is none.
std::size_t space_at(std::string_view text, std::size_t at)
{
    constexpr std::string_view single = " \t\r\n\v\f";
    if (at >= text.size()) return 0;
    if (single.find(text[at]) != single.npos) return 1;
    const auto two = text.substr(at, 2);
    if (two == "\xC2\x85" || two == "\xC2\xA0") return 2;
    const auto three = text.substr(at, 3);
    for (const std::string_view space :
         {"\xE1\x9A\x80", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"})
        if (three == space) return 3;
    // U+2000 to U+200A
    const auto last = three.size() == 3 ? static_cast<unsigned char>(three[2]) : 0U;
    return three.starts_with("\xE2\x80") && last >= 0x80 && last <= 0x8A ? 3 : 0;
}

std::size_t behind_space(std::string_view text, std::size_t at = 0)
{
    while (const auto size = space_at(text, at)) at += size;
    return at;
}

yaml_limits limits_of(std::string_view text)
{
    return {text.size() + max_aliased_nodes, text.size() + max_text_growth, max_depth, most_comparisons_of_files};
}

/// The value of the first document; none if there is no document.
boost::system::result<std::optional<json::value>, yaml_problem>
read_yaml(std::string_view text, const yaml_limits& limits, std::vector<std::string>& duplicates)
{
    const auto nodes = read_yaml_nodes(text, limits.nodes, limits.depth);
    if (!nodes) return nodes.error();
    if (nodes->empty()) return std::nullopt;
    auto value = value_of_nodes(*nodes, limits, duplicates);
    if (!value) return value.error();
    return std::optional(std::move(*value));
}

std::string worded(const yaml_problem& p, std::size_t first_line = 0)
{
    return "line " + std::to_string(first_line + p.at.line + 1) + ", column " + std::to_string(p.at.column + 1) + ": " +
           p.what;
}

bool begins_as_json(std::string_view text) { return text.substr(behind_space(text)).starts_with('{'); }

/// Lines end as kubectl's reader of lines leaves them: without carriage returns, and all of them.
std::string with_whole_lines(std::string_view text)
{
    std::string out;
    out.reserve(text.size() + 1);
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
    if (!out.empty() && out.back() != '\n') out += '\n';
    return out;
}

using documents = std::vector<json::value>;
using result_of_documents = boost::system::result<documents, problem_words>;

/** Reads the documents of a stream of YAML as kubectl does. A line that begins with `---` separates them, wherever it stands;
    nothing but a comment may follow in it. The rest of a document behind a `...` is not read. */
class yaml_stream
{
public:
    yaml_stream(std::string_view text, std::size_t first_line) : text_(with_whole_lines(text)), first_line_(first_line)
    {
    }

    /// Appends the documents that are not empty. @return the first problem.
    std::optional<std::string> read(documents& out)
    {
        const std::string_view text = text_;
        std::size_t begin = 0;
        for (std::size_t at = 0; at < text.size();) {
            const auto line = text.substr(at, text.find('\n', at) - at);
            const auto next = at + line.size() + 1;
            if (line.starts_with("---")) {
                const auto rest = behind_space(line, 3);
                if (rest < line.size() && line[rest] != '#')
                    return worded({place_in(text, at), "invalid document separator: " + std::string(line.substr(rest))},
                                  first_line_);
                if (at != begin) {
                    if (auto wrong = add(begin, at, out)) return wrong;
                    begin = next;
                }
            }
            at = next;
        }
        return begin < text.size() ? add(begin, text.size(), out) : std::nullopt;
    }

private:
    std::optional<std::string> add(std::size_t begin, std::size_t end, documents& out)
    {
        const auto document = std::string_view(text_).substr(begin, end - begin);
        std::vector<std::string> ignored;
        auto value = read_yaml(document, limits_of(document), ignored);
        if (!value) return worded(value.error(), first_line_ + place_in(text_, begin).line);
        if (*value && !(*value)->is_null()) {
            if (out.size() == most_documents) return "more than " + std::to_string(most_documents) + " documents";
            out.push_back(std::move(**value));
        }
        return std::nullopt;
    }

    std::string text_;
    std::size_t first_line_;
};

/// Where a stream of JSON goes on as YAML: behind the white space of a line. kubectl looks at four bytes each time, and does not
/// go on where there are fewer.
std::optional<std::size_t> begin_of_yaml(std::string_view text, std::size_t at)
{
    constexpr std::size_t looked_at = 4;
    while (at + looked_at <= text.size()) {
        const auto size = space_at(text, at);
        if (size == 0) return at;
        if (text[at] == '\n') return at + 1;
        at += size;
    }
    return std::nullopt;
}

} // namespace

result_of_documents read_documents(std::string_view text)
{
    documents out;
    std::size_t at = 0;
    std::optional<std::string> json_failed;
    if (begins_as_json(text)) {
        std::size_t read = 0;
        for (;;) {
            if (text.find_first_not_of(json_blanks, at) == text.npos) return out;
            auto value = read_json_prefix(text.substr(at), max_depth, most_comparisons_of_files);
            if (!value) {
                json_failed = worded({place_in(text, at + value.error().at), value.error().what});
                // As kubectl: two values make a stream of JSON, which is not YAML any more.
                if (read > 1 || !value.error().may_be_yaml) return {boost::system::in_place_error, *json_failed};
                break;
            }
            at += value->size;
            ++read;
            if (!value->value.is_null()) out.push_back(std::move(value->value));
        }
        const auto begin = begin_of_yaml(text, at);
        if (!begin) return {boost::system::in_place_error, *json_failed};
        at = *begin;
    }
    yaml_stream stream(text.substr(at), place_in(text, at).line);
    if (auto wrong = stream.read(out)) return {boost::system::in_place_error, json_failed ? *json_failed : *wrong};
    return out;
}

boost::system::result<json::value, problem_words> read_document(std::string_view text)
{
    if (begins_as_json(text)) {
        auto value = read_json_prefix(text, max_depth, most_key_comparisons);
        if (value && text.find_first_not_of(json_blanks, value->size) == text.npos) return std::move(value->value);
        if (!value && !value.error().may_be_yaml)
            return {boost::system::in_place_error, worded({place_in(text, value.error().at), value.error().what})};
    }
    const yaml_limits limits{2 * text.size() + more_nodes_of_one, 2 * text.size() + more_bytes_of_one, max_depth,
                             most_key_comparisons};
    std::vector<std::string> ignored;
    auto value = read_yaml(text, limits, ignored);
    if (!value) return {boost::system::in_place_error, worded(value.error())};
    return *value ? std::move(**value) : json::value();
}

boost::system::result<yaml_document, problem_words> parse_yaml(std::string_view text, std::size_t most_nodes)
{
    yaml_document out{json::object{}, {}};
    auto limits = limits_of(text);
    limits.nodes = most_nodes;
    limits.key_comparisons = most_key_comparisons;
    auto value = read_yaml(text, limits, out.duplicates);
    if (!value)
        return {boost::system::in_place_error, "error converting YAML to JSON: yaml: line " +
                                                   std::to_string(value.error().at.line + 1) + ": " +
                                                   value.error().what};
    if (*value) out.value = std::move(**value);
    return out;
}

} // namespace kubecoro::detail
