#include <kubecoro/api/detail/field_set.hpp>

#include <kubecoro/api/detail/go_format.hpp>

#include <kubecoro/base/printable.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::size_t shown_element = 100;
// Keys and values of list items are small.
constexpr std::size_t longest_item_json = 64 * 1024;
constexpr std::size_t deepest_item_json = 512;
/// The path itself, as a member among those below it.
constexpr std::string_view itself = ".";

const field_set nothing;

failure not_an_element(std::string_view text)
{
    return failure(cond::corrupt, "managed fields have the path element \"" + printable(text, shown_element) + "\"");
}

json::value parse(std::string_view text, boost::system::error_code& broken)
{
    json::parse_options options;
    options.max_depth = deepest_item_json;
    return json::parse(json::string_view(text.data(), text.size()), broken, {}, options);
}

result<std::string> normal_json(std::string_view element, bool as_object)
{
    const auto text = content_of(element);
    if (text.size() > longest_item_json) return not_an_element(element);
    boost::system::error_code broken;
    const auto parsed = parse(text, broken);
    if (broken || (as_object && (!parsed.is_object() || parsed.get_object().empty()))) return not_an_element(element);
    return go_json(parsed);
}

result<std::string> normal_index(std::string_view element)
{
    const auto digits = content_of(element);
    unsigned index = 0;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (ec != std::errc{} || end != digits.data() + digits.size()) return not_an_element(element);
    return std::to_string(index);
}

/// In our notation; nothing for a step of an unknown kind.
result<std::optional<path_element>> read_element(std::string_view text)
{
    if (text.size() < 2 || text[1] != ':') return not_an_element(text);
    if (text[0] == 'f') return std::optional(path_element(text));
    if (text[0] != 'k' && text[0] != 'v' && text[0] != 'i') return std::optional<path_element>{};
    auto content = text[0] == 'i' ? normal_index(text) : normal_json(text, text[0] == 'k');
    if (!content) return content.error();
    return std::optional(path_element(text.substr(0, 2)) + *content);
}

} // namespace

field_set::field_set(const field_set& other)
{
    for (const auto& [element, n] : other.nodes_)
        nodes_.emplace_hint(nodes_.end(), element,
                            node{n.member, n.below ? std::make_unique<field_set>(*n.below) : nullptr});
}

field_set& field_set::operator=(const field_set& other)
{
    field_set copy(other);
    nodes_.swap(copy.nodes_);
    return *this;
}

void field_set::insert(const field_path& path, std::size_t from)
{
    if (from >= path.size()) return;
    auto& n = nodes_[path[from]];
    if (from + 1 == path.size()) {
        n.member = true;
        return;
    }
    if (!n.below) n.below = std::make_unique<field_set>();
    n.below->insert(path, from + 1);
}

void field_set::put(const path_element& element, bool member, field_set below)
{
    if (!member && below.empty()) return;
    auto& n = nodes_.try_emplace(nodes_.end(), element)->second;
    n.member = n.member || member;
    if (below.empty()) return;
    if (n.below)
        n.below->add(std::move(below));
    else
        n.below = std::make_unique<field_set>(std::move(below));
}

bool field_set::has(const field_path& path) const
{
    const auto* at = this;
    for (std::size_t i = 0; at && i + 1 < path.size(); ++i) at = at->below(path[i]);
    return at && !path.empty() && at->has(path.back());
}

bool field_set::has(std::string_view element) const
{
    const auto it = nodes_.find(element);
    return it != nodes_.end() && it->second.member;
}

const field_set* field_set::below(std::string_view element) const
{
    const auto it = nodes_.find(element);
    return it == nodes_.end() ? nullptr : it->second.below.get();
}

void field_set::add(field_set other)
{
    nodes_.merge(other.nodes_);
    // Only elements that both sets have are left.
    for (auto& [element, theirs] : other.nodes_) {
        auto& ours = nodes_.find(element)->second;
        ours.member = ours.member || theirs.member;
        if (!theirs.below) continue;
        if (ours.below)
            ours.below->add(std::move(*theirs.below));
        else
            ours.below = std::move(theirs.below);
    }
}

field_set field_set::united(const field_set& other) const
{
    field_set out = *this;
    out.add(other);
    return out;
}

