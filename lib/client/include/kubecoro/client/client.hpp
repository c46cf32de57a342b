#pragma once

#include <kubecoro/api/detail/struct_type.hpp>
#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/api/request.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client_options.hpp>
#include <kubecoro/client/json_text.hpp>
#include <kubecoro/client/kubeconfig.hpp>
#include <kubecoro/client/transport.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

namespace kubecoro {

template<class T = object>
class resource_client;
namespace detail {
struct client_access;
/// The result of a deleted function, so that compilers do not complain of its co_await as well.
using refused_request = boost::asio::awaitable<result<object>>;
} // namespace detail

/** A Kubernetes API server as seen by a program: a handle to a shared connection pool and credentials.

    Copies are cheap and share everything. Thread safe. Connections are opened on demand. At most 100 idle connections
    are kept, each reusable for 90 s; older ones are closed by the next request, and all of them with the last copy or
    the executor's context, which may end first. A request whose idle connection turns out to be dead is sent again on a
    new one when it is idempotent (GET, PUT, DELETE) or was not completely sent; so is a GET whose new connection broke.
    Operations may be awaited on any executor that runs one handler at a time (a strand, an io_context with one thread).

    @par Errors        of every operation: unreachable, timed_out, cancelled, corrupt (including a 200 that is not JSON,
                       such as a login page), misconfigured (impersonation without a user), and the server's own
                       failures (with its Status and the request). Redirects are never followed: they fail with
                       cond::invalid.
    @par Cancellation  terminal, partial, total: the connection of that operation is closed. */
class client
{
public:
    /// A complete response, whatever its status code.
    struct raw_answer
    {
        /// Status and headers.
        answer_head head = {};
        /// The whole body.
        std::string body = {};
    };

    /// Makes a client for the cluster named by a kubeconfig or the pod's environment; does not connect yet.
    /// Errors: cond::misconfigured, see load_kubeconfig and create.
    [[nodiscard]] static result<client> connect(boost::asio::any_io_executor executor, client_options options = {});

    /** Makes a client for a configuration. The proxy is chosen here, once; the choice is logged (docs/guide/proxies.md).

        @par Errors  cond::misconfigured for a server URL, proxy, certificate or key that cannot be used, and for
                     impersonation without a user. */
    [[nodiscard]] static result<client> create(boost::asio::any_io_executor executor, cluster_config config,
                                               client_options options = {});

    /// Uses a custom transport, e.g. the in-process one of the embedded server.
    client(boost::asio::any_io_executor executor, std::shared_ptr<transport> carrier, client_options options = {},
           credentials login = {});

    // Copies only: a moved-from client remains usable.
    client(const client&) = default;
    client& operator=(const client&) = default;
    ~client() = default;

    /// @param ns  Namespace; empty for cluster scope and, in list and watch, for all namespaces.
    [[nodiscard]] boost::asio::awaitable<result<object>> get(resource_type resource, kept_text ns, kept_text name,
                                                             kept_text subresource = {}) const;
    /// The same with options: at a version, or its metadata only.
    [[nodiscard]] boost::asio::awaitable<result<object>> get(resource_type resource, kept_text ns, kept_text name,
                                                             get_options options, kept_text subresource = {}) const;
    /// One page, decoded as it arrives. A list of another kind fails with cond::corrupt.
    [[nodiscard]] boost::asio::awaitable<result<list_page>> list(resource_type resource, kept_text ns,
                                                                 list_options options = {}) const;
    /** All pages in one, 500 objects a page unless options.limit is set; its version is the first page's.

        When the continue token expires midway (410), everything is listed again in one request. */
    [[nodiscard]] boost::asio::awaitable<result<list_page>> list_all(resource_type resource, kept_text ns,
                                                                     list_options options = {}) const;
    /// Watches one resource; an empty namespace means all.
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<watch_stream>>>
    watch(resource_type resource, kept_text ns, watch_options options = {}) const;

