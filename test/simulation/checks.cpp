#include "checks.hpp"

#include <kubecoro/api/selector.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

namespace kubecoro::simulation {

namespace {

using object_map = std::map<object_key, object>;

object_map by_key(const std::vector<object>& list)
{
    object_map out;
    for (const auto& o : list) out.emplace(object_key(o.key()), o);
    return out;
}

/// Empty when equal. Compares content only when a scope says how much of it is stored; otherwise versions identify it.
std::string compare(const object_map& have, const object_map& real, const scope* content)
{
    for (const auto& [key, o] : real) {
        const auto mine = have.find(key);
        if (mine == have.end()) return "lacks " + brief(o);
        if (mine->second.uid() != o.uid() || mine->second.resource_version() != o.resource_version()) {
            return "has " + brief(mine->second) + " instead of " + brief(o);
        }
        if (content != nullptr && !content->same(mine->second, o)) {
            return "has wrong content for " + brief(o) + ": " + mine->second.to_text() + " instead of " + o.to_text();
        }
    }
    for (const auto& [key, o] : have) {
        if (!real.contains(key)) return "has " + brief(o) + ", which is deleted";
    }
    return {};
}

void check_view(const watched& w, journal& notes, std::string_view what, std::vector<object> got,
                const object_map& expected)
{
    const auto n = got.size();
    const auto mine = by_key(got);
    if (n != mine.size()) notes.broken(w.name, std::string(what) + " returns an object twice");
    const auto difference = compare(mine, expected, nullptr);
    if (!difference.empty()) notes.broken(w.name, std::string(what) + " " + difference);
}

template<class Keep>
object_map only(const object_map& all, Keep keep)
{
    object_map out;
    for (const auto& [key, o] : all) {
        if (keep(o)) out.emplace_hint(out.end(), key, o);
    }
    return out;
}

void check_index(const watched& w, journal& notes, const object_map& real)
{
    const auto lister = w.informer.lister();
    if (!lister.has_index(node_index)) return;
    std::set<std::string> nodes;
    for (const auto& [key, o] : real) nodes.emplace(o["spec"]["nodeName"].as_string());
    const auto values = lister.index_values(node_index);
    if (std::set<std::string>(values.begin(), values.end()) != nodes || values.size() != nodes.size()) {
        notes.broken(w.name, "the values of the index differ from the objects'");
    }
    for (const auto& node : nodes) {
        const auto on_node = only(real, [&](const object& o) { return o["spec"]["nodeName"].as_string() == node; });
        check_view(w, notes, "by_index", lister.by_index(node_index, node), on_node);
        if (lister.index_keys(node_index, node).size() != on_node.size()) {
            notes.broken(w.name, "the number of index_keys is wrong");
        }
    }
}

} // namespace

std::string first_difference(const watched& w)
{
    const auto real = w.real->objects(w.covered);
    if (!w.informer.synced()) return w.name + " is not synced";
    if (auto d = compare(by_key(w.informer.lister().list()), real, nullptr); !d.empty())
        return w.name + "'s store " + d;
    for (const auto& u : w.users) {
        if (u->leaving()) {
            if (!u->quiet()) return u->view().name() + " has not left";
            continue;
        }
        if (!u->synced()) return u->view().name() + " is not synced";
        const auto its = w.real->objects(u->view().covered());
        if (auto d = compare(u->view().objects(), its, nullptr); !d.empty()) return u->view().name() + " " + d;
        // A user with resyncs may never be idle.
        if (!u->options().resyncs && (u->busy() || u->stats().pending != 0))
            return u->view().name() + " has notifications waiting";
    }
    return {};
}

void check_store(const watched& w, journal& notes)
{
    const auto real = w.real->objects(w.covered);
    const auto lister = w.informer.lister();
    if (auto d = compare(by_key(lister.list()), real, &w.covered); !d.empty()) notes.broken(w.name, "the store " + d);
    if (lister.size() != real.size()) notes.broken(w.name, "size() is wrong");
    std::set<std::string> namespaces;
    for (const auto& [key, o] : real) {
        namespaces.insert(key.ns);
        if (!lister.get(key)) notes.broken(w.name, "get() does not find " + brief(o));
        if (!lister.reached(o.resource_version(), key.ns))
            notes.broken(w.name, "reached() denies the version of " + brief(o));
    }
    if (const auto got = lister.namespaces(); std::set<std::string>(got.begin(), got.end()) != namespaces) {
        notes.broken(w.name, "namespaces() is wrong");
    }
    for (const auto& ns : namespaces) {
        check_view(w, notes, "list(namespace)", lister.list_in(ns),
                   only(real, [&](const object& o) { return o.ns() == ns; }));
    }
    const auto shop = label_selector::parse("app=shop");
    check_view(w, notes, "list(selector)", lister.list(*shop),
               only(real, [](const object& o) { return o.labels()["app"].as_string() == "shop"; }));
    check_index(w, notes, real);
}

void check_derived_states(const watched& w, journal& notes)
{
    for (const auto& u : w.users) {
        if (u->leaving()) continue;
        const auto real = w.real->objects(u->view().covered());
        if (auto d = compare(u->view().objects(), real, &w.covered); !d.empty()) notes.broken(u->view().name(), d);
    }
}

namespace {

constexpr auto not_comparable = ~std::uint64_t{0};

std::string show(const std::vector<change>& changes)
{
    std::string out;
    for (const auto& c : changes) {
        out.append(" ").append(to_string(c.kind)).append("@").append(std::to_string(c.version));
    }
    return out;
}

/// Groups changes by the unit of order: the object for a concurrent user, the namespace with several watches, else all.
std::map<object_key, std::vector<change>> in_order(std::vector<change> changes, const participant& u, const scope& s)
{
    const bool each_object = u.options().how == manner::concurrent;
    std::map<object_key, std::vector<change>> out;
    for (auto& c : changes) {
        auto what = each_object ? c.key : object_key{s.namespaces.empty() ? "" : c.key.ns, ""};
        out[std::move(what)].push_back(std::move(c));
    }
    return out;
}

/// The version of the last change in each namespace.
std::map<std::string, std::uint64_t> last_changes(const watched& w)
{
    std::map<std::string, std::uint64_t> out;
    for (const auto& c : w.real->changes(w.covered, 0)) out[c.key.ns] = c.version;
    return out;
}

/// Whether no event is in flight. At a quiet point some may be: changes that cancel out, behind a half-open watch that
/// has not been given up yet.
bool up_to_date(const watched& w, const participant& u, const std::map<std::string, std::uint64_t>& last)
{
    if (w.covered.namespaces.size() < 2) {
        const auto reached = std::strtoull(w.informer.last_resource_version().c_str(), nullptr, 10);
        return std::all_of(last.begin(), last.end(), [&](const auto& l) { return reached >= l.second; });
    }
    // Each watch has its own hidden version: a user that received the last change has received all.
    return std::all_of(last.begin(), last.end(),
                       [&](const auto& l) { return u.view().newest_in(l.first) >= l.second; });
}

} // namespace

std::size_t check_exactness(watched& w, journal& notes)
{
    std::size_t compared = 0;
    const auto last = last_changes(w);
    const auto lists = w.informer.stats().reflector.lists_total();
    std::vector<std::uint64_t> coalesced;
    for (std::size_t i = 0; i < w.users.size(); ++i) {
        auto& u = *w.users[i];
        const auto stats = u.stats();
        // Waiting notifications belong to this period but are received in the next: neither can be compared.
        const bool heard_all = stats.pending == 0 && !u.busy() && up_to_date(w, u, last);
        coalesced.push_back(heard_all ? stats.coalesced : not_comparable);
        auto heard = in_order(u.view().take_changes(), u, w.covered);
        const bool whole = i < w.users_then && !w.listing && lists == w.lists && !u.leaving() &&
                           !u.options().filtered && w.coalesced[i] != not_comparable &&
                           stats.coalesced == w.coalesced[i];
        if (!whole) continue;
        ++compared;
        const auto expected = in_order(w.real->changes(w.covered, w.history_begin), u, w.covered);
        for (const auto& [what, all] : heard) {
            if (!expected.contains(what))
                notes.broken(u.view().name(), "received events that did not happen:" + show(all));
        }
        for (const auto& [what, all] : expected) {
            const auto& mine = heard[what];
            // Events missing behind a half-open watch cancel out and come with the next watch.
            const bool owed =
                !heard_all && mine.size() < all.size() && std::equal(mine.begin(), mine.end(), all.begin());
            if (mine == all || owed) continue;
            notes.broken(u.view().name(), "kept up, but the events were" + show(all) + ", received were" + show(mine));
        }
    }
    w.history_begin = w.real->length();
    w.lists = lists;
    w.listing = w.informer.state() != informer_state::watching; // the combined state: one of its watches may be listing
    w.users_then = w.users.size();
    w.coalesced = std::move(coalesced);
    return compared;
}

} // namespace kubecoro::simulation
