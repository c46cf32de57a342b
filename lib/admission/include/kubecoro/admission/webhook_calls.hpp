#pragma once
// How a server in this program reaches webhooks.

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <functional>
#include <string>

namespace kubecoro {

/// The server of a webhook, as a configuration names it.
struct webhook_server
{
    /// The URL; empty for a service.
    std::string url = {};
    /// The name of the Service; empty for a URL.
    std::string service = {};
    /// The Service's namespace.
    std::string ns = {};
    /// The Service's port.
    std::int64_t port = 443;
    /// The authorities that it must have a certificate of, as PEM text.
    std::string bundle = {};
};

namespace detail {
/** Finds the server of a webhook: a client whose requests go to it. The path is the webhook's.

    For a webhook of this program, one with a transport that calls webhooks::answer(); for another one,
    client::create() with the URL, the bundle and, for a service, the name "service.namespace.svc". */
using find_webhook = std::function<result<client>(const webhook_server&)>;
} // namespace detail

} // namespace kubecoro