field_set field_set::minus(const field_set& other) const
{
    field_set out;
    for (const auto& [element, ours] : nodes_) {
        const auto* theirs = other.below(element);
        const bool member = ours.member && !other.has(element);
        if (!ours.below)
            out.put(element, member, {});
        else
            out.put(element, member, theirs ? ours.below->minus(*theirs) : *ours.below);
    }
    return out;
}

field_set field_set::common(const field_set& other) const
{
    field_set out;
    for (const auto& [element, ours] : nodes_) {
        const auto* theirs = other.below(element);
        out.put(element, ours.member && other.has(element),
                ours.below && theirs ? ours.below->common(*theirs) : field_set{});
    }
    return out;
}

void field_set::walk(field_path& path, const std::function<void(const field_path&)>& f) const
{
    const auto visit = [&](const path_element& element, const auto& act) {
        path.push_back(element);
        act();
        path.pop_back();
    };
    for (const auto& [element, n] : nodes_)
        if (n.member) visit(element, [&] { f(path); });
    for (const auto& [element, n] : nodes_)
        if (n.below) visit(element, [&] { n.below->walk(path, f); });
}

void field_set::for_each(const std::function<void(const field_path& path)>& f) const
{
    field_path path;
    walk(path, f);
}

json::object field_set::to_fields() const
{
    json::object out;
    out.reserve(nodes_.size() + 1);
    for (const auto& [element, n] : nodes_) {
        json::object below;
        if (n.below && n.member) below.emplace(itself, json::object{});
        if (n.below)
            for (auto& m : n.below->to_fields()) below.emplace(m.key(), std::move(m.value()));
        out.emplace(element, std::move(below));
    }
    return out;
}

// Recursion is bounded by the depth of the text that the value was read from.
result<field_set> field_set::of_fields(const json::value& fields)
{
    if (!fields.is_object()) return failure(cond::corrupt, "managed fields are not a JSON object");
    field_set out;
    for (const auto& [key, value] : fields.get_object()) {
        if (std::string_view(key) == itself) continue; // the element that this belongs to
        auto element = read_element(key);
        if (!element) return element.error();
        if (!*element) continue;
        auto below = of_fields(value);
        if (!below) return below;
        auto& n = out.nodes_[**element];
        n.member = n.member || below->empty() || value.get_object().contains(itself);
        if (below->empty()) continue;
        // Two notations of one element are one element.
        if (!n.below) n.below = std::make_unique<field_set>();
        n.below->add(std::move(*below));
    }
    return out;
}

bool operator==(const field_set& a, const field_set& b)
{
    const auto same = [](const auto& x, const auto& y) {
        const auto& mine = x.second.below ? *x.second.below : nothing;
        const auto& theirs = y.second.below ? *y.second.below : nothing;
        return x.first == y.first && x.second.member == y.second.member && mine == theirs;
    };
    return std::equal(a.nodes_.begin(), a.nodes_.end(), b.nodes_.begin(), b.nodes_.end(), same);
}

namespace {

/// Appends a value as structured-merge-diff shows it in a path. Recursion is bounded by the depth of the text that it was read from.
void append_shown(std::string& out, const json::value& value)
{
    if (const auto* object = value.if_object()) {
        for (const auto& [name, member] : *object) append_shown(out.append(name).append("="), member);
    } else if (const auto* items = value.if_array()) {
        out += '[';
        for (const auto& item : *items) append_shown(&item == items->data() ? out : out += ',', item);
        out += ']';
    } else {
        out += go_value(value);
    }
}

} // namespace

std::string path_text(const field_path& path)
{
    std::string out;
    for (const auto& element : path) {
        const auto content = content_of(element);
        if (element[0] == 'f') {
            out += "." + std::string(content);
        } else if (element[0] == 'k') {
            char separator = '[';
            boost::system::error_code never; // the text is our own
            const auto keys = parse(content, never);
            for (const auto& [name, value] : keys.get_object()) {
                append_shown((out += separator).append(name).append("="), value);
                separator = ',';
            }
            out += ']';
        } else if (element[0] == 'v') {
            boost::system::error_code never;
            append_shown(out.append("[="), parse(content, never));
            out += ']';
        } else {
            out.append("[").append(content).append("]");
        }
    }
    return out;
}

path_element key_element(const json::object& keys) { return "k:" + go_json(keys); }

path_element value_element(const json::value& item) { return "v:" + go_json(item); }

} // namespace kubecoro::detail
