#pragma once

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/// The form of objects on the wire.
enum class wire_form
{
    json,
    /// Kubernetes' protobuf, for the built-in kinds. An answer gives the same as in JSON, except that fields which
    /// this version does not know are missing: see object::is_partial().
    protobuf
};

/// Limits on decoder input, so that no peer can cause unbounded allocation.
struct decode_limits
{
    /// Size of one stored object: its encoded form, and each text in it. Its JSON may be six times as long, because
    /// servers escape `<`, `>` and `&` as six bytes; watch lines have room for that. A kube-apiserver accepts no body
    /// above 3 MiB. In a list or watch, a larger object is left out (see left_out_object); decoded alone it is
    /// cond::corrupt.
    std::size_t max_object_bytes = 4 * 1024 * 1024;
    /// Nesting depth. CRD schemas reach about 40. At most 512. Deeper objects are left out like too large ones.
    std::size_t max_depth = 200;
    friend bool operator==(const decode_limits&, const decode_limits&) = default;
};

/** Fields to leave out while decoding: they cost no memory and little time. A dropped object or list is only scanned
    for its end; its content is not checked to be valid JSON.

    A path consists of member names separated by dots. `*` matches every item of a list and every member of an object. A
    name that contains a dot is written in brackets: `spec.containers.*.env`,
    `metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]` (inside the quotes, \" and \\ stand
    for the two characters). apiVersion, kind and metadata's name, namespace, uid and resourceVersion are always
    kept; bookmarks and Status are not pruned. With an invalid path, decoding fails with cond::invalid. */
struct prune_options
{
    /// Keep only the values at these paths, with all their content. Empty = everything. Containers on the way are kept,
    /// possibly empty.
    text_list keep = {};
    /// Drop the values at these paths, also inside values that `keep` names.
    text_list drop = {};
    friend bool operator==(const prune_options&, const prune_options&) = default;
};

/// How answers are decoded: limits, and fields that are left out.
struct decode_options
{
    /// Bounds of what is decoded.
    decode_limits limits = {};
    /// Leave out metadata.managedFields while decoding: about a third of the text, rarely needed.
    bool drop_managed_fields = false;
    /// Fields that are left out while decoding.
    prune_options prune = {};
    /** The form that servers are asked for. protobuf costs the server less, but only built-in kinds have it: other
        kinds are read as JSON in any case. json: choose it for a kind whose objects have fields that this version does
        not know (see object::is_partial()) and are needed. */
    wire_form form = wire_form::protobuf;

    /// True if any field is left out.
    [[nodiscard]] bool prunes() const noexcept
    {
        return drop_managed_fields || !prune.keep.empty() || !prune.drop.empty();
    }
    friend bool operator==(const decode_options&, const decode_options&) = default;
};

/// An object that was not decoded because it exceeds decode_limits: it is too large, or nested too deeply. Or an item of a
/// list that is null.
struct left_out_object
{
    /// Namespace and name; empty for an item that is null.
    object_key key = {};
    /// The uid, as text.
    std::string uid = {};
    /// The version that was left out.
    std::string resource_version = {};
    /// Names the limit.
    std::string why = {};
};

/// One page of a LIST.
struct list_page
{
    /// The objects of the page, in the server's order.
    std::vector<object> items = {};
    /// The version of the list.
    std::string resource_version = {};
    /// Empty on the last page.
    std::string continue_token = {};
    /// How many objects follow this page, if the server says so.
    std::optional<std::int64_t> remaining = {};
    /// The shard selector that the server applied, as sent. Also empty if the server does not support shards, and on
    /// lists of metadata alone, which do not report it.
    std::string shard_selector = {};
    /// As sent: "PodList", "v1".
    std::string kind = {};
    /// The apiVersion of the items.
    std::string api_version = {};
    /// Items that the server sent and that are missing from `items`.
    std::vector<left_out_object> left_out = {};

    /// The first object: `for (const auto& pod : page)` visits the items.
    [[nodiscard]] auto begin() const noexcept { return items.begin(); }
    /// The same to change or sort: `std::ranges::sort(page, {}, by_name)`.
    [[nodiscard]] auto begin() noexcept { return items.begin(); }
    /// Behind the last object.
    [[nodiscard]] auto end() const noexcept { return items.end(); }
    /// Behind the last object.
    [[nodiscard]] auto end() noexcept { return items.end(); }
};

/// The type of a watch event as the server names it.
enum class watch_event_type
{
    added,
    modified,
    deleted,
    bookmark,
    error,
    unknown
};

/// One line of a WATCH. A Status in place of an event is one of type error.
struct watch_event
{
    /// Its type.
    watch_event_type type = watch_event_type::unknown;
    /// The object. For a bookmark: an object with little more than a resource version. Null for error, and where
    /// left_out or passed_over is set.
    object obj = {};
    /// For error: the server's Status. Else null.
    std::shared_ptr<const server_status> status = {};
    /// For unknown: the type as sent, at most 64 bytes.
    std::string unknown_type = {};
    /// added, modified, deleted: set when the object is too large, with its identity. Else null.
    std::shared_ptr<const left_out_object> left_out = {};
    /// added, modified, deleted: set when the object is passed over, such as one of another shard: its
    /// resource version. The last event of several in a row stands for all of them.
    std::optional<std::string> passed_over = {};

    /// True for the bookmark that ends the initial events of a streamed list.
    [[nodiscard]] bool ends_initial_events() const noexcept;
    /// For error: the Status as a failure; cond::corrupt if there is none.
    [[nodiscard]] failure to_failure() const;
};

/// Decodes one object: one JSON text, or one protobuf message with its envelope. Errors: cond::corrupt.
[[nodiscard]] result<object> decode_object(std::string_view bytes, const decode_options& options = {},
                                           const std::shared_ptr<detail::object_encoding>& encoding = {},
                                           wire_form form = wire_form::json);

} // namespace kubecoro
