// One stored object: its JSON text, ready to send, the values that selectors and rules need, its form, its size and its uid.
#pragma once

#include "objects/registry.hpp"

#include <kubecoro/base/detail/random.hpp>

#include <boost/json/value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

/// The parts of an owner reference that the owner's deletion depends on.
struct owner_link
{
    std::string uid;
    /// blockOwnerDeletion.
    bool blocks = false;
    friend bool operator==(const owner_link&, const owner_link&) = default;
};

struct stored_object
{
    /// "/namespace/name" or "/name". Lists are ordered by these bytes.
    std::string key;
    std::string ns;
    std::string name;
    std::string uid;
    std::uint64_t version = 0;
    /// Complete JSON without a newline, beginning with the type prefix of the stored version.
    std::string text;
    /// Offset in `text` of the members after kind and apiVersion.
    std::size_t prefix = 0;
    /// Offset and length of the digits of resourceVersion in `text`; an offset of 0: no resourceVersion.
    std::size_t version_at = 0;
    std::size_t version_length = 0;
    bool deleting = false;
    /// It is being deleted, and goes after its dependents have lost it as their owner.
    bool orphans_dependents = false;
    /// It is being deleted, and goes after its dependents have been deleted.
    bool deletes_dependents = false;
    /// One for each uid, sorted by it.
    std::vector<owner_link> owners;
    /// Sorted by key.
    std::vector<std::pair<std::string, std::string>> labels;
    /// In the order of resource_info::selectable, of the revision that is given. Brought up to date by fields_of().
    mutable std::vector<std::string> fields;
    mutable std::uint64_t fields_revision = 0;
    /// The size of its protobuf message; 0: not known yet. Set by lists, on the strand.
    mutable std::size_t message_size = 0;
};

using stored = std::shared_ptr<const stored_object>;

/// "/ns/name", or "/name" without a namespace.
[[nodiscard]] std::string storage_key(std::string_view ns, std::string_view name);

/// Brings members into the order and form of kube-apiserver's answers: drops empty metadata members, sorts maps.
void normalise(const resource_info& info, boost::json::value& body);

/// Brings an object into its stored form: normalises it and gives it the values of Go's types.
void settle(const resource_info& info, boost::json::value& body);

/// The version in which an object is stored. One of a custom resource that webhooks convert may be an earlier storage version.
[[nodiscard]] std::string_view own_version(const resource_info& info, const stored_object& object);

/** Encodes an object in its stored form: in the version that its apiVersion states if a webhook converts its kind, otherwise in
    the storage version. @param version  0 omits resourceVersion. */
[[nodiscard]] stored make_stored(const resource_info& info, const boost::json::value& body, std::uint64_t version);

/// The values of the selectable fields. Strand-confined: evaluates them if a definition has changed which they are.
[[nodiscard]] const std::vector<std::string>& fields_of(const resource_info& info, const stored_object& object);

/// Returns a copy with another resourceVersion.
[[nodiscard]] stored with_version(const stored& object, std::uint64_t version);

/// Parses the object's text, in the stored version.
[[nodiscard]] boost::json::value to_json(const stored_object& object);
/// The object as it is read in a version of its resource.
[[nodiscard]] boost::json::value to_json(const resource_info& info, const stored_object& object,
                                         std::string_view version);
/// Removes what the schema of a version of a custom resource does not have, if objects are converted so.
void take_version(const resource_info& info, std::string_view version, boost::json::value& body);

/// Appends the object in an API version. Items of built-in lists have no kind and apiVersion.
void append_object(std::string& out, const resource_info& info, const stored_object& object, std::string_view version,
                   bool list_item = false);

/// The members in the order in which kube-apiserver writes them.
inline constexpr auto metadata_members = std::to_array<std::string_view>({
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
});

/** Gives an object of a built-in kind the values that a kube-apiserver's Go types have: empty lists that are omitted
    disappear, structs and zero values that are always written appear. So its JSON equals its protobuf. Members keep
    their order; new ones come last. An object that the schema does not fit stays as it is. */
void take_go_form(const resource_info& info, boost::json::value& body);

/// etcd's --max-request-bytes: a larger object is refused with etcd's error.
inline constexpr std::size_t max_stored_bytes = 1'572'864;

/** Returns the approximate bytes of the object in etcd, which stores custom resources as JSON and built-in kinds in a
    binary form without escapes and base64. */
[[nodiscard]] std::size_t stored_size(const resource_info& info, const boost::json::value& body);

/// Returns a UUID of version 4, such as "0b9f1d3c-...". As unpredictable as its source.
inline std::string make_uuid(detail::random_source& random)
{
    static constexpr char hex[] = "0123456789abcdef";
    std::string uuid;
    const std::uint64_t bits[2] = {random(), random()};
    for (int i = 0; i < 32; ++i) {
        if (i == 8 || i == 12 || i == 16 || i == 20) uuid += '-';
        auto digit = (bits[i / 16] >> (4 * (i % 16))) & 15;
        if (i == 12) digit = 4;
        if (i == 16) digit = 8 | (digit & 3);
        uuid += hex[digit];
    }
    return uuid;
}

} // namespace kubecoro::apiserver
