#pragma once

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/api/request.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/name_first.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/json_text.hpp>
#include <kubecoro/client/kubeconfig.hpp>
#include <kubecoro/client/transport.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace kubecoro {

class resource_client;

/// Time limits of a client. 0 = no limit. A response as a whole has no limit, and neither has the body of a watch.
struct client_timeouts
{
    /// TCP connection, including name lookup. Several addresses are tried at intervals of 250 ms.
    duration connect = std::chrono::seconds{30};
    /// TLS handshake, after the connection was made.
    duration tls_handshake = std::chrono::seconds{10};
    /// From sending a request to receiving the head of its response.
    duration answer_head = std::chrono::seconds{60};
    /// The same for a watch.
    duration watch_head = std::chrono::seconds{30};
    /// Maximum silence within the body of a response other than a watch.
    duration body_idle = std::chrono::seconds{60};
    /// A run of a credential plugin, which may wait for its user. 0 = no limit.
    duration credential_plugin = std::chrono::minutes{5};
};

/// Limits on what the client holds in memory on behalf of a server. Beyond them: cond::corrupt.
struct client_limits
{
    /// Decoded bytes of a response that is held whole: get, create, update, patch, remove, raw, discovery.
    std::size_t max_answer_bytes = 64 * 1024 * 1024;
    /// Decoded bytes of one list page, which is decoded as it arrives.
    std::uint64_t max_list_bytes = std::uint64_t{4} * 1024 * 1024 * 1024;
};

/** Whether a client asks for responses compressed with gzip. Lists and objects of more than 128 KiB then take about a
    tenth of the bytes, and more CPU of both sides. Watches are never compressed. */
enum class compression
{
    /** On, unless the server is close by. An address is close by if it is private, shared, loopback or link-local (RFC
        1918, 100.64/10, 127/8, 169.254/16, fc00::/7, fe80::/10, ::1); a name, which is not resolved, if it has no dot or
        ends in .svc, .cluster.local or .localhost. Off with a custom transport. */
    automatic,
    on,
    off
};

/// Options of a client, see client::connect().
struct client_options
{
    /// For connect() only: the kubeconfig file and context. See load_kubeconfig.
    std::string kubeconfig = {};
    /// The context of that file; empty = its current one.
    std::string context = {};
    /// Sent with each request; empty = "kubecoro/<version>".
    std::string user_agent = {};
    /// Limits for the phases of a request.
    client_timeouts timeouts = {};
    /// Limits for the size of answers.
    client_limits limits = {};
    /// Decoding options for get, list, watch and writes.
    decode_options decode = {};
    /** The form of the bodies of create and update; patches are JSON. protobuf costs the server less to read, and is sent
        for built-in kinds where the server reads the same object from it: a body with a field that this version does not
        know stays JSON, as does one whose write_options::validation asks the server to check names. A server that is
        older than this version ignores the fields that it does not know, where it would warn about them in JSON. */
    wire_form body_form = wire_form::json;
    /// Whether to ask for compressed responses. cluster_config::disable_compression has precedence.
    kubecoro::compression compression = kubecoro::compression::automatic;
    /// Maximum retries of a request that the server refused with a Retry-After header (429, 5xx). 0 = never. The
    /// sources of informers do not retry: the reflector's backoff does.
    unsigned max_retries = 10;
    /// Null = real_clock(). Its time must pass where sockets are real: reads of long lists wait for bytes to gather.
    std::shared_ptr<time_source> time = {};
    /// Receives retries, warnings of the server and connection trouble.
    logger log = {};
    /// Null = null_metrics().
    std::shared_ptr<kubecoro::metrics> metrics = {};
    KUBECORO_NAME_FIRST;
};

/// A complete response, whatever its status code.
struct raw_answer
{
    /// Status and headers.
    answer_head head = {};
    /// The whole body.
    std::string body = {};
};

/** A Kubernetes API server as seen by a program: a handle to a shared connection pool and credentials.

    Copies are cheap and share everything. Thread safe. Connections are opened on demand. At most 25 idle connections
    are kept, each reusable for 90 s; older ones are closed by the next request, and all of them with the last copy or
    the executor's context, which may end first. A request whose idle connection turns out to be dead is sent again on a
    new one when it is idempotent (GET, PUT, DELETE) or was not completely sent; so is a GET whose new connection broke.
    Operations may be awaited on any executor that runs one handler at a time (a strand, an io_context with one thread).

    @par Errors        of every operation: unreachable, timed_out, cancelled, corrupt (including a 200 that is not JSON,
                       such as a login page), misconfigured (impersonation without a user), and the server's own
                       failures (with its Status and the request). Redirects are never followed: they fail with
                       cond::invalid.
    @par Cancellation  terminal, partial, total: the connection of that operation is closed.
    @warning gcc 12 corrupts braced aggregates inside a co_await expression. Name options first: `list_options o{.limit
    = 5}; co_await c.list(type, ns, o);` is correct everywhere, `co_await c.list(type, ns, {.limit = 5});` is not with
    gcc 12.
             `co_await c.list(type, ns, {.limit = 5});` is not with gcc 12. */
class client
{
public:
    /// Makes a client for the cluster named by a kubeconfig or the pod's environment; does not connect yet.
    /// Errors: cond::misconfigured, see load_kubeconfig and create.
    [[nodiscard]] static result<client> connect(boost::asio::any_io_executor executor,
                                                client_options options = client_options());

