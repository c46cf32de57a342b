#pragma once

#include <kubecoro/api/options.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/json/fwd.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

/// The `Scale` of an object.
struct scale_state
{
    /// The number of replicas that is asked for.
    std::int64_t wanted = 0;
    /// The number that exists, as far as the controller has said.
    std::int64_t actual = 0;
    /// Selects the pods, as text; empty if the kind does not say.
    std::string selector = {};
    /// The version of the object.
    std::string resource_version = {};
    /// The object's uid.
    std::string uid = {};
    friend bool operator==(const scale_state&, const scale_state&) = default;
};

/// Options of set_scale().
struct scale_options
{
    /// Only if this many replicas are asked for at present; else cond::conflict. Costs another request.
    std::optional<std::int64_t> only_from = {};
    /// Only if this is the object's version; else cond::conflict. Empty = any.
    std::string resource_version = {};
    /// Options common to all writes.
    write_options write = {};
};

/** Number of replicas of any kind that has the subresource scale.

    @par Errors  As client; not_found also for a kind without it. */
[[nodiscard]] boost::asio::awaitable<result<scale_state>> get_scale(client c, resource_type resource, kept_text ns,
                                                                    kept_text name);

/** Changes the number of replicas, by a merge patch of the subresource scale.

    @return      The new state.
    @par Errors  As get_scale, and conflict if a condition of the options does not hold. */
[[nodiscard]] boost::asio::awaitable<result<scale_state>> set_scale(client c, resource_type resource, kept_text ns,
                                                                    kept_text name, std::int64_t replicas,
                                                                    scale_options options = {});

/** Evicts a pod: deletes it unless a disruption budget forbids that at present.

    Asks once: unlike other requests, it is not repeated when the server says when to, because that may be never.

    @param options  Grace period, preconditions, dry run, of the deletion.
    @par Errors     As client. retry_later if a budget forbids it now, see is_disruption_budget(); internal, if several
                    budgets select the pod. */
[[nodiscard]] boost::asio::awaitable<result<>> evict(client c, kept_text ns, kept_text pod,
                                                     delete_options options = {});

/// True if an eviction failed because a disruption budget forbids it now, and not because the server is busy.
[[nodiscard]] bool is_disruption_budget(const failure& f) noexcept;

/// Options of create_token().
struct token_options
{
    /// Binds a token to the life of an object: a Pod, Node or Secret.
    struct binding
    {
        /// "Pod", "Node" or "Secret"; empty = not bound.
        std::string kind = {};
        /// The object's name.
        std::string name = {};
        /// Its uid; empty = whichever has the name.
        std::string uid = {};
    };

    /// The audiences that accept the token; empty = the API server.
    std::vector<std::string> audiences = {};
    /// The life of the token; empty = the server's default. A kube-apiserver requires 10 minutes at least.
    std::optional<std::chrono::seconds> lifetime = {};
    /// An object with which the token ends.
    binding bound_to = {};
};

/// A token of a service account. It is a secret: do not log it.
struct service_account_token
{
    /// The token.
    std::string token = {};
    /// When it expires, in RFC 3339 as the server wrote it.
    std::string expires = {};
};

/// Requests a token of a service account (TokenRequest). Errors: as client.
[[nodiscard]] boost::asio::awaitable<result<service_account_token>>
create_token(client c, kept_text ns, kept_text service_account, token_options options = {});

/** Adds an ephemeral container to a running pod, or changes nothing if the pod has this very one.

    @param container  An `EphemeralContainer`, at least with a name and an image.
    @return           The pod.
    @par Errors       As client; invalid for a container without a name. */
[[nodiscard]] boost::asio::awaitable<result<object>> add_ephemeral_container(client c, kept_text ns, kept_text pod,
                                                                             const boost::json::value& container,
                                                                             write_options options = {});

/** Binds a pod to a node, as a scheduler does.

    @param pod_uid  Only the pod with this uid; empty = any.
    @par Errors     As client; conflict if the pod has a node, or another uid. */
[[nodiscard]] boost::asio::awaitable<result<>> bind_pod(client c, kept_text ns, kept_text pod, kept_text node,
                                                        kept_text pod_uid = {}, write_options options = {});

} // namespace kubecoro
