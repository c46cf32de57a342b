#include "print/recorded_steps.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/client/detail/request_route.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace json = boost::json;

namespace kubecoro::tool {
namespace {

constexpr std::size_t longest_line = 300;

std::string seconds(std::chrono::microseconds t, const char* form)
{
    char out[40];
    std::snprintf(out, sizeof out, form, std::chrono::duration<double>(t).count());
    return out;
}

std::string metadata_text(const json::value& o, std::string_view name)
{
    boost::system::error_code wrong;
    const auto* const at = o.is_object() ? o.find_pointer("/metadata/" + std::string(name), wrong) : nullptr;
    return at != nullptr && at->is_string() ? std::string(at->get_string()) : std::string();
}

std::string name_in(const std::string& text)
{
    boost::system::error_code wrong;
    const auto o = json::parse(text, wrong);
    return wrong ? std::string() : metadata_text(o, "name");
}

std::string outcome_of(const detail::recorded_exchange& x)
{
    if (!x.answered) return x.broken.empty() ? "no answer" : x.broken;
    auto out = std::to_string(x.status) + " after " + seconds(*x.answered - x.sent, "%.3f s");
    if (!x.broken.empty()) out += ", then " + x.broken;
    return out;
}

recorded_step event_of(const recorded_step& of, std::chrono::microseconds at, std::size_t order, std::string type,
                       const json::value& o)
{
    recorded_step out;
    out.order = order;
    out.at = at;
    out.id = of.id;
    out.is_event = true;
    out.verb = std::move(type);
    out.resource = of.resource;
    out.ns = metadata_text(o, "namespace");
    out.name = metadata_text(o, "name");
    out.outcome = "version " + metadata_text(o, "resourceVersion");
    out.body = json::serialize(o);
    return out;
}

void add_listed(const detail::recorded_exchange& x, const recorded_step& of, std::vector<recorded_step>& out)
{
    boost::system::error_code wrong;
    const auto whole = json::parse(x.body, wrong);
    const auto* const items = wrong ? nullptr : whole.find_pointer("/items", wrong);
    if (items == nullptr || !items->is_array()) return;
    for (const auto& o : items->get_array())
        out.push_back(event_of(of, x.answered.value_or(x.sent), x.order, "LISTED", o));
}

void add_events(const detail::recorded_exchange& x, const recorded_step& of, std::vector<recorded_step>& out)
{
    for (const auto& e : x.events) {
        boost::system::error_code wrong;
        const auto whole = json::parse(e.text, wrong);
        const auto* const type = wrong ? nullptr : whole.find_pointer("/type", wrong);
        const auto* const o = wrong ? nullptr : whole.find_pointer("/object", wrong);
        if (type == nullptr || !type->is_string() || o == nullptr) continue;
        out.push_back(event_of(of, e.at, e.order, std::string(type->get_string()), *o));
    }
}

} // namespace

std::string recorded_step::key() const
{
    auto out = resource + (ns.empty() && name.empty() ? "" : " ") + ns + (ns.empty() || name.empty() ? "" : "/") + name;
    return subresource.empty() ? out : out + "/" + subresource;
}

bool recorded_key::fits(const recorded_step& s) const
{
    const bool same_resource = resource.empty() || s.resource == resource || s.resource.starts_with(resource + ".");
    return same_resource && (ns.empty() || s.ns == ns) && (name.empty() || s.name == name);
}

result<recorded_key> parse_recorded_key(std::string_view text)
{
    recorded_key out;
    const auto first = text.find('/');
    const auto last = text.rfind('/');
    out.resource = text.substr(0, first);
    if (first != std::string_view::npos) {
        out.name = text.substr(last + 1);
        if (last != first) out.ns = text.substr(first + 1, last - first - 1);
    }
    if (out.resource.empty() || out.name.empty() || out.ns.find('/') != std::string::npos)
        return failure(cond::invalid, "expected KIND/NAME or KIND/NS/NAME, not \"" + printable(text) + "\"");
    return out;
}

std::vector<recorded_step> steps_of(const std::vector<detail::recorded_exchange>& all)
{
    std::vector<recorded_step> out;
    for (const auto& x : all) {
        const auto route = detail::route_of(x.method, x.target);
        recorded_step s;
        s.order = x.order;
        s.at = x.sent;
        s.id = x.id;
        s.verb = route.resource.empty() ? x.method : route.verb;
        s.resource = route.resource.empty() ? x.target : route.display_name();
        s.subresource = route.subresource;
        s.ns = route.ns;
        s.name = route.name;
        s.outcome = outcome_of(x);
        s.body = x.sent_body;
        s.answer = x.body;
        if (s.verb == "create" && s.name.empty()) s.name = name_in(x.body);
        if (s.verb == "create" && s.name.empty()) s.name = name_in(x.sent_body);
        if (x.method.empty()) s.verb = "(an earlier request)";
        out.push_back(s);
        add_events(x, s, out);
        if (route.verb == "list") add_listed(x, s, out);
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
    return out;
}

std::string line_of(const recorded_step& s)
{
    return seconds(s.at, "%10.3f  #") + std::to_string(s.id) + (s.is_event ? "   " : " ") +
           printable(s.verb + " " + s.key() + ": " + s.outcome, longest_line);
}

} // namespace kubecoro::tool
