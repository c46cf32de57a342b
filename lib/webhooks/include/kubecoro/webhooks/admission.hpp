#pragma once
// Requests and verdicts of admission webhooks, without a C++ type of the kind.

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/// The operations that an API server asks about.
enum class admission_operation
{
    create,
    update,
    /// A deletion: the server calls it DELETE.
    remove,
    /// A connection to a subresource, such as pods/exec.
    connect
};

/// The operation as the server writes it, such as "CREATE". Static storage.
[[nodiscard]] std::string_view to_string(admission_operation o) noexcept;

/// One request that a server asks about. A value; copies share the objects.
struct admission_request
{
    /// Identifies the review.
    std::string uid = {};
    /// The resource and kind of the objects below.
    resource_type resource = {};
    /// Such as "status"; empty for the objects themselves.
    std::string subresource = {};
    /// The resource that the client has named, which differs when the server has converted the objects for this webhook.
    resource_type requested = {};
    /// The operation.
    admission_operation operation = admission_operation::create;
    /// The object's key. The name is empty when the server is to make one up.
    object_key key = {};
    /// The client.
    user_info user = {};
    /// The object as it will be; null for a deletion.
    object now = {};
    /// The object as it is; null for a creation.
    object before = {};
    /// The options of the request, such as a CreateOptions; may be null.
    object options = {};
    /// Whether the server will discard the outcome: the webhook may have no effects elsewhere.
    bool dry_run = false;
    /// The answer is of no use after this time. time_point::max() where the server gave no limit.
    time_point deadline = time_point::max();
};

/// A request about an object of kind T.
template<class T>
struct admission
{
    /// The object as it will be; null for a deletion.
    detail::object_handle<T> now;
    /// The object as it is; null for a creation.
    detail::object_handle<T> before;
    /// User, operation, dry run and the rest.
    const admission_request& request;
};

/** The answer of an admission webhook: whether the request may go on, and why not.

        if (host.empty()) return verdict::denied("spec.host is empty");
        return verdict::allowed().warn("spec.color is ignored");

    A regular value. */
class verdict
{
public:
    /// Allows the request.
    verdict() = default;
    /// The request may go on.
    [[nodiscard]] static verdict allowed() { return {}; }
    /// The request is refused.
    /// @param message  For the client, behind the name of the webhook.
    /// @param code     The HTTP status.
    /// @param reason   CamelCase; empty = that of the code.
    [[nodiscard]] static verdict denied(std::string message, int code = 403, std::string reason = {});
    /// The request is refused with a status, such as that of object_schema::check(), which lists causes.
    [[nodiscard]] static verdict denied(server_status status);
    /// The request is refused for this failure: with its status; else with its message, and the code that goes with its
    /// condition. 500 if the failure is no fault of the client.
    [[nodiscard]] static verdict denied(const failure& why);

    /// Adds a warning that the client is shown. Servers take 256 bytes of each, and 4,096 of all. Returns this verdict.
    verdict& warn(std::string text) &;
    /// The same for a temporary.
    verdict&& warn(std::string text) &&;

    /// Whether the request may go on.
    [[nodiscard]] bool is_allowed() const noexcept { return allowed_; }
    /// Why not; empty when allowed.
    [[nodiscard]] const server_status& status() const noexcept { return status_; }
    /// The warnings, in order.
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

private:
    bool allowed_ = true;
    server_status status_ = {};
    std::vector<std::string> warnings_ = {};
};

} // namespace kubecoro
