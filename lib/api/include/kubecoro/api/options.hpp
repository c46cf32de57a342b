#pragma once

#include <chrono>
#include <cstddef>
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
    /// How the server reads `resource_version`. Unset: as not_older_than, but together with a limit as exact; list_all() sets
    /// not_older_than then.
    version_match match = version_match::unset;
    /// Objects per page, 0 = no paging.
    std::uint32_t limit = 0;
    /// Token of the previous page. With it, resource_version and match must be empty.
    std::string continue_token = {};
    /// Requests only kind, apiVersion and metadata (PartialObjectMetadata); a server without support sends everything.
    bool metadata_only = false;
    friend bool operator==(const list_options&, const list_options&) = default;
};

/// Options of a GET of one object.
struct get_options
{
    /// "" = newest, "0" = any version that the server has at hand, else at least that version.
    std::string resource_version = {};
    /// As in list_options.
    bool metadata_only = false;
    friend bool operator==(const get_options&, const get_options&) = default;
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
    friend bool operator==(const watch_options&, const watch_options&) = default;
};

/// How the server treats unknown or duplicate fields of a body.
enum class field_validation
{
    unset,
    ignore,
    warn,
    strict,
    /// The client checks the body by the schema of its kind, and sends nothing that does not match: see write_checks. The
    /// server then treats it as with `strict`.
    client
};

/// Options of create, update, patch and apply.
struct write_options
{
    /// Checks the request and changes nothing.
    bool dry_run = false;
    /// The name under which fields are owned: the same in each version and replica of a program. Required by apply. Empty:
    /// the server takes the User-Agent up to the first '/'.
    std::string field_manager = {};
    /// Server-side apply only: takes fields from other managers instead of failing with a conflict.
    bool force = false;
    /// How the server treats unknown and duplicate fields.
    field_validation validation = field_validation::unset;
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
    friend bool operator==(const delete_options&, const delete_options&) = default;
};

/// The object that a server sends with each row of a table.
enum class table_object
{
    /// Its kind, apiVersion and metadata.
    metadata,
    whole,
    none
};

/// The part of a container's log that a pod_logs() asks for. Every field's zero is the server's default.
struct log_options
{
    /// The container; empty = the only one of the pod.
    std::string container = {};
    /// New lines are sent as they are written, until the container ends.
    bool follow = false;
    /// The log of the container's previous run.
    bool previous = false;
    /// Each line begins with the time at which it was written, in RFC 3339 with nanoseconds, and a blank.
    bool timestamps = false;
    /// Only lines that are at most this old; at least 1 s.
    std::optional<std::chrono::seconds> since = {};
    /// Only lines written at this time or later, in RFC 3339 such as "2026-11-21T06:09:05Z". Not together with `since`.
    std::string since_time = {};
    /// Only the last lines, this many; 0 = none, but new ones with `follow`.
    std::optional<std::uint64_t> tail_lines = {};
    /// The server sends about this many bytes at most and then ends the stream; at least 1.
    std::optional<std::uint64_t> limit_bytes = {};
    /// "Stdout", "Stderr" or "All", where the cluster separates them; empty = both.
    std::string stream = {};
    /// Longer lines arrive in pieces of at most this many bytes, see log_line. At least 4. Counts the times of
    /// `timestamps`. The server does not know it.
    std::size_t max_line_bytes = 64 * 1024;
    friend bool operator==(const log_options&, const log_options&) = default;
};

} // namespace kubecoro
