#include "state/masked_state_core.hpp"

#include <kubecoro/api/detail/json_access.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace json = boost::json;

namespace kubecoro::testing::detail {

using kubecoro::detail::member_in;
using kubecoro::detail::object_in;
using kubecoro::detail::text_in;

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// "10.96.0.12".
bool is_address(std::string_view s)
{
    const auto dots = std::count(s.begin(), s.end(), '.');
    return dots == 3 && s.size() <= 15 &&
           std::all_of(s.begin(), s.end(), [](char c) { return is_digit(c) || c == '.'; });
}

/// Names that stand for the texts of one state that differ in another one.
struct vocabulary
{
    std::map<std::string, std::string, std::less<>> words;

    [[nodiscard]] std::optional<std::string> word_for(std::string_view s) const
    {
        if (const auto at = words.find(s); at != words.end()) return at->second;
        if (is_time(s)) return "(a time)";
        if (is_address(s)) return "(an address)";
        return std::nullopt;
    }
};

std::string name_of(const seen_object& o)
{
    const std::string made(text_in(member_in(o.whole, "metadata"), "generateName"));
    return made.empty() || !o.name.starts_with(made) ? o.name : made + "(made)";
}

std::string key_of(std::string_view resource, std::string_view ns, std::string_view name)
{
    return std::string(resource) + " " + std::string(ns) + (ns.empty() ? "" : "/") + std::string(name);
}

void mask_value(json::value& v, const vocabulary& words, std::int64_t generation)
{
    if (auto* const s = v.if_string()) {
        if (auto word = words.word_for(*s)) v = *word;
    } else if (auto* const a = v.if_array()) {
        for (auto& e : *a) mask_value(e, words, generation);
    } else if (auto* const o = v.if_object()) {
        for (auto& m : *o) {
            if (m.key() == "observedGeneration" && m.value().is_number())
                m.value() = m.value().to_number<std::int64_t>() == generation ? "(current)" : "(old)";
            else
                mask_value(m.value(), words, generation);
        }
    }
}

/// The mark that the check's own users leave, and the count of a Deployment's changes.
void erase_touch(json::object& meta)
{
    auto* const all = meta.if_contains("annotations");
    if (!all || !all->is_object()) return;
    all->get_object().erase(touched_annotation);
    all->get_object().erase("deployment.kubernetes.io/revision");
    if (all->get_object().empty()) meta.erase("annotations");
}

void mask_owners(json::object& meta, const vocabulary& words)
{
    auto* const owners = meta.if_contains("ownerReferences");
    if (!owners || !owners->is_array()) return;
    for (auto& o : owners->get_array())
        if (auto* const owner = o.if_object(); owner && !words.words.contains(text_in(*owner, "uid")))
            (*owner)["uid"] = "(of an object that is gone)";
}

void mask_object(json::object& whole, const vocabulary& words)
{
    std::int64_t generation = 0;
    if (auto* const m = whole.if_contains("metadata"); m && m->is_object()) {
        auto& meta = m->get_object();
        if (const auto* g = meta.if_contains("generation"); g && g->is_number())
            generation = g->to_number<std::int64_t>();
        for (const auto* name :
             {"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"})
            meta.erase(name);
        erase_touch(meta);
        mask_owners(meta, words);
    }
    for (auto& m : whole)
        if (m.key() != "kind" && m.key() != "apiVersion") mask_value(m.value(), words, generation);
}

void erase_ignored(seen_object& o, const std::vector<std::string>& ignored)
{
    for (const std::string_view each : ignored) {
        const auto space = each.find(' ');
        if (space == std::string_view::npos)
            erase_path(o.whole, each);
        else if (each.substr(0, space) == o.resource)
            erase_path(o.whole, each.substr(space + 1));
    }
}

/// Members in the order of their names, so that equal values have equal texts.
json::value sorted(const json::value& v)
{
    if (const auto* const a = v.if_array()) {
        json::array out;
        for (const auto& e : *a) out.push_back(sorted(e));
        return out;
    }
    const auto* const o = v.if_object();
    if (!o) return v;
    std::map<std::string_view, const json::value*> members;
    for (const auto& m : *o) members.emplace(m.key(), &m.value());
    json::object out;
    for (const auto& [name, value] : members) out.emplace(name, sorted(*value));
    return out;
}

std::string shown(const json::value* v)
{
    if (!v) return "nothing";
    constexpr std::size_t most = 120;
    auto out = json::serialize(*v);
    if (out.size() > most) out = out.substr(0, most) + "...";
    return out;
}

using found_difference = std::optional<std::string>;

found_difference first_difference(const json::value& wanted, const json::value& found, const std::string& path);

found_difference first_difference(const json::object& wanted, const json::object& found, const std::string& path)
{
    for (const auto& m : wanted) {
        const auto at = path + (path.empty() ? "" : ".") + std::string(m.key());
        const auto* const other = found.if_contains(m.key());
        if (!other) return at + " is missing instead of " + shown(&m.value());
        if (auto d = first_difference(m.value(), *other, at)) return d;
    }
    for (const auto& m : found)
        if (!wanted.if_contains(m.key()))
            return path + (path.empty() ? "" : ".") + std::string(m.key()) + " is " + shown(&m.value()) +
                   " instead of nothing";
    return std::nullopt;
}

found_difference first_difference(const json::value& wanted, const json::value& found, const std::string& path)
{
    if (wanted == found) return std::nullopt;
    if (wanted.is_object() && found.is_object()) return first_difference(wanted.get_object(), found.get_object(), path);
    if (wanted.is_array() && found.is_array() && wanted.get_array().size() == found.get_array().size())
        for (std::size_t i = 0; i < wanted.get_array().size(); ++i)
            if (auto d = first_difference(wanted.at(i), found.at(i), path + "[" + std::to_string(i) + "]")) return d;
    return path + " is " + shown(&found) + " instead of " + shown(&wanted);
}

bool is_left_out(std::string_view resource)
{
    constexpr std::array<std::string_view, 3> moving{"events", "events.events.k8s.io", "leases.coordination.k8s.io"};
    return std::find(moving.begin(), moving.end(), resource) != moving.end();
}

} // namespace

