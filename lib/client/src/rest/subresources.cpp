#include <kubecoro/client/subresources.hpp>

#include "rest/client_state.hpp"
#include "rest/subresource_core.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>

#include <string>
#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

std::string name_of(const resource_type& resource, const std::string& ns, const std::string& name)
{
    return resource.display_name() + " \"" + printable(to_string(object_key(ns, name))) + "\"";
}

/// Returns the reading of an answer; a failure then names the object.
template<class T>
result<T> named(result<T> read, const char* what, const std::string& of)
{
    if (read) return read;
    return read.error().because(std::string(what) + " of " + of + " cannot be read");
}

asio::awaitable<result<scale_state>> scale_of(client c, resource_type resource, std::string ns, std::string name)
{
    auto got = co_await c.get(resource, ns, name, "scale");
    if (!got) co_return detail::scale_failure(got.error(), resource);
    co_return named(detail::read_scale(*got), "the scale", name_of(resource, ns, name));
}

asio::awaitable<result<scale_state>> change_scale(client c, resource_type resource, std::string ns, std::string name,
                                                  std::int64_t replicas, scale_options options)
{
    if (options.only_from) {
        KUBECORO_TRY(auto now, co_await scale_of(c, resource, ns, name));
        if (now.wanted != *options.only_from)
            co_return failure(cond::conflict, name_of(resource, ns, name) + ": expected " +
                                                  std::to_string(*options.only_from) + " replicas, and found " +
                                                  std::to_string(now.wanted));
        if (options.resource_version.empty()) options.resource_version = now.resource_version;
    }
    auto got =
        co_await c.patch(resource, ns, name, patch_kind::merge, detail::scale_patch(replicas, options.resource_version),
                         std::move(options.write), "scale");
    if (!got) co_return detail::scale_failure(got.error(), resource);
    co_return named(detail::read_scale(*got), "the scale", name_of(resource, ns, name));
}

asio::awaitable<result<>> evict_once(std::shared_ptr<client::state> s, std::string ns, std::string pod,
                                     delete_options options)
{
    auto body = detail::eviction_body(ns, pod, options);
    const request_builder builder(untyped::pod::resource(), std::move(ns));
    KUBECORO_TRY(auto r, builder.create_subresource(pod, "eviction", std::move(body)));
    const auto target = r.target;
    auto got = co_await s->accepted(std::move(r), 0, s->options.timeouts.answer_head);
    if (!got) co_return detail::eviction_failure(got.error());
    // Reading the answer lets the connection be used again.
    auto rest = co_await s->read_all(**got, s->options.limits.max_answer_bytes);
    if (!rest) co_return rest.error().with_request("POST", target);
    auto evicted = detail::read_eviction(*rest);
    if (!evicted) co_return evicted.error().with_request("POST", target);
    co_return result<>{};
}

asio::awaitable<result<service_account_token>> request_token(client c, std::string ns, std::string account,
                                                             token_options options)
{
    KUBECORO_TRY(auto body, detail::token_request_body(options));
    const auto accounts = untyped::service_account::resource();
    KUBECORO_TRY(auto got, co_await c.create_subresource(accounts, ns, account, "token", std::move(body)));
    co_return named(detail::read_token(got), "the token", name_of(accounts, ns, account));
}

asio::awaitable<result<object>> add_container(client c, std::string ns, std::string pod, result<std::string> body,
                                              write_options options)
{
    if (!body) co_return body.error();
    co_return co_await c.patch(untyped::pod::resource(), std::move(ns), std::move(pod), patch_kind::strategic_merge,
                               std::move(*body), std::move(options), "ephemeralcontainers");
}

asio::awaitable<result<>> bind_to(client c, std::string ns, std::string pod, std::string node, std::string uid,
                                  write_options options)
{
    KUBECORO_TRY(auto body, detail::binding_body(ns, pod, node, uid));
    KUBECORO_TRY(co_await c.create_subresource(untyped::pod::resource(), std::move(ns), std::move(pod), "binding",
                                               std::move(body), std::move(options)));
    co_return result<>{};
}

} // namespace

asio::awaitable<result<scale_state>> get_scale(client c, resource_type resource, kept_text ns, kept_text name)
{
    return catch_failure(scale_of(std::move(c), std::move(resource), std::move(ns), std::move(name)));
}

asio::awaitable<result<scale_state>> set_scale(client c, resource_type resource, kept_text ns, kept_text name,
                                               std::int64_t replicas, scale_options options)
{
    return catch_failure(
        change_scale(std::move(c), std::move(resource), std::move(ns), std::move(name), replicas, std::move(options)));
}

asio::awaitable<result<>> evict(client c, kept_text ns, kept_text pod, delete_options options)
{
    return catch_failure(
        evict_once(detail::client_access::state_of(c), std::move(ns), std::move(pod), std::move(options)));
}

asio::awaitable<result<service_account_token>> create_token(client c, kept_text ns, kept_text service_account,
                                                            token_options options)
{
    return catch_failure(request_token(std::move(c), std::move(ns), std::move(service_account), std::move(options)));
}

asio::awaitable<result<object>> add_ephemeral_container(client c, kept_text ns, kept_text pod,
                                                        const boost::json::value& container, write_options options)
{
    return catch_failure(add_container(std::move(c), std::move(ns), std::move(pod),
                                       detail::ephemeral_container_patch(container), std::move(options)));
}

asio::awaitable<result<>> bind_pod(client c, kept_text ns, kept_text pod, kept_text node, kept_text pod_uid,
                                   write_options options)
{
    return catch_failure(
        bind_to(std::move(c), std::move(ns), std::move(pod), std::move(node), std::move(pod_uid), std::move(options)));
}

} // namespace kubecoro