    /// The object as the server stored it.
    [[nodiscard]] boost::asio::awaitable<result<object>> create(resource_type resource, kept_text ns, json_text body,
                                                                write_options options = {}) const;
    /// Posts to a subresource that has no function of its own. See subresources.hpp for evictions, bindings and tokens.
    [[nodiscard]] boost::asio::awaitable<result<object>> create_subresource(resource_type resource, kept_text ns,
                                                                            kept_text name, kept_text subresource,
                                                                            json_text body,
                                                                            write_options options = {}) const;
    /// Replaces an object. Fails with cond::conflict when `body` has a resource version that is no longer the newest.
    [[nodiscard]] boost::asio::awaitable<result<object>> update(resource_type resource, kept_text ns, kept_text name,
                                                                json_text body, write_options options = {},
                                                                kept_text subresource = {}) const;
    /// For resource_client<T>: create() of a struct, which is read before this returns.
    [[nodiscard]] boost::asio::awaitable<result<object>>
    create_struct(resource_type resource, kept_text ns, detail::struct_view body, write_options options) const;
    /// For resource_client<T>: update() with a struct, which is read before this returns.
    [[nodiscard]] boost::asio::awaitable<result<object>> update_struct(resource_type resource, kept_text ns,
                                                                       kept_text name, detail::struct_view body,
                                                                       write_options options,
                                                                       kept_text subresource) const;
    /// Applies a patch of that kind.
    [[nodiscard]] boost::asio::awaitable<result<object>> patch(resource_type resource, kept_text ns, kept_text name,
                                                               patch_kind kind, json_text body,
                                                               write_options options = {},
                                                               kept_text subresource = {}) const;
    /// Server-side apply: the object then has the fields of `body`, and no longer those that this manager applied
    /// earlier and leaves out now. Errors: conflict, see apply_conflicts(); invalid for a body with managed fields.
    [[nodiscard]] boost::asio::awaitable<result<object>> apply(resource_type resource, kept_text ns, kept_text name,
                                                               json_text body, write_options options,
                                                               kept_text subresource = {}) const;
    /// Returns the deleted object, the object still held by finalizers, or a `Status`; kind() distinguishes them.
    [[nodiscard]] boost::asio::awaitable<result<object>> remove(resource_type resource, kept_text ns, kept_text name,
                                                                delete_options options = {},
                                                                kept_text subresource = {}) const;
    /** Deletes all objects of a namespace, or of a cluster-scoped resource, that a list with the options `which` has.

        @return  The objects as they were before, if the server says so; client_limits::max_list_bytes bounds them. */
    [[nodiscard]] boost::asio::awaitable<result<list_page>>
    remove_collection(resource_type resource, kept_text ns, list_options which = {}, delete_options options = {}) const;

    /// Sends any request, with credentials and retries. Fails only when no complete response arrived.
    [[nodiscard]] boost::asio::awaitable<result<raw_answer>> raw(request r) const;
    /// Sends any request and leaves the body to the caller to read; no time limit on the body.
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request r) const;

    /// This client bound to one resource and namespace.
    [[nodiscard]] resource_client<object> resource(resource_type type, kept_text ns = {}) const;
    /// The same for a kind with a C++ type; a struct that is generated or described gives
    /// typed objects.
    template<class Kind>
    [[nodiscard]] auto resource(kept_text ns = {}) const
    {
        return resource_client<detail::handled_kind<Kind>>(resource(Kind::resource(), std::move(ns)));
    }
    // Deleted: typed requests are those of resource<Kind>(ns).
    template<class Kind, class... More>
    detail::refused_request get(const More&...) const = delete; // cluster.resource<Kind>(ns).get(name)
    template<class Kind, class... More>
    detail::refused_request list(const More&...) const = delete; // cluster.resource<Kind>(ns).list()
    template<class Kind, class... More>
    detail::refused_request list_all(const More&...) const = delete; // cluster.resource<Kind>(ns).list_all()
    template<detail::known_struct Kind>
    detail::refused_request create(const Kind&) const = delete; // cluster.resource<Kind>(ns).create(wanted)
    template<detail::known_struct Kind>
    detail::refused_request update(const Kind&) const = delete;   // cluster.resource<Kind>(ns).update(changed)
    detail::refused_request remove(const object&) const = delete; // cluster.resource<Kind>(o.ns()).remove(o.name())

