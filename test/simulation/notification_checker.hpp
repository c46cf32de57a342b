#pragma once
// The cluster state that one handler derives from its notifications alone, and the checks of these notifications.

#include "journal.hpp"
#include "server_history.hpp"

#include <kubecoro/cache/lister.hpp>
#include <kubecoro/cache/notification.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::simulation {

/// Promises to this handler beyond those to every handler.
struct promises
{
    /// It receives resyncs.
    bool resync = false;
    /// One watch feeds it: the initial adds come before all other notifications.
    bool one_watch = true;
    /// It has a filter: an object that ceases to match is deleted with the state delivered last.
    bool filtered = false;
};

/** Checks each notification on arrival (docs/semantics.md) and keeps the state they add up to.

    Per notification: only unknown objects are added, only known ones updated or deleted, with the state delivered last
    as `before`; versions of a uid only grow; each state is one the server had; nothing is delivered twice except
    resyncs to a handler that requested them; initial adds come first; the store is never behind the notification. */
class notification_checker
{
public:
    notification_checker(std::string name, scope covered, promises given, const server_history& real,
                         lister<object> store, journal& notes);

    /// @param synced  The current answer of the registration.
    void hear(const notification<object>& n, bool synced);

    /// Compares the notifications with the server's changes. Requires that `real` has caught up (nothing is ready to
    /// run).
    void check_reality();

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const std::map<object_key, object>& objects() const noexcept { return objects_; }
    [[nodiscard]] std::size_t initial_adds() const noexcept { return initial_adds_; }
    [[nodiscard]] const scope& covered() const noexcept { return scope_; }

    /// Newest version received in a namespace; 0 = none.
    [[nodiscard]] std::uint64_t newest_in(const std::string& ns) const
    {
        const auto found = newest_in_.find(ns);
        return found == newest_in_.end() ? 0 : found->second;
    }
    /// Changes received since the last call, without initial adds and resyncs.
    [[nodiscard]] std::vector<change> take_changes() { return std::exchange(heard_, {}); }

private:
    void hear(const added<object>& e, bool synced);
    void hear(const updated<object>& e);
    void hear(const deleted<object>& e);

    void broken(const std::string& what) const { notes_->broken(name_, what); }
    /// The state must be one the server had, in the scope, and newer than those received before for the object.
    void check_state(const object& o, bool may_repeat);
    void check_store(const object& o, bool gone) const;
    void heard(change_kind kind, const object& o);

    std::string name_;
    scope scope_;
    promises given_;
    const server_history* real_;
    lister<object> store_;
    journal* notes_;
    std::map<object_key, object> objects_;
    /// Newest version received, by uid; also of deleted objects.
    std::map<std::string, std::uint64_t, std::less<>> newest_;
    std::map<std::string, std::uint64_t> newest_in_;
    std::vector<change> heard_;
    /// States received since the last check_reality().
    std::vector<object> unproven_;
    std::size_t initial_adds_ = 0;
    bool past_initial_ = false;
};

} // namespace kubecoro::simulation
