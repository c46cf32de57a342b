#pragma once
// What one handler believes the cluster to be, from its notifications alone, and what it may be told.

#include "journal.hpp"
#include "truth.hpp"

#include <kubecoro/cache/lister.hpp>
#include <kubecoro/cache/notification.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::simulation {

/// What this handler was promised beyond what every handler is.
struct promises
{
    /// It asked to be shown everything again now and then.
    bool resync = false;
    /// One watch feeds it: the initial adds come before everything else.
    bool one_watch = true;
    /// It asked for some objects only: what ceases to match is deleted as it was told last.
    bool filtered = false;
};

/** Checks each notification as it comes (docs/semantics.md) and keeps the state they add up to.

    Per notification: added only what is not there, updated and deleted only what is, with `before` being what was told
    last; versions of a uid only grow; each state is one the server had; only a handler that asked for it is shown
    something twice; initial adds come first; the store is never behind what is told. */
class belief
{
public:
    belief(std::string name, scope covered, promises given, const truth& real, lister store, journal& notes);

    /// @param synced  What the registration says at this moment.
    void hear(const notification& n, bool synced);

    /// Compares what was told with what the server did. To be called when `real` has caught up (nothing is ready to run).
    void check_reality();

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const std::map<object_key, object>& objects() const noexcept { return objects_; }
    [[nodiscard]] std::size_t initial_adds() const noexcept { return initial_adds_; }
    [[nodiscard]] const scope& covered() const noexcept { return scope_; }

    /// Newest version heard of in a namespace; 0 = none.
    [[nodiscard]] std::uint64_t newest_in(const std::string& ns) const
    {
        const auto found = newest_in_.find(ns);
        return found == newest_in_.end() ? 0 : found->second;
    }
    /// Changes heard since the last call; initial adds and resyncs are none.
    [[nodiscard]] std::vector<change> take_changes() { return std::exchange(heard_, {}); }

private:
    void hear(const added& e, bool synced);
    void hear(const updated& e);
    void hear(const deleted& e);

    void broken(const std::string& what) const { notes_->broken(name_, what); }
    /// A state the server had, in our scope, newer than what we heard of that object before.
    void check_state(const object& o, bool may_repeat);
    void check_store(const object& o, bool gone) const;
    void heard(change_kind kind, const object& o);

    std::string name_;
    scope scope_;
    promises given_;
    const truth* real_;
    lister store_;
    journal* notes_;
    std::map<object_key, object> objects_;
    /// Newest version heard of, by uid; also of what is gone.
    std::map<std::string, std::uint64_t, std::less<>> newest_;
    std::map<std::string, std::uint64_t> newest_in_;
    std::vector<change> heard_;
    /// States told since the last check_reality().
    std::vector<object> unproven_;
    std::size_t initial_adds_ = 0;
    bool past_initial_ = false;
};

} // namespace kubecoro::simulation
