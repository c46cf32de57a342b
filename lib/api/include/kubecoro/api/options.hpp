#pragma once

#include <kubecoro/base/name_first.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

/// How a list interprets its resource_version.
enum class version_match
{
    unset,
    exact,
    not_older_than
};

/// Options of a LIST. Regular value; every field's zero is the server's default.
struct list_options
{
    /// Canonical selector text, empty for all.
    std::string label_selector = {};
    /// Field selector; empty = all.
    std::string field_selector = {};
    /// As in informer_options; empty for all.
    std::string shard_selector = {};
    /// "" = newest, "0" = any version that the server has at hand, else at least (or exactly) that version.
    std::string resource_version = {};
    /// How the server reads `resource_version`.
    version_match match = version_match::unset;
    /// Objects per page, 0 = no paging.
    std::uint32_t limit = 0;
    /// Token of the previous page. With it, resource_version and match must be empty.
    std::string continue_token = {};
    /// Requests only kind, apiVersion and metadata (PartialObjectMetadata); a server without support sends everything.
    bool metadata_only = false;
    KUBECORO_NAME_FIRST;
    friend bool operator==(const list_options&, const list_options&) = default;
};

/// Options of a WATCH.
struct watch_options
{
    /// As in list_options.
    std::string label_selector = {};
    /// As in list_options.
    std::string field_selector = {};
    /// As in list_options.
    std::string shard_selector = {};
    /// Start after this version. "" and "0": the current objects as synthetic ADDED events first.
    std::string resource_version = {};
    /// As in list_options.
    version_match match = version_match::unset;
    /// Asks the server for bookmarks.
    bool allow_bookmarks = true;
    /// Streamed list: initial events, then a bookmark that marks their end.
    std::optional<bool> send_initial_events = {};
    /// The server ends the watch after this; 0 = the server's own choice.
    std::chrono::seconds timeout{0};
    /// As in list_options.
    bool metadata_only = false;
    KUBECORO_NAME_FIRST;
    friend bool operator==(const watch_options&, const watch_options&) = default;
};

/// How the server treats unknown or duplicate fields of a body.
enum class field_validation
{
    unset,
    ignore,
    warn,
    strict
};

/// Options shared by create, update and patch.
struct write_options
{
    /// Checks the request and changes nothing.
    bool dry_run = false;
    /// Empty: the server takes the User-Agent up to the first '/'.
    std::string field_manager = {};
    /// How the server treats unknown and duplicate fields.
    field_validation validation = field_validation::unset;
    KUBECORO_NAME_FIRST;
    friend bool operator==(const write_options&, const write_options&) = default;
};

/// The format of a patch: JSON Patch, JSON Merge Patch, strategic merge patch, server-side apply.
enum class patch_kind
{
    json,
    merge,
    strategic_merge,
    apply
};

/// Options of a patch.
struct patch_options
{
    /// Options common to all writes.
    write_options write = {};
    /// Server-side apply only: take fields from other managers.
    bool force = false;
    KUBECORO_NAME_FIRST;
    friend bool operator==(const patch_options&, const patch_options&) = default;
};

/// How dependent objects are deleted; `unset` leaves it to the server.
enum class deletion_propagation
{
    unset,
    orphan,
    background,
    foreground
};

/// Options of a deletion.
struct delete_options
{
    /// Checks the request and changes nothing.
    bool dry_run = false;
    /// Seconds until the object goes; empty = the kind's default.
    std::optional<std::chrono::seconds> grace_period = {};
    /// How dependent objects are deleted.
    deletion_propagation propagation = deletion_propagation::unset;
    /// Preconditions; empty = none. A mismatch fails with cond::conflict.
    std::string uid = {};
    /// Deletes this version only; empty = any.
    std::string resource_version = {};
    KUBECORO_NAME_FIRST;
    friend bool operator==(const delete_options&, const delete_options&) = default;
};

} // namespace kubecoro