    /// A source provider for informers. It keeps the client's connections alive.
    [[nodiscard]] std::shared_ptr<source_provider> provider() const;
    operator std::shared_ptr<source_provider>() const { return provider(); }

    /// The executor that the client was made with.
    [[nodiscard]] boost::asio::any_io_executor executor() const;
    /** The resource of a kind in a group and version: from the built-in ones, else by discovery. Its answer is kept until a
        request finds no such resource: a definition may have been made again with another plural or scope. Then it is asked
        again, at most once in ten seconds for a kind.

        @par Errors  not_found if the server has no such kind; else as discover(). */
    [[nodiscard]] boost::asio::awaitable<result<resource_type>> resource_of(kept_text api_version,
                                                                            kept_text kind) const;

    /// The clock of its options, as long as a copy of the client lives.
    [[nodiscard]] time_source& time() const noexcept;
    /// The namespace of the kubeconfig context, else "default".
    [[nodiscard]] const std::string& default_namespace() const noexcept;
    /// "https://127.0.0.1:6443", for display; empty with a custom transport.
    [[nodiscard]] const std::string& server() const noexcept;

    struct state;

private:
    friend struct detail::client_access;
    explicit client(std::shared_ptr<state> s) noexcept : state_(std::move(s)) {}
    std::shared_ptr<state> state_;
};

/// A client bound to one resource in one namespace: the same operations without naming both each time.
template<>
class resource_client<object>
{
public:
    /// @param ns  Empty = all namespaces, or a cluster-scoped resource.
    resource_client(client c, resource_type type, kept_text ns = {});

    /// As client::get().
    [[nodiscard]] boost::asio::awaitable<result<object>> get(kept_text name, kept_text subresource = {}) const;
    /// As client::get().
    [[nodiscard]] boost::asio::awaitable<result<object>> get(kept_text name, get_options options,
                                                             kept_text subresource = {}) const;
    /// As client::list().
    [[nodiscard]] boost::asio::awaitable<result<list_page>> list(list_options options = {}) const;
    /// As client::list_all().
    [[nodiscard]] boost::asio::awaitable<result<list_page>> list_all(list_options options = {}) const;
    /// As client::watch().
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<watch_stream>>> watch(watch_options options = {}) const;
    /// As client::create().
    [[nodiscard]] boost::asio::awaitable<result<object>> create(json_text body, write_options options = {}) const;
    /// As client::update().
    [[nodiscard]] boost::asio::awaitable<result<object>>
    update(kept_text name, json_text body, write_options options = {}, kept_text subresource = {}) const;
    /// As client::create_struct().
    [[nodiscard]] boost::asio::awaitable<result<object>> create_struct(detail::struct_view body,
                                                                       write_options options) const;
    /// As client::update_struct().
    [[nodiscard]] boost::asio::awaitable<result<object>>
    update_struct(kept_text name, detail::struct_view body, write_options options, kept_text subresource) const;
    /// As client::patch().
    [[nodiscard]] boost::asio::awaitable<result<object>> patch(kept_text name, patch_kind kind, json_text body,
                                                               write_options options = {},
                                                               kept_text subresource = {}) const;
    /// As client::apply().
    [[nodiscard]] boost::asio::awaitable<result<object>> apply(kept_text name, json_text body, write_options options,
                                                               kept_text subresource = {}) const;
    /// As client::create_subresource().
    [[nodiscard]] boost::asio::awaitable<result<object>>
    create_subresource(kept_text name, kept_text subresource, json_text body, write_options options = {}) const;
    /// As client::remove().
    [[nodiscard]] boost::asio::awaitable<result<object>> remove(kept_text name, delete_options options = {},
                                                                kept_text subresource = {}) const;
    /// As client::remove_collection().
    [[nodiscard]] boost::asio::awaitable<result<list_page>> remove_collection(list_options which = {},
                                                                              delete_options options = {}) const;

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

#include <kubecoro/client/typed_client.hpp>
