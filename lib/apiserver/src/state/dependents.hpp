// An index of the objects that name an owner, by the owner's uid.
#pragma once

#include "objects/stored_object.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/// The resource and the key of an object in one text: "pods/default/web". Keys begin with the slash.
[[nodiscard]] std::string place_of(const resource_info& info, const stored_object& object);

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

} // namespace kubecoro::apiserver
