#include "select/wait_for.hpp"

#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/cache/informer_factory.hpp>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

/// The informer is stopped in order even if the wait is cancelled.
asio::awaitable<result<object>> wait_and_stop(client api, named_object which, object_condition wanted, duration timeout,
                                              verb_context context)
{
    factory_options with;
    with.log = context.log;
    informer_factory informers(api, with);
    informer_options scope;
    scope.decode.form = wire_form::json;
    if (which.type.namespaced) scope.namespaces.push_back(which.ns);
    scope.name = which.name;
    auto informer = informers.get(which.type, std::move(scope));
    informers.start();
    object_key key(which.ns, which.name);
    auto met = co_await informer.wait_for(key, wanted, timeout);
    (void)co_await informers.stop();
    co_return met;
}

} // namespace

asio::awaitable<result<object>> wait_for_object(client api, named_object which, object_condition wanted,
                                                duration timeout, verb_context context)
{
    auto waiting = wait_and_stop(std::move(api), std::move(which), std::move(wanted), timeout, std::move(context));
    return kubecoro::detail::finishing(std::move(waiting));
}

} // namespace kubecoro::tool
