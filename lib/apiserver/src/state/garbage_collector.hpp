// Deletes objects whose owners are gone, as a cluster's controller manager does. Works in small steps.
#pragma once

#include "objects/stored_object.hpp"
#include "state/resource_store.hpp"

#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Ordered, not hashed: clients choose the uids.
class dependents
{
public:
    /// Follows a change of an object. Null: it was not, or is no more, stored.
    void replace(const std::string& place, const stored_object* before, const stored_object* after);
    void clear() { by_owner_.clear(); }

    [[nodiscard]] bool any(std::string_view owner_uid) const { return by_owner_.contains(owner_uid); }
    /// How many of them hold up the deletion of the owner.
    [[nodiscard]] std::size_t blocking(std::string_view owner_uid) const;
    /// Whether one of them waits for dependents of its own.
    [[nodiscard]] bool any_waits(std::string_view owner_uid) const;
    /// The next one in order; `after` "" begins.
    [[nodiscard]] std::optional<std::string> next(std::string_view owner_uid, std::string_view after) const;

private:
    struct owned_by
    {
        std::set<std::string, std::less<>> places;
        std::size_t blocking = 0;
        std::size_t waiting = 0;
    };
    [[nodiscard]] const owned_by* find(std::string_view owner_uid) const;
    void add(const std::string& place, const stored_object& object);
    void remove(const std::string& place, const stored_object& object);

    std::map<std::string, owned_by, std::less<>> by_owner_;
};

/** Follows the changes of all objects and keeps a list of what they make necessary. Whatever the number of dependents, a
    change adds a few entries; each step looks at one object and writes it at most twice. */
class garbage_collector
{
public:
    explicit garbage_collector(cluster_state_core& state) : state_(state) {}

    /// Follows a change. Null: the object was not, or is no more, stored.
    void note(const resource_store& store, const stored_object* before, const stored_object* after);
    /// Forgets everything, before a state is restored.
    void clear();
    /// Performs at most this number of steps. @return whether some are left.
    [[nodiscard]] bool work(std::size_t steps, wall_time now);

private:
    enum class task
    {
        /// `what` is the place of an object with owners: do they exist?
        examine,
        /// `what` is the uid of an owner that is gone: examine its dependents.
        owner_gone,
        /// `what` is the place of an owner whose dependents lose it before it goes.
        orphan,
        /// `what` is the place of an owner whose dependents go first: examine them.
        dependents_first,
        /// `what` is the place of an owner that may have nothing to wait for any more.
        finish
    };
    struct entry
    {
        task kind;
        std::string what;
        /// The dependent that was handled last.
        std::string after = {};
    };
    struct found
    {
        std::shared_ptr<resource_store> store;
        stored object;
    };
    /// The owners of an object, sorted by what they mean for it.
    struct owner_states
    {
        std::vector<std::string> gone;
        /// Those that wait for the object to go first.
        std::vector<std::string> waiting;
        bool solid = false;
        /// Whether nothing may be concluded: an owner is of a kind that is not served, or cannot be an owner.
        bool unknown = false;
    };

    [[nodiscard]] found find(std::string_view place) const;
    [[nodiscard]] std::shared_ptr<resource_store> store_of(std::string_view api_version, std::string_view kind) const;
    [[nodiscard]] owner_states states_of(const found& dependent, const boost::json::value& body,
                                         std::string_view gone_uid) const;
    /// @return whether the entry is done.
    [[nodiscard]] bool step(entry& e, wall_time now);
    /// The same for an entry that goes through the dependents of an owner.
    [[nodiscard]] bool next_dependent(entry& e, wall_time now);
    /// Whether an object that waits for its dependents is one of them, directly or by others that wait.
    [[nodiscard]] bool waits_for_itself(const stored_object& object) const;
    void examine(std::string_view place, std::string_view gone_uid, wall_time now);
    void remove(const found& doomed, std::string_view propagation, wall_time now);
    void drop_owners(const found& dependent, const std::vector<std::string>& uids);
    void unblock_owners(const found& dependent);
    void drop_finalizer(const found& owner, std::string_view finalizer, wall_time now);
    /// Owners of the object may have nothing to wait for any more.
    void note_waiting_owners(const stored_object& object);

    cluster_state_core& state_;
    dependents index_;
    /// Places of the objects that wait for their dependents, by uid.
    std::map<std::string, std::string, std::less<>> waiting_;
    /// A list: moving an entry needs no memory.
    std::list<entry> entries_;
    /// Size of the objects that this call of work() has examined.
    std::size_t examined_bytes_ = 0;
};

} // namespace kubecoro::apiserver
