// The objects that requests to the embedded API server's state name, and the options of their writes.
#pragma once

#include <kubecoro/apiserver/detail/status_error.hpp>

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kubecoro::detail {
class conversion_ledger;
}

namespace kubecoro::apiserver {

struct stored_object;
class resource_store;

/// The address of an object or a collection, as a request names it.
struct object_address
{
    /// The resource, from cluster_state_core::find(). Never null where an address is passed.
    std::shared_ptr<resource_store> store;
    /// The API version the client uses; for custom resources it may differ from the stored one.
    std::string version = {};
    /// Empty: all namespaces, or cluster scope.
    std::string ns = {};
    /// The object's name.
    std::string name = {};
    /// "", "status", "scale", "finalize".
    std::string subresource = {};
};

/** Decides about a write before it is stored: first of an object that it may change, then of one that is valid.

    @param before  The stored object; null for a new one. @param after  Its new form. @return the refusal, if any. */
using write_admission = std::function<std::optional<status_error>(const boost::json::value* before,
                                                                  boost::json::value& after, bool is_valid)>;

/// Options of a write that affect the state.
struct write_flags
{
    /// Checks the request and changes nothing.
    bool dry_run = false;
    /// A new object keeps the status, uid and creation time of the body (manifests). Over HTTP the server sets them.
    bool keep_status = false;
    /// The name under which metadata.managedFields records the writer. Empty: the owners of fields stay as they are.
    std::string manager = {};
    /// apply() alone: takes over fields that others own.
    bool force = false;
    /// Empty: every write is admitted.
    write_admission admission = {};
    /// The same for an autoscaling/v1 Scale, before it changes its object.
    write_admission scale_admission = {};
    /// Converts custom resources between versions. Null: they have the same fields in each. Outlives the write.
    kubecoro::detail::conversion_ledger* conversions = nullptr;
    /// Called with what a client should know of an accepted write. Empty: not called.
    std::function<void(const std::vector<std::string>&)> warn = {};
};

/// The outcome of an apply.
struct apply_result
{
    /// The new state of the object.
    std::shared_ptr<const stored_object> object;
    /// Whether the object is new.
    bool created = false;
};

/// The supported fields of DeleteOptions.
struct delete_request
{
    /// Checks the request and changes nothing.
    bool dry_run = false;
    /// Grace period of a pod on a node, in seconds; a negative one counts as one. Empty = the pod's
    /// terminationGracePeriodSeconds, or 30. Ignored for all other objects.
    std::optional<std::int64_t> grace_seconds = {};
    /// Precondition: the object has this uid, else 409. No object has an empty one.
    std::optional<std::string> uid = {};
    /// Precondition: the object has this resourceVersion, else 409.
    std::optional<std::string> resource_version = {};
    /// "", "Background", "Foreground", "Orphan".
    std::string propagation = {};
};

/// The outcome of a delete.
struct delete_result
{
    /// The last state of the object; its current state when finalizers or its grace period keep it.
    std::shared_ptr<const stored_object> last;
    /// True when the object was removed.
    bool gone = true;
};

} // namespace kubecoro::apiserver
