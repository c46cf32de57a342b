#include "replay/recorded_traffic_core.hpp"

#include "state/masked_state_core.hpp"
#include "world/stale_reads.hpp"
#include "world/traffic.hpp"

#include <kubecoro/api/detail/json_access.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace json = boost::json;

namespace kubecoro::testing::detail {

using kubecoro::detail::array_in;
using kubecoro::detail::member_in;

namespace {

constexpr std::size_t most_named = 3;

/// Parts of a query that differ between two runs that ask for the same.
bool is_drawn(std::string_view parameter)
{
    static constexpr std::string_view names[] = {"timeoutSeconds=", "resourceVersion=", "resourceVersionMatch=",
                                                 "limit=",          "fieldManager=",    "allowWatchBookmarks="};
    return std::any_of(std::begin(names), std::end(names), [&](auto n) { return parameter.starts_with(n); });
}

/// Equal for requests that answer each other.
std::string question_of(const std::string& method, const std::string& target)
{
    const auto mark = std::min(target.find('?'), target.size());
    auto out = method + ' ' + target.substr(0, mark);
    for (auto rest = std::string_view(target).substr(mark); !rest.empty();) {
        rest.remove_prefix(1);
        const auto one = rest.substr(0, rest.find('&'));
        if (!is_drawn(one)) (out += '&') += one;
        rest.remove_prefix(one.size());
    }
    return out;
}

bool is_compared(const request_route& route)
{
    return !route.resource.empty() && route.writes() && !route.is_bookkeeping() && !route.is_review();
}

// NOLINTNEXTLINE(misc-no-recursion): the parser bounds the depth
void mask_times(json::value& v)
{
    if (v.is_string() && is_time(v.get_string())) v = "(a time)";
    if (v.is_array())
        for (auto& item : v.get_array()) mask_times(item);
    if (v.is_object())
        for (auto& m : v.get_object()) mask_times(m.value());
}

std::string text_in(const json::value& o, std::string_view name)
{
    return std::string(kubecoro::detail::text_in(member_in(o, "metadata"), name));
}

json::value parsed(const std::string& text)
{
    boost::system::error_code wrong;
    auto out = json::parse(text, wrong);
    return wrong ? json::value() : out;
}

/// A state of an object: its version, or that it is gone.
std::string effect_of(request_route route, bool is_gone, const json::value& o)
{
    if (const auto name = text_in(o, "name"); !name.empty()) {
        route.name = name;
        route.ns = text_in(o, "namespace");
    }
    return route.key() + (is_gone ? " gone" : ' ' + text_in(o, "resourceVersion"));
}

} // namespace

recorded_traffic_core::recorded_traffic_core(std::vector<recorded_exchange> all, std::vector<std::string> ignored)
    : ignored_(std::move(ignored))
{
    for (auto& x : all) {
        length_ = std::max({length_, x.sent, x.answered.value_or(x.sent), x.ended.value_or(x.sent)});
        for (const auto& e : x.events) length_ = std::max(length_, e.at);
        const auto route = route_of(x.method, x.target);
        if (route.writes() && x.status >= 200 && x.status < 300)
            causes_.emplace(effect_of(route, route.verb == "delete", parsed(x.body)), x.id);
        left_[question_of(x.method, x.target)].push_back(std::move(x));
    }
}

std::string recorded_traffic_core::comparable(const std::string& body) const
{
    auto whole = parsed(body);
    if (whole.is_null()) return body;
    for (const auto& path : ignored_)
        if (auto* const o = whole.if_object()) erase_path(*o, path);
    mask_times(whole);
    return json::serialize(whole);
}

recorded_exchange recorded_traffic_core::answer(const request& r, std::chrono::microseconds now)
{
    ++report_.requests;
    const auto route = route_of(r.method, r.target);
    const auto question = question_of(r.method, r.target);
    const auto found = left_.find(question);
    const bool is_recorded = found != left_.end() && !found->second.empty();
    if (is_compared(route)) compare(route, is_recorded ? &found->second.front() : nullptr, r, now);
    if (!is_recorded) {
        const auto last = last_.find(question);
        return last == last_.end() ? made_up(route, r) : last->second;
    }
    auto out = std::move(found->second.front());
    found->second.pop_front();
    sent_.insert(out.id);
    keep(route, out.body);
    if (r.method == "GET" && !out.is_watch() && out.status == 200) last_[question] = out;
    return out;
}

void recorded_traffic_core::compare(const request_route& route, const recorded_exchange* recorded, const request& r,
                                    std::chrono::microseconds now)
{
    const auto title = title_of(r.method, route);
    report_.writes.push_back(title + (r.body.empty() ? "" : " " + r.body));
    if (recorded == nullptr) {
        report_.differences.push_back({now, title, {}, r.body, "the recording has no such request"});
        return;
    }
    masked_state wanted{{"the body", comparable(recorded->sent_body)}};
    masked_state found{{"the body", comparable(r.body)}};
    if (wanted == found) return;
    std::string what;
    for (const auto& d : differences(wanted, found, most_named)) what += (what.empty() ? "" : "; ") + d;
    report_.differences.push_back({now, title, recorded->sent_body, r.body, std::move(what)});
}

void recorded_traffic_core::keep(const request_route& route, const std::string& body)
{
    const auto whole = parsed(body);
    const auto put = [&](const json::value& o) {
        auto one = route;
        one.ns = text_in(o, "namespace");
        one.name = text_in(o, "name");
        if (!one.name.empty()) seen_[one.key()] = json::serialize(o);
    };
    const auto* const items = array_in(whole, "items");
    if (!items) return put(whole);
    for (const auto& item : *items) put(item);
}

std::uint64_t recorded_traffic_core::cause_of(const recorded_exchange& watch,
                                              const kubecoro::detail::recorded_event& e) const
{
    const auto whole = parsed(e.text);
    const auto* const o = member_in(whole, "object");
    if (!o) return 0;
    const bool is_gone = kubecoro::detail::text_in(whole, "type") == "DELETED";
    const auto found = causes_.find(effect_of(route_of(watch.method, watch.target), is_gone, *o));
    return found == causes_.end() ? 0 : found->second;
}

void recorded_traffic_core::saw_event(const recorded_exchange& watch, const std::string& text)
{
    const auto whole = parsed(text);
    if (const auto* const o = member_in(whole, "object"))
        keep(route_of(watch.method, watch.target), json::serialize(*o));
}

recorded_exchange recorded_traffic_core::made_up(const request_route& route, const request& r) const
{
    recorded_exchange out;
    out.method = r.method;
    out.target = r.target;
    out.answered = out.sent;
    out.status = 200;
    if (out.is_watch()) return out; // silent, until the end
    out.ended = out.sent;
    const auto known = seen_.find(route.key());
    if (route.verb == "delete") {
        out.body = status_text(200, "");
    } else if (route.verb == "create" || (route.writes() && known == seen_.end())) {
        // The server's own fields are the least that a client needs.
        auto o = parsed(r.body);
        if (o.is_object() && o.get_object()["metadata"].is_object()) {
            auto& metadata = o.get_object()["metadata"].get_object();
            if (!metadata.contains("name")) metadata["name"] = text_in(o, "generateName") + "replayed";
            metadata["uid"] = "replayed";
            metadata["resourceVersion"] = "1";
        }
        out.status = route.verb == "create" ? 201 : 200;
        out.body = o.is_object() ? json::serialize(o) : r.body;
    } else if (known != seen_.end()) {
        out.body = known->second;
    } else {
        out.status = route.verb == "get" ? 404 : 503;
        out.body = status_text(out.status, out.status == 404 ? "NotFound" : "ServiceUnavailable");
    }
    return out;
}

replay_report recorded_traffic_core::finish()
{
    std::vector<replay_report::difference> missing;
    for (const auto& [question, all] : left_) {
        for (const auto& x : all) {
            const auto route = route_of(x.method, x.target);
            if (is_compared(route))
                missing.push_back({x.sent, title_of(x.method, route), x.sent_body, {}, "the operator has not sent it"});
        }
    }
    std::sort(missing.begin(), missing.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    for (auto& m : missing) report_.differences.push_back(std::move(m));
    return std::move(report_);
}

} // namespace kubecoro::testing::detail
