// The comparison at the end of the demo: the informers' stores against the server's own lists, object by object.
#include "demo_informers.hpp"

#include <kubecoro/base/try.hpp>

#include <unordered_set>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_shown = 10;

using keys = std::unordered_set<object_key, object_key_hash, object_key_equal>;

/// Describes the difference between two objects; empty when they are equal. Null = the object does not exist.
std::string difference(const object& ours, const object& theirs)
{
    if (!ours && !theirs) return {};
    if (!ours) return "missing in the store";
    if (!theirs) return "not on the server";
    if (ours.resource_version() != theirs.resource_version()) {
        return "version " + std::string(ours.resource_version()) + " here, " + std::string(theirs.resource_version()) +
               " there";
    }
    return ours.root() == theirs.root() ? "" : "same version, other content";
}

/// The keys whose objects differ between store and list.
keys differing(const lister<object>& here, const std::vector<object>& there)
{
    keys out;
    keys listed;
    for (const object& theirs : there) {
        listed.emplace(theirs.key());
        if (!difference(here.get(theirs.key()), theirs).empty()) out.emplace(theirs.key());
    }
    for (const object& ours : here.list()) {
        if (!listed.contains(object_key(ours.key()))) out.emplace(ours.key());
    }
    return out;
}

/// The server's current object for a key; null when there is none.
asio::awaitable<result<object>> ask(client api, resource_type type, object_key key)
{
    auto found = co_await api.get(type, key.ns, key.name);
    if (!found && found.error() == cond::not_found) co_return object();
    co_return found;
}

/// Requests each key until both sides agree. @return the differences that remain at the deadline.
asio::awaitable<result<std::vector<std::string>>> settle(client api, shared_informer<object> informer, keys open,
                                                         time_point deadline)
{
    const auto time = real_clock();
    std::vector<std::string> differences;
    for (;;) {
        differences.clear();
        for (auto key = open.begin(); key != open.end();) {
            KUBECORO_TRY(auto theirs, co_await ask(api, informer.resource(), *key));
            const std::string how = difference(informer.lister().get(*key), theirs);
            if (!how.empty()) differences.push_back(informer.resource().plural + " " + to_string(*key) + ": " + how);
            key = how.empty() ? open.erase(key) : std::next(key);
        }
        if (open.empty() || time->now() >= deadline) co_return differences;
        KUBECORO_TRY(co_await sleep_for(*time, std::chrono::milliseconds{50}));
    }
}

} // namespace

asio::awaitable<result<comparison>> demo_informers::compare(client api, duration limit) const
{
    const auto deadline = real_clock()->now() + limit;
    comparison all;
    for (const auto& one : all_) {
        if (one.refused) continue;
        KUBECORO_TRY(auto page, co_await api.list_all(one.informer.resource(), ""));
        KUBECORO_TRY(auto left,
                     co_await settle(api, one.informer, differing(one.informer.lister(), page.items), deadline));
        all.compared += page.items.size();
        all.differing += left.size();
        for (auto& text : left) {
            if (all.differences.size() < most_shown) all.differences.push_back(std::move(text));
        }
    }
    co_return all;
}

} // namespace kubecoro::tool
