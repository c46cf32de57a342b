// Applies the defaults of built-in kinds, as far as clients depend on them.
#pragma once

#include "objects/registry.hpp"
#include "objects/stored_object.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace kubecoro::apiserver {

/// Fills in the defaults of a new or updated object. `keep_status`: keep the status of a new object's body.
void apply_defaults(const resource_info& info, boost::json::value& body, bool creating, bool keep_status);

/// Adds the storage version of a CustomResourceDefinition to its status.storedVersions.
void note_storage_version(boost::json::object& crd);

/** The members that defaults may add to lists. Each takes two bytes at least where it is stored: an object with more is too
    large, and is refused without them. */
class default_budget
{
public:
    [[nodiscard]] bool spent() const noexcept { return left_ == 0; }
    void spend(std::size_t members) noexcept { left_ -= std::min(left_, members); }

private:
    std::size_t left_ = max_stored_bytes / 2;
};

/// Fills in the defaults of a kind that is listed; none for other kinds.
void apply_default_rules(std::string_view kind, boost::json::value& object, default_budget& budget);

/// The same for the volumes in the specification of a pod, and for one of its containers.
void apply_volume_rules(boost::json::value& spec, default_budget& budget);
void apply_container_rules(boost::json::value& container, default_budget& budget);

/// Fills in the defaults of a built-in kind.
/// @param fresh  The object is new, and its status the server's.
void apply_plain_defaults(const resource_info& info, boost::json::value& body, bool fresh);

/// Rounds the amounts in lists of resources away from zero to thousandths, as the defaults of the groups core, apps and batch do.
void round_resource_lists(const resource_info& info, boost::json::value& body);

} // namespace kubecoro::apiserver
