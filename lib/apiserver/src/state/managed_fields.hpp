// metadata.managedFields: who owns which fields of an object, and how updates and applies change that. No I/O, no clock.
#pragma once

#include "state/resource_store.hpp"

#include <kubecoro/api/detail/field_set.hpp>
#include <kubecoro/api/detail/merge_type.hpp>
#include <kubecoro/apiserver/detail/cluster_state_core.hpp>
#include <kubecoro/apiserver/detail/status_error.hpp>

#include <boost/json/value.hpp>

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

using detail::field_path;
using detail::field_set;
using detail::merge_type;

/// The annotation in which kubectl keeps what it applied without the server.
inline constexpr std::string_view last_applied = "kubectl.kubernetes.io/last-applied-configuration";

/// The writer of a request.
struct field_writer
{
    std::string manager;
    /// Version of the API in which it writes.
    std::string api_version;
    /// "status", "scale", ...; empty: the object itself.
    std::string subresource = {};
    /// The present time, as objects state it. Empty: not recorded.
    std::string time;
};

/** The owners of the fields of one object. A regular value type.

    An owner is one manager with one operation: applies by name and subresource, updates also by API version. Objects are
    passed without managedFields, kind and apiVersion. */
class managed_fields
{
public:
    /// Reads metadata.managedFields. Empty for an object that has none; nullopt if they cannot be read.
    [[nodiscard]] static std::optional<managed_fields> read(const boost::json::value& object);

    /** Returns the owners that an update begins with: those that it states, which may be none at all, if they can be read;
        else those of the live object. A subresource cannot state any. */
    [[nodiscard]] static managed_fields before_update(const boost::json::value& live, const boost::json::value& stated,
                                                      bool of_subresource);

    /// Makes these the metadata.managedFields of an object.
    void write(boost::json::value& object) const;

    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

    /** Makes the writer the only owner of all that differs between the objects. Records no owner in an object that has
        none, unless it is new.
        @param before  The empty object of the kind, if it is new. */
    void note_update(const boost::json::value& before, const boost::json::value& after, const merge_type& type,
                     bool is_new, const field_writer& writer);

    /** Applies a configuration: the object gets all that it states, and loses what the writer applied before and states no
        more, unless others own it.

        @param empty  The empty object of the kind.
        @param force  Takes over what others own.
        @return the object; empty if it stays as it is. Errors: 409 with a cause for each field that another owns. */
    [[nodiscard]] answer<std::optional<boost::json::value>>
    apply(const boost::json::value& live, const boost::json::value& config, const boost::json::value& empty,
          const merge_type& type, bool force, const field_writer& writer);
    /// Gives the entry of an apply by the writer the writer's time, where there is one.
    void note_time(const field_writer& writer);

    /** The owners of the replicas of an object, as a Scale of it has them.
        @param replicas  The path in the object. */
    [[nodiscard]] managed_fields of_scale(const field_path& replicas) const;
    /** These owners after a write of the Scale: those of its replicas are the owners of the object's.
        @param api_version  That of the object. */
    [[nodiscard]] managed_fields with_scale(const managed_fields& scale, const field_path& replicas,
                                            const std::string& api_version) const;

    /// Whether both are the same but for the times.
    [[nodiscard]] bool same_owners(const managed_fields& other) const;

private:
    struct owner
    {
        std::string manager;
        /// By updates, not by applies.
        bool updates = false;
        /// Empty for applies.
        std::string api_version;
        std::string subresource;
        auto operator<=>(const owner&) const = default;
    };
    struct entry
    {
        field_set fields;
        /// The version that its last request used.
        std::string api_version;
        /// Empty: none.
        std::string time;

        friend bool operator==(const entry&, const entry&) = default;
    };
    using entries = std::map<owner, entry>;

    struct conflict
    {
        owner held_by;
        std::string api_version;
        field_path path;
    };
    struct conflict_list
    {
        /// As many as an error lists.
        std::vector<conflict> first = {};
        std::size_t count = 0;
    };
    static status_error conflict_error(const conflict_list& conflicts);
    static owner owner_of(const field_writer& writer, bool updates);

    /// Takes the fields from all but one.
    void take_from_others(const field_set& fields, const owner& self);
    /// @param forgiven  Fields that are no conflicts; null: none.
    [[nodiscard]] conflict_list conflicts_with(const field_set& changed, const owner& self,
                                               const field_set* forgiven) const;
    /// Removes the fields of its last configuration that have no owner any more.
    [[nodiscard]] boost::json::value prune(const boost::json::value& merged, const merge_type& type,
                                           const field_set& last) const;
    void cap_updates();

    entries entries_;
};

/// The writer of a request at the present time.
[[nodiscard]] field_writer writer_of(const object_address& at, const write_flags& flags, wall_time now);

/// How the objects of a resource are merged, in an API version.
[[nodiscard]] merge_type merge_type_of(const resource_info& info, std::string_view version);

/// An object without content: that of Go's types for a built-in kind.
[[nodiscard]] boost::json::value empty_object(const resource_info& info);

/// The object from which a new one differs in all that its writer owns: empty but for what the server has filled in.
[[nodiscard]] boost::json::value object_before(const resource_info& info, const boost::json::value& body);

/// Returns an object without kind and apiVersion.
[[nodiscard]] boost::json::value without_type(boost::json::value body);

} // namespace kubecoro::apiserver
