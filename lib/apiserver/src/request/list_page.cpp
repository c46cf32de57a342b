#include "request/list_page.hpp"

#include "objects/status_errors.hpp"

#include <algorithm>

namespace kubecoro::apiserver {
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
                            const selection& selected)
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
    if (!p.exact && !limit) {
        const auto& all = store.objects();
        for (auto it = all.lower_bound(start); it != all.end() && it->first < last; ++it) take(it->second);
        return page;
    }
    const auto all = store.snapshot(p.version);
    const auto by_key = [](const stored& object, const std::string& key) { return object->key < key; };
    const auto end = std::lower_bound(all->begin(), all->end(), last, by_key);
    auto it = std::lower_bound(all->begin(), all->end(), start, by_key);
    while (it < end && take(*it)) ++it;
    if (!page.continue_token.empty() && selected.everything()) page.remaining = static_cast<std::size_t>(end - it);
    return page;
}

} // namespace kubecoro::apiserver
