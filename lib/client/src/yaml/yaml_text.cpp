#include <kubecoro/client/detail/yaml_text.hpp>

#include "yaml/recorded_yaml.hpp"

#include <kubecoro/api/detail/utf8.hpp>

#include <boost/json.hpp>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

/// Bounds the expansion of nested aliases: nodes beyond the bytes of the text. Each node of the text itself takes a byte
/// at least.
constexpr std::size_t max_aliased_nodes = 2'000'000;
/// Bounds that of aliases of long texts: bytes beyond those of the text that is read.
constexpr std::size_t max_text_growth = std::size_t{64} << 20;
constexpr std::size_t max_yaml_depth = 200;

struct refused : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// Throws YAML::Exception.
void record_all(std::string_view text, yaml_recording& out)
{
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(out)) {
    }
}

/// Calls each(item) for the items of a sequence. `Node` is a YAML::Node or a recorded_node.
template<class Each>
void for_each_item(const YAML::Node& sequence, const Each& each)
{
    for (const auto& item : sequence) each(item);
}
template<class Each>
void for_each_item(const recorded_node& sequence, const Each& each)
{
    sequence.for_each_node(each);
}

/// Calls each(key, value) for the members of a map.
template<class Each>
void for_each_member(const YAML::Node& map, const Each& each)
{
    for (const auto& member : map) each(member.first, member.second);
}
template<class Each>
void for_each_member(const recorded_node& map, const Each& each)
{
    std::optional<recorded_node> key;
    map.for_each_node([&](const recorded_node& node) {
        if (!key) {
            key = node;
            return;
        }
        each(*key, node);
        key.reset();
    });
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

template<class Node>
std::string at_line_of(const Node& node)
{
    return " at line " + std::to_string(node.Mark().line + 1);
}

/// The text of a scalar. yaml-cpp passes on bytes that are not UTF-8, which JSON cannot hold.
template<class Node>
const std::string& text_of(const Node& node)
{
    const auto& text = node.Scalar();
    if (!is_utf8(text)) throw refused("text that is not UTF-8" + at_line_of(node));
    return text;
}

template<class Node>
json::value scalar(const Node& node)
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
    std::size_t nodes = max_aliased_nodes;
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
template<class Node>
bool is_merge(const Node& key, const Node& value)
{
    if (key.Scalar() != "<<" || key.Tag() == "!") return false;
    bool all = value.IsMap() || value.IsSequence();
    if (value.IsSequence()) for_each_item(value, [&](const Node& item) { all = all && item.IsMap(); });
    return all;
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

template<class Node>
json::value convert(const Node& node, std::size_t depth, allowance& budget)
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
        for_each_item(node, [&](const Node& item) { out.push_back(convert(item, depth - 1, budget)); });
        return out;
    }
    case YAML::NodeType::Map: {
        json::object out;
        for_each_member(node, [&](const Node& key, const Node& value) {
            if (!key.IsScalar()) throw refused("a key that is not a scalar" + at_line_of(key));
            if (is_merge(key, value)) return add_missing(out, convert(value, depth - 1, budget), budget);
            budget.spend_on_member(out);
            const auto& name = text_of(key);
            budget.spend_on_text(name);
            out[name] = convert(value, depth - 1, budget);
        });
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

/// The documents that are not empty.
boost::system::result<std::vector<json::value>, std::string> read_all(std::string_view text, std::size_t most_nodes,
                                                                      yaml_recording& recording)
{
    std::vector<json::value> documents;
    try {
        allowance budget;
        budget.nodes = most_nodes;
        budget.bytes += text.size();
        record_all(text, recording);
        for (const auto number : recording.documents())
            if (const recorded_node node(recording.nodes(), number); !node.IsNull())
                documents.push_back(convert(node, max_yaml_depth, budget));
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
    const auto most_nodes = text.size() + max_aliased_nodes;
    yaml_recording recording(most_nodes);
    return read_all(text, most_nodes, recording);
}

boost::system::result<yaml_document, std::string> parse_yaml(std::string_view text, std::size_t most_nodes)
{
    yaml_recording recording(most_nodes);
    auto documents = read_all(text, most_nodes, recording);
    if (!documents) return {boost::system::in_place_error, documents.error()};
    yaml_document out{json::object{}, std::move(recording.duplicates)};
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
