#include <kubecoro/client/detail/yaml_text.hpp>

#include "yaml/first_pass.hpp"

#include <kubecoro/api/detail/utf8.hpp>

#include <boost/json.hpp>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

/// Bounds documents and the expansion of nested aliases.
constexpr std::size_t max_nodes = 2'000'000;
/// Bounds that of aliases of long texts: bytes beyond those of the text that is read.
constexpr std::size_t max_text_growth = std::size_t{64} << 20;
constexpr std::size_t max_yaml_depth = 200;

struct refused : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// Throws YAML::Exception.
std::vector<YAML::Node> load_all(std::string_view text, yaml_first_pass& first)
{
    const std::string whole(text);
    std::istringstream once(whole);
    YAML::Parser parser(once);
    while (parser.HandleNextDocument(first)) {
    }
    return YAML::LoadAll(whole);
}

bool is_one_of(const std::string& text, std::initializer_list<std::string_view> words)
{
    return std::find(words.begin(), words.end(), text) != words.end();
}

bool parse_whole(std::string_view text, auto& value, int base)
{
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return ec == std::errc{} && end == text.data() + text.size() && !text.empty();
}

/// Parses integers of YAML 1.1: decimal, 0x, 0o, and octal with a leading zero.
bool parse_integer(const std::string& text, json::value& out)
{
    const bool negative = text.front() == '-';
    std::string_view digits = text;
    if (negative || digits.front() == '+') digits.remove_prefix(1);
    if (digits.empty() || digits.front() < '0' || digits.front() > '9') return false;
    int base = 10;
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'o')) {
        base = digits[1] == 'x' ? 16 : 8;
        digits.remove_prefix(2);
    } else if (digits.size() > 1 && digits[0] == '0' &&
               digits.find_first_not_of("01234567") == std::string_view::npos) {
        base = 8;
    }
    std::uint64_t magnitude = 0;
    if (!parse_whole(digits, magnitude, base)) return false;
    if (magnitude > 0x7fffffffffffffffULL) {
        if (negative) return false;
        out = magnitude;
        return true;
    }
    out = negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
    return true;
}

bool parse_float(const std::string& text, json::value& out)
{
    if (text.find_first_of("0123456789") == std::string::npos ||
        text.find_first_not_of("0123456789+-.eE") != std::string::npos ||
        text.find_first_of(".eE") == std::string::npos)
        return false;
    std::string_view digits = text;
    if (digits.front() == '+') digits.remove_prefix(1);
    double value = 0;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (ec != std::errc{} || end != digits.data() + digits.size()) return false;
    out = value;
    return true;
}

std::string at_line_of(const YAML::Node& node) { return " at line " + std::to_string(node.Mark().line + 1); }

/// The text of a scalar. yaml-cpp passes on bytes that are not UTF-8, which JSON cannot hold.
const std::string& text_of(const YAML::Node& node)
{
    const auto& text = node.Scalar();
    if (!is_utf8(text)) throw refused("text that is not UTF-8" + at_line_of(node));
    return text;
}

