#pragma once
// The real history of a resource: every change in order, from a watch without faults.

#include "journal.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace kubecoro::simulation {

/// resourceVersion as a number; the simulation's own server counts them.
[[nodiscard]] std::uint64_t version_of(const object& o);

/// "added pods a/o1 uid-4 @17".
[[nodiscard]] std::string brief(const object& o);

/// The objects of a resource that an informer covers, decided without the library's own selectors.
struct scope
{
    resource_type resource;
    /// Empty: all.
    std::set<std::string> namespaces = {};
    /// A label that must have this value; empty: any object.
    std::string label = {};
    std::string value = {};
    /// The informer stores metadata only.
    bool metadata_only = false;

    /// Whether the informer's object equals the server's, as far as it is stored.
    [[nodiscard]] bool same(const object& mine, const object& real) const;
    [[nodiscard]] bool covers(const object& o) const;
    /// For informer_options.
    [[nodiscard]] std::string selector() const { return label.empty() ? std::string{} : label + "=" + value; }
};

enum class change_kind
{
    added,
    updated,
    deleted
};
[[nodiscard]] std::string_view to_string(change_kind k) noexcept;

/// One change as a handler with a scope receives it, if it receives all.
struct change
{
    change_kind kind;
    std::string uid;
    std::uint64_t version;
    object_key key;
    friend bool operator==(const change&, const change&) = default;
};

/** The history of one resource.

    `follow` runs for the whole life of the world. Before a read it must have caught up (runner idle). */
class server_history
{
public:
    server_history(resource_type resource, journal& notes) : resource_(std::move(resource)), notes_(&notes) {}

    /// Watches until cancelled; resumes when the connection is cut.
    boost::asio::awaitable<result<>> follow(client source);
    /// It has followed to this version. Must be called before the server forgets its history.
    void caught_up(std::string version) { version_ = std::move(version); }

    [[nodiscard]] const resource_type& resource() const noexcept { return resource_; }
    [[nodiscard]] const std::map<object_key, object>& objects() const noexcept { return objects_; }
    [[nodiscard]] std::map<object_key, object> objects(const scope& s) const;
    /// The state of that uid at that version, including the final state; null when there was none.
    [[nodiscard]] object at(std::string_view uid, std::uint64_t version) const;
    /// Empty when the server had that state in that scope, else the difference. A handle that was checked for one user
    /// of an informer is not compared again for the others.
    [[nodiscard]] std::string disproof(const object& o, const scope& s) const;
    /// The number of changes so far.
    [[nodiscard]] std::size_t length() const noexcept { return events_.size(); }
    /// The changes from `begin` on as seen in a scope.
    [[nodiscard]] std::vector<change> changes(const scope& s, std::size_t begin) const;

private:
    struct event
    {
        object before;
        /// Null when deleted.
        object after;
        std::uint64_t version;
    };

    void apply(const watch_event& e);

    resource_type resource_;
    journal* notes_;
    std::string version_ = "0";
    std::map<object_key, object> objects_;
    std::map<std::string, std::map<std::uint64_t, object>, std::less<>> lives_;
    /// Handles with verified content, by identity. Holding them prevents that the identity is reused.
    mutable std::unordered_map<const void*, object> proven_;
    std::vector<event> events_;
};

} // namespace kubecoro::simulation
