#include "request/list_query.hpp"

#include "objects/status_errors.hpp"
#include "text/base64.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

namespace kubecoro::apiserver {
namespace {

/// Returns the first invalid term of a field selector.
std::string bad_term(std::string_view text)
{
    while (true) {
        const auto comma = text.find(',');
        const auto term = text.substr(0, comma);
        if (term.find('=') == std::string_view::npos) return std::string(term);
        if (comma == std::string_view::npos) return std::string(text);
        text.remove_prefix(comma + 1);
    }
}

std::optional<status_error> check_fields(const resource_info& info, std::string_view version,
                                         const field_selector& fields)
{
    const auto* own = info.custom ? info.find_version(version) : nullptr;
    const auto& known = own ? own->selectable : info.selectable;
    for (const auto& r : fields.requirements()) {
        if (r.path == "metadata.name" || (r.path == "metadata.namespace" && info.namespaced)) continue;
        if (std::find(known.begin(), known.end(), r.path) != known.end()) continue;
        if (info.custom || !info.selectable.empty()) return errors::bad_request("field label not supported: " + r.path);
        return errors::bad_request('"' + r.path +
                                   R"(" is not a known field selector: only "metadata.name", "metadata.namespace")");
    }
    return {};
}

} // namespace

answer<selection> selection::parse(const resource_info& info, std::string_view version, std::string_view labels,
                                   std::string_view fields)
{
    selection s;
    if (!labels.empty()) {
        auto parsed = label_selector::parse(labels);
        if (!parsed) {
            // kube-apiserver's message does not contain the position.
            const auto message = parsed.error().message();
            return errors::bad_request(message.substr(0, message.rfind(" at position ")));
        }
        s.labels_ = label_match(*parsed);
    }
    if (!fields.empty()) {
        auto parsed = field_selector::parse(fields);
        if (!parsed)
            return errors::bad_request("invalid selector: '" + std::string(fields) + "'; can't understand '" +
                                       bad_term(fields) + "'");
        if (auto e = check_fields(info, version, *parsed)) return *e;
        for (const auto& r : parsed->requirements()) {
            auto& rule = s.fields_[r.path];
            if (!r.equal)
                rule.not_equal.push_back(r.value);
            else if (rule.equal && *rule.equal != r.value)
                rule.impossible = true;
            else
                rule.equal = r.value;
        }
        for (auto& [path, rule] : s.fields_) std::sort(rule.not_equal.begin(), rule.not_equal.end());
    }
    return s;
}

bool selection::field_rule::takes(std::string_view value) const
{
    if (impossible || (equal && *equal != value)) return false;
    return !std::binary_search(not_equal.begin(), not_equal.end(), value);
}

bool selection::matches(const resource_info& info, const stored_object& object) const
{
    if (!labels_.matches(object)) return false;
    if (fields_.empty()) return true;
    const auto& fields = fields_of(info, object);
    const auto value_at = [&](std::string_view path) -> std::string_view {
        if (path == "metadata.name") return object.name;
        if (path == "metadata.namespace") return object.ns;
        const auto it = std::find(info.selectable.begin(), info.selectable.end(), path);
        const auto index = static_cast<std::size_t>(it - info.selectable.begin());
        return index < fields.size() ? std::string_view(fields[index]) : std::string_view{};
    };
    return std::all_of(fields_.begin(), fields_.end(),
                       [&](const auto& each) { return each.second.takes(value_at(each.first)); });
}

namespace {

constexpr std::string_view match_field = "resourceVersionMatch";

void check_list(const list_query& q, std::vector<status_cause>& causes)
{
    using errors::forbidden_field;
    const std::string field(match_field);
    if (!q.match.empty()) {
        if (q.version.empty())
            causes.push_back(
                forbidden_field(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
        if (!q.continue_token.empty())
            causes.push_back(forbidden_field(field, "resourceVersionMatch is forbidden when continue is provided"));
        if (q.match != "Exact" && q.match != "NotOlderThan")
            causes.push_back(errors::not_supported(field, quote(q.match), R"("Exact", "NotOlderThan", "")"));
        if (q.match == "Exact" && q.version == "0")
            causes.push_back(
                forbidden_field(field, R"(resourceVersionMatch "exact" is forbidden for resourceVersion "0")"));
    }
    if (q.send_initial_events)
        causes.push_back(forbidden_field("sendInitialEvents", "sendInitialEvents is forbidden for list"));
}

void check_watch(const list_query& q, std::vector<status_cause>& causes)
{
    using errors::forbidden_field;
    const std::string field(match_field);
    if (q.send_initial_events && q.match != "NotOlderThan")
        causes.push_back(
            forbidden_field(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    if (!q.match.empty()) {
        if (!q.send_initial_events)
            causes.push_back(forbidden_field(
                field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
        if (q.match != "NotOlderThan")
            causes.push_back(errors::not_supported(field, quote(q.match), R"("NotOlderThan")"));
    }
    // Without a version a watch begins as if it had asked for the initial events.
    const bool begins_anew = !q.send_initial_events && (q.version.empty() || q.version == "0");
    if (!q.continue_token.empty() && (!q.match.empty() || begins_anew))
        causes.push_back(forbidden_field(field, "resourceVersionMatch is forbidden when continue is provided"));
}

} // namespace

answer<std::optional<std::int64_t>> int_parameter(const parsed_target& target, std::string_view key)
{
    if (!target.has(key)) return std::optional<std::int64_t>();
    const auto text = target.value(key);
    // As for ParseInt, there may be one sign.
    const auto digits = text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
    std::int64_t value = 0;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (ec != std::errc{} || end != digits.data() + digits.size())
        return errors::bad_request("strconv.ParseInt: parsing " + quote(text) + ": " +
                                   (ec == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
    return std::optional(value);
}

answer<list_query> read_list_query(const parsed_target& target, bool watch)
{
    list_query q;
    q.label_selector = target.value("labelSelector");
    q.field_selector = target.value("fieldSelector");
    q.version = target.value("resourceVersion");
    q.match = target.value("resourceVersionMatch");
    q.continue_token = target.value("continue");
    q.bookmarks = target.flag("allowWatchBookmarks");
    if (target.has("sendInitialEvents")) q.send_initial_events = target.flag("sendInitialEvents");
    const auto limit = int_parameter(target, "limit");
    if (!limit) return limit.error();
    q.limit = std::max<std::int64_t>(limit->value_or(0), 0);
    const auto timeout = int_parameter(target, "timeoutSeconds");
    if (!timeout) return timeout.error();
    q.timeout_seconds = std::max<std::int64_t>(timeout->value_or(0), 0);

    std::vector<status_cause> causes;
    watch ? check_watch(q, causes) : check_list(q, causes);
    if (!causes.empty()) return errors::invalid_options("ListOptions", std::move(causes));
    return q;
}

boost::system::result<std::uint64_t, detail::problem_words> parse_version(std::string_view text)
{
    std::uint64_t version = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (ec != std::errc{} || end != text.data() + text.size())
        return {boost::system::in_place_error,
                "resourceVersion: Invalid value: " + quote(text) + ": strconv.ParseUint: parsing " + quote(text) +
                    ": " + (ec == std::errc::result_out_of_range ? "value out of range" : "invalid syntax")};
    return version;
}

std::string encode_continue(const continue_point& p)
{
    std::string text = R"({"v":"meta.k8s.io/v1","rv":)" + std::to_string(p.version) + R"(,"start":)";
    append_quoted(text, p.start);
    return encode_base64url(text + "}");
}

answer<continue_point> decode_continue(std::string_view token)
{
    const auto bad = [](const std::string& why) {
        return errors::bad_request("invalid continue token: continue key is not valid: " + why);
    };
    std::string text;
    if (const auto at = decode_base64url(token, text); at != std::string_view::npos)
        return bad("illegal base64 data at input byte " + std::to_string(at));
    const auto parsed = parse_json(text, 8);
    if (!parsed) return bad(parsed.error());
    const auto version = text_at(*parsed, "v");
    if (version != "meta.k8s.io/v1")
        return bad("server does not recognize this encoded version " + std::string(version));
    continue_point p;
    p.version = int_at(*parsed, "rv");
    if (p.version == 0) return bad("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
    p.start = text_at(*parsed, "start");
    if (p.start.empty()) return bad("encoded start key empty (version meta.k8s.io/v1)");
    if (p.start.front() != '/') p.start.insert(0, "/");
    if (p.start.find("/../") != std::string::npos) return bad("invalid continue key");
    return p;
}

namespace {

/// The version to read, the first key, and whether `limit` applies.
struct plan
{
    std::uint64_t version = 0;
    bool exact = false;
    bool paged = false;
    std::string start;
};

constexpr std::string_view stale_token =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list.";

answer<plan> plan_continued(const resource_store& store, const list_query& q)
{
    const auto point = decode_continue(q.continue_token);
    if (!point) return point.error();
    if (!q.version.empty() && q.version != "0")
        return errors::bad_request("specifying resource version is not allowed when using continue");
    plan p;
    p.start = point->start;
    p.paged = q.limit > 0;
    p.version = store.cluster_version();
    if (point->version < 0) return p;
    p.exact = true;
    const auto version = static_cast<std::uint64_t>(point->version);
    if (version > store.cluster_version()) return errors::future_version(version, store.cluster_version());
    p.version = version;
    if (version >= store.floor()) return p;
    auto e = errors::expired(std::string(stale_token));
    e.continue_token = encode_continue({-1, point->start.substr(1)});
    return e;
}

answer<plan> plan_fresh(const resource_store& store, const list_query& q)
{
    plan p;
    p.version = store.cluster_version();
    p.paged = q.limit > 0 && q.version != "0";
    if (q.version.empty()) return p;
    const auto asked = parse_version(q.version);
    if (!asked) return errors::bad_request("invalid resource version: " + asked.error());
    if (*asked > store.cluster_version()) return errors::future_version(*asked, store.cluster_version());
    if (*asked == 0) return p;
    if (q.match != "Exact" && !(q.match.empty() && q.limit > 0)) return p;
    if (*asked < store.floor()) return errors::expired("The resourceVersion for the provided list is too old.");
    p.version = *asked;
    p.exact = true;
    return p;
}

} // namespace

answer<list_page> make_page(const resource_store& store, std::string_view ns, const list_query& query,
                            const selection& selected, const version_converter& versions, std::string_view version)
{
    const auto planned = query.continue_token.empty() ? plan_fresh(store, query) : plan_continued(store, query);
    if (!planned) return planned.error();
    const auto& p = *planned;
    list_page page;
    page.version = p.version;
    const auto [first, last] = key_range(ns);
    const auto start = p.start.empty() ? first : first.substr(0, first.size() - 1) + p.start;

    const auto limit = p.paged ? static_cast<std::size_t>(query.limit) : 0;
    const auto take = [&](const stored& object) {
        if (!selected.matches(store.info, *object)) return true;
        if (limit && page.items.size() == limit) {
            const auto& key = page.items.back()->key;
            page.continue_token = encode_continue(
                {static_cast<std::int64_t>(p.version), key.substr(first.size() - 1) + std::string(1, '\0')});
            return false;
        }
        page.items.push_back(object);
        return true;
    };
    const auto shown_page = [&](list_page of) -> answer<list_page> {
        auto shown = versions.shown(store.info, of.items, version);
        if (!shown) return shown.error();
        of.items = std::move(*shown);
        return of;
    };
    const bool is_converted = store.info.conversion && !selected.everything();
    if (!p.exact && !limit && !is_converted) {
        const auto& all = store.objects();
        for (auto it = all.lower_bound(start); it != all.end() && it->first < last; ++it) take(it->second);
        return shown_page(std::move(page));
    }
    const auto all = store.snapshot(p.version);
    const auto by_key = [](const stored& object, const std::string& key) { return object->key < key; };
    const auto end = std::lower_bound(all->begin(), all->end(), last, by_key);
    auto it = std::lower_bound(all->begin(), all->end(), start, by_key);
    if (is_converted) {
        const auto shown = versions.shown(store.info, std::span(it, std::max(it, end)), version);
        if (!shown) return shown.error();
        for (const auto& object : *shown)
            if (!take(object)) break;
        return page;
    }
    while (it < end && take(*it)) ++it;
    if (!page.continue_token.empty() && selected.everything()) page.remaining = static_cast<std::size_t>(end - it);
    return shown_page(std::move(page));
}

} // namespace kubecoro::apiserver