json::value scalar(const YAML::Node& node)
{
    const auto& text = text_of(node);
    if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") return json::value(std::string_view(text));
    if (text.empty() || is_one_of(text, {"~", "null", "Null", "NULL"})) return nullptr;
    if (is_one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"})) return true;
    if (is_one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"})) return false;
    json::value number;
    if (parse_integer(text, number) || parse_float(text, number)) return number;
    return json::value(std::string_view(text));
}

/// The remaining budget for the conversion of one text.
struct allowance
{
    std::size_t nodes = max_nodes;
    std::size_t comparisons = most_key_comparisons;
    /// Bytes of scalars and keys.
    std::size_t bytes = max_text_growth;

    void spend_on_text(const std::string& text)
    {
        if (text.size() > bytes) throw refused("aliases of too long texts");
        bytes -= text.size();
    }
    void spend_on_member(const json::object& of)
    {
        if (of.size() > comparisons) throw refused("an object has too many members");
        comparisons -= of.size();
    }
};

/// The key "<<" with a map or with maps. In quotes it is a key like any other.
bool is_merge(const YAML::Node& key, const YAML::Node& value)
{
    if (key.Scalar() != "<<" || key.Tag() == "!") return false;
    return value.IsMap() || (value.IsSequence() &&
                             std::all_of(value.begin(), value.end(), [](const auto& item) { return item.IsMap(); }));
}

/// Adds the members of a map, or of the maps of a list, that are not there yet: the first of a list has precedence.
void add_missing(json::object& out, const json::value& from, allowance& budget)
{
    const auto add = [&](const json::object& map) {
        for (const auto& m : map) {
            budget.spend_on_member(out);
            out.emplace(m.key(), m.value());
        }
    };
    if (const auto* map = from.if_object()) return add(*map);
    for (const auto& item : from.get_array()) add(item.get_object());
}

json::value convert(const YAML::Node& node, std::size_t depth, allowance& budget)
{
    if (budget.nodes-- == 0) throw refused("too many nodes");
    if (depth == 0) throw refused("nested too deeply" + at_line_of(node));
    switch (node.Type()) {
    case YAML::NodeType::Scalar:
        budget.spend_on_text(node.Scalar());
        return scalar(node);
    case YAML::NodeType::Sequence: {
        json::array out;
        out.reserve(node.size());
        for (const auto& item : node) out.push_back(convert(item, depth - 1, budget));
        return out;
    }
    case YAML::NodeType::Map: {
        json::object out;
        for (const auto& member : node) {
            if (!member.first.IsScalar()) throw refused("a key that is not a scalar" + at_line_of(member.first));
            if (is_merge(member.first, member.second)) {
                add_missing(out, convert(member.second, depth - 1, budget), budget);
                continue;
            }
            budget.spend_on_member(out);
            const auto& key = text_of(member.first);
            budget.spend_on_text(key);
            out[key] = convert(member.second, depth - 1, budget);
        }
        return out;
    }
    default:
        return nullptr;
    }
}

/// Returns the number of the document that contains `position`, from 1. Documents with only comments do not count.
std::size_t document_at(std::string_view text, int position)
{
    if (position > 0) text = text.substr(0, static_cast<std::size_t>(position));
    std::size_t document = 1;
    bool content = false;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        const auto line = text.substr(begin, end - begin);
        begin = end + 1;
        if (line.starts_with("---")) {
            if (content) ++document;
            content = false;
        } else if (const auto first = line.find_first_not_of(" \t\r"); first != line.npos && line[first] != '#') {
            content = true;
        }
    }
    return document;
}

/// Returns "line 3", or after the first document "document 2, line 9".
std::string place(std::string_view text, const YAML::Mark& mark)
{
    const auto document = document_at(text, mark.pos);
    const std::string line = "line " + std::to_string(mark.line + 1);
    return document > 1 ? "document " + std::to_string(document) + ", " + line : line;
}

} // namespace

namespace {

/// The documents that are not empty.
boost::system::result<std::vector<json::value>, std::string> read_all(std::string_view text, std::size_t most_nodes,
                                                                      yaml_first_pass& first)
{
    std::vector<json::value> documents;
    try {
        allowance budget;
        budget.nodes = most_nodes;
        budget.bytes += text.size();
        for (const auto& node : load_all(text, first))
            if (node.IsDefined() && !node.IsNull()) documents.push_back(convert(node, max_yaml_depth, budget));
    } catch (const YAML::Exception& e) {
        return {boost::system::in_place_error,
                "error converting YAML to JSON: yaml: " + place(text, e.mark) + ": " + e.msg};
    } catch (const refused& e) {
        return {boost::system::in_place_error, std::string("error converting YAML to JSON: yaml: ") + e.what()};
    }
    return documents;
}

} // namespace

boost::system::result<std::vector<json::value>, std::string> parse_yaml_all(std::string_view text)
{
    yaml_first_pass first(max_nodes);
    return read_all(text, max_nodes, first);
}

boost::system::result<yaml_document, std::string> parse_yaml(std::string_view text, std::size_t most_nodes)
{
    yaml_first_pass first(most_nodes);
    auto documents = read_all(text, most_nodes, first);
    if (!documents) return {boost::system::in_place_error, documents.error()};
    yaml_document out{json::object{}, std::move(first.duplicates)};
    if (!documents->empty()) out.value = std::move(documents->front());
    return out;
}

boost::system::result<json::value, std::string> json_of(const YAML::Node& value, std::size_t most_values)
{
    try {
        allowance budget;
        budget.nodes = most_values;
        return convert(value, max_yaml_depth, budget);
    } catch (const refused& e) {
        return {boost::system::in_place_error, std::string(e.what())};
    }
}

} // namespace kubecoro::detail
