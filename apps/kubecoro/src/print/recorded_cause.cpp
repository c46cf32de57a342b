#include "print/recorded_steps.hpp"

#include <kubecoro/base/printable.hpp>

#include <boost/json.hpp>

#include <map>
#include <set>
#include <utility>

namespace json = boost::json;

namespace kubecoro::tool {
namespace {

constexpr std::size_t most_changes = 5;
constexpr std::size_t longest_path = 80;

json::value parsed(const std::string& text)
{
    boost::system::error_code wrong;
    auto out = json::parse(text, wrong);
    return wrong ? json::value() : out;
}

std::string text_at(const json::value& o, const char* pointer)
{
    boost::system::error_code wrong;
    const auto* const at = o.find_pointer(pointer, wrong);
    return at != nullptr && at->is_string() ? std::string(at->get_string()) : std::string();
}

/// The uids of the owners.
std::set<std::string> owners_of(const json::value& o)
{
    std::set<std::string> out;
    boost::system::error_code wrong;
    const auto* const all = o.find_pointer("/metadata/ownerReferences", wrong);
    if (all == nullptr || !all->is_array()) return out;
    for (const auto& one : all->get_array()) out.insert(text_at(one, "/uid"));
    return out;
}

bool says_nothing(std::string_view path)
{
    return path == "metadata.managedFields" || path == "metadata.resourceVersion" || path == "metadata.generation";
}

// NOLINTNEXTLINE(misc-no-recursion): the parser bounds the depth
void add_changes(const json::value& before, const json::value& after, const std::string& path,
                 std::vector<std::string>& out)
{
    if (before == after || says_nothing(path)) return;
    if (!before.is_object() || !after.is_object()) {
        out.push_back(path);
        return;
    }
    const auto inner = [&](std::string_view name) { return (path.empty() ? "" : path + ".") + std::string(name); };
    for (const auto& m : after.get_object()) {
        const auto* const was = before.get_object().if_contains(m.key());
        add_changes(was != nullptr ? *was : json::value(), m.value(), inner(m.key()), out);
    }
    for (const auto& m : before.get_object())
        if (!after.get_object().contains(m.key())) out.push_back(inner(m.key()));
}

std::string changes(const json::value& before, const json::value& after)
{
    std::vector<std::string> all;
    add_changes(before, after, {}, all);
    std::string out;
    for (std::size_t i = 0; i < all.size() && i < most_changes; ++i)
        out += (i == 0 ? "" : ", ") + printable(all[i], longest_path);
    if (all.size() > most_changes) out += " and " + std::to_string(all.size() - most_changes) + " more";
    return out;
}

/// The object, its owners, and what it owns, by their keys.
std::set<std::string> related_to(const std::vector<recorded_step>& all, const recorded_key& key)
{
    std::set<std::string> own;
    std::set<std::string> owners;
    for (const auto& s : all) {
        if (!s.is_event || !key.fits(s)) continue;
        const auto o = parsed(s.body);
        own.insert(text_at(o, "/metadata/uid"));
        owners.merge(owners_of(o));
    }
    own.erase("");
    std::set<std::string> out;
    for (const auto& s : all) {
        if (!s.is_event) continue;
        const auto o = parsed(s.body);
        bool is_near = key.fits(s) || owners.contains(text_at(o, "/metadata/uid"));
        for (const auto& owner : owners_of(o)) is_near = is_near || own.contains(owner);
        if (is_near) out.insert(s.key());
    }
    return out;
}

/// The key without its subresource.
std::string object_of(recorded_step s)
{
    s.subresource.clear();
    return s.key();
}

} // namespace

std::vector<std::string> lines_of_causes(const std::vector<recorded_step>& all, const recorded_key& key)
{
    const auto related = related_to(all, key);
    std::map<std::string, json::value> last;
    std::map<std::string, std::uint64_t> made_by;
    std::vector<std::string> out;
    for (const auto& s : all) {
        if (!s.is_event) {
            const auto about = object_of(s);
            if (!related.contains(about) && !key.fits(s)) continue;
            if (s.verb == "list" || s.verb == "watch") continue;
            out.push_back("    " + line_of(s));
            if (const auto version = text_at(parsed(s.answer), "/metadata/resourceVersion");
                s.verb != "get" && !version.empty())
                made_by.emplace(about + ' ' + version, s.id);
            continue;
        }
        if (!related.contains(s.key()) || s.name.empty()) continue;
        auto o = parsed(s.body);
        const auto before = last.find(s.key());
        auto line = line_of(s);
        if (before != last.end()) {
            if (const auto what = changes(before->second, o); !what.empty()) line += ", changed " + what;
        }
        const auto maker = made_by.find(s.key() + ' ' + text_at(o, "/metadata/resourceVersion"));
        if (maker != made_by.end()) line += " (by request #" + std::to_string(maker->second) + ")";
        last[s.key()] = std::move(o);
        out.push_back(std::move(line));
    }
    return out;
}

} // namespace kubecoro::tool