bool is_time(std::string_view s)
{
    constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd";
    if (s.size() <= form.size() || s.back() != 'Z') return false;
    for (std::size_t i = 0; i < form.size(); ++i)
        if (form[i] == 'd' ? !is_digit(s[i]) : form[i] != s[i]) return false;
    return true;
}

void erase_path(json::object& o, std::string_view path)
{
    const auto dot = path.find('.');
    if (dot == std::string_view::npos) {
        o.erase(path);
    } else if (auto* const inner = o.if_contains(path.substr(0, dot)); inner && inner->is_object()) {
        erase_path(inner->get_object(), path.substr(dot + 1));
    }
}

std::string seen_object::key() const { return key_of(resource, ns, name); }

dump_lines lines_of(std::string_view dump)
{
    dump_lines out;
    while (!dump.empty()) {
        const auto end = dump.find('\n');
        out.insert(dump.substr(0, end));
        dump.remove_prefix(end == std::string_view::npos ? dump.size() : end + 1);
    }
    return out;
}

std::vector<seen_object> objects_of(std::string_view dump, const dump_lines& known)
{
    std::vector<seen_object> out;
    while (!dump.empty()) {
        const auto end = dump.find('\n');
        const auto line = dump.substr(0, end);
        dump.remove_prefix(end == std::string_view::npos ? dump.size() : end + 1);
        if (known.contains(line)) continue;
        auto entry = json::parse(line);
        std::string resource(text_in(entry, "resource"));
        if (resource.empty() || is_left_out(resource)) continue;
        auto& whole = entry.at("object").as_object();
        const auto* const meta = object_in(whole, "metadata");
        if (!meta) continue;
        seen_object o{std::move(resource),
                      std::string(text_in(*meta, "namespace")),
                      std::string(text_in(*meta, "name")),
                      std::string(text_in(*meta, "uid")),
                      {}};
        o.whole = std::move(whole);
        out.push_back(std::move(o));
    }
    return out;
}

masked_state mask(std::vector<seen_object> objects, const std::vector<std::string>& ignored)
{
    vocabulary words;
    for (const auto& o : objects) {
        const auto name = name_of(o);
        words.words.emplace(o.uid, "(uid of " + key_of(o.resource, o.ns, name) + ")");
        if (name != o.name) words.words.emplace(o.name, name);
    }
    std::vector<std::pair<std::string, std::string>> all;
    for (auto& o : objects) {
        auto key = key_of(o.resource, o.ns, name_of(o));
        erase_ignored(o, ignored);
        mask_object(o.whole, words);
        all.emplace_back(std::move(key), json::serialize(sorted(o.whole)));
    }
    std::sort(all.begin(), all.end());
    masked_state out;
    for (auto& [key, text] : all) {
        auto unique = key;
        for (std::size_t n = 2; out.contains(unique); ++n) unique = key + " " + std::to_string(n);
        out.emplace(std::move(unique), std::move(text));
    }
    return out;
}

std::vector<std::string> differences(const masked_state& wanted, const masked_state& found, std::size_t most)
{
    std::vector<std::string> out;
    for (const auto& [key, text] : wanted) {
        const auto at = found.find(key);
        if (at == found.end())
            out.push_back(key + " is missing");
        else if (at->second != text)
            out.push_back(key + ": " +
                          first_difference(json::parse(text), json::parse(at->second), {}).value_or("differs"));
    }
    for (const auto& [key, text] : found)
        if (!wanted.contains(key)) out.push_back(key + " is there and should not be");
    if (out.size() > most) out.resize(most);
    return out;
}

} // namespace kubecoro::testing::detail