    /** Makes a client for a configuration. Proxies are not supported: where HTTPS_PROXY and NO_PROXY select one, a
        warning is logged and requests go directly to the server.

        @par Errors  cond::misconfigured for a server URL, certificate or key that cannot be used, and for
                     impersonation without a user. */
    [[nodiscard]] static result<client> create(boost::asio::any_io_executor executor, cluster_config config,
                                               client_options options = client_options());

    /// Uses a custom transport, e.g. the in-process one of the embedded server.
    client(boost::asio::any_io_executor executor, std::shared_ptr<transport> carrier,
           client_options options = client_options(), credentials login = credentials());

    /// @param ns  Namespace; empty for cluster scope and, in list and watch, for all namespaces.
    [[nodiscard]] boost::asio::awaitable<result<object>> get(resource_type resource, std::string ns, std::string name,
                                                             std::string subresource = {}) const;
    /// One page, decoded as it arrives. A list of another kind fails with cond::corrupt.
    [[nodiscard]] boost::asio::awaitable<result<list_page>> list(resource_type resource, std::string ns,
                                                                 list_options options = list_options()) const;
    /** All pages in one, 500 objects a page unless options.limit is set; its version is the first page's.

        When the continue token expires midway (410), everything is listed again in one request. */
    [[nodiscard]] boost::asio::awaitable<result<list_page>> list_all(resource_type resource, std::string ns,
                                                                     list_options options = list_options()) const;
    /// Watches one resource; an empty namespace means all.
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<watch_stream>>>
    watch(resource_type resource, std::string ns, watch_options options = watch_options()) const;

    /// The object as the server stored it.
    [[nodiscard]] boost::asio::awaitable<result<object>> create(resource_type resource, std::string ns, json_text body,
                                                                write_options options = write_options()) const;
    /// Replaces an object. Fails with cond::conflict when `body` has a resource version that is no longer the newest.
    [[nodiscard]] boost::asio::awaitable<result<object>> update(resource_type resource, std::string ns,
                                                                std::string name, json_text body,
                                                                write_options options = write_options(),
                                                                std::string subresource = {}) const;
    /// Applies a patch of that kind.
    [[nodiscard]] boost::asio::awaitable<result<object>> patch(resource_type resource, std::string ns, std::string name,
                                                               patch_kind kind, json_text body,
                                                               patch_options options = patch_options(),
                                                               std::string subresource = {}) const;
    /// Returns the deleted object, the object still held by finalizers, or a `Status`; kind() distinguishes them.
    [[nodiscard]] boost::asio::awaitable<result<object>>
    remove(resource_type resource, std::string ns, std::string name, delete_options options = delete_options()) const;

    /// Sends any request, with credentials and retries. Fails only when no complete response arrived.
    [[nodiscard]] boost::asio::awaitable<result<raw_answer>> raw(request r) const;
    /// Sends any request and leaves the body to the caller to read; no time limit on the body.
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request r) const;

    /// This client bound to one resource and namespace.
    [[nodiscard]] resource_client resource(resource_type type, std::string ns = {}) const;

    /// A source provider for informers. It keeps the client's connections alive.
    [[nodiscard]] std::shared_ptr<source_provider> provider() const;
    operator std::shared_ptr<source_provider>() const { return provider(); }

    /// The executor that the client was made with.
    [[nodiscard]] boost::asio::any_io_executor executor() const;
    /// The namespace of the kubeconfig context, else "default".
    [[nodiscard]] const std::string& default_namespace() const noexcept;
    /// "https://127.0.0.1:6443", for display; empty with a custom transport.
    [[nodiscard]] const std::string& server() const noexcept;

    struct state;

private:
    explicit client(std::shared_ptr<state> s) noexcept : state_(std::move(s)) {}
    std::shared_ptr<state> state_;
};

/// A client bound to one resource in one namespace: the same operations without naming both each time.
class resource_client
{
public:
    /// @param ns  Empty = all namespaces, or a cluster-scoped resource.
    resource_client(client c, resource_type type, std::string ns = {});

    /// As client::get().
    [[nodiscard]] boost::asio::awaitable<result<object>> get(std::string name, std::string subresource = {}) const;
    /// As client::list().
    [[nodiscard]] boost::asio::awaitable<result<list_page>> list(list_options options = list_options()) const;
    /// As client::list_all().
    [[nodiscard]] boost::asio::awaitable<result<list_page>> list_all(list_options options = list_options()) const;
    /// As client::watch().
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<watch_stream>>>
    watch(watch_options options = watch_options()) const;
    /// As client::create().
    [[nodiscard]] boost::asio::awaitable<result<object>> create(json_text body,
                                                                write_options options = write_options()) const;
    /// As client::update().
    [[nodiscard]] boost::asio::awaitable<result<object>> update(std::string name, json_text body,
                                                                write_options options = write_options(),
                                                                std::string subresource = {}) const;
    /// As client::patch().
    [[nodiscard]] boost::asio::awaitable<result<object>> patch(std::string name, patch_kind kind, json_text body,
                                                               patch_options options = patch_options(),
                                                               std::string subresource = {}) const;
    [[nodiscard]] boost::asio::awaitable<result<object>> remove(std::string name,
                                                                delete_options options = delete_options()) const;

    /// The resource.
    [[nodiscard]] const resource_type& type() const noexcept { return type_; }
    /// The namespace; empty = all.
    [[nodiscard]] const std::string& ns() const noexcept { return ns_; }

private:
    client client_;
    resource_type type_;
    std::string ns_;
};

} // namespace kubecoro
