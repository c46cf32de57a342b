// Keys that no object of a kind can have.
#include <kubecoro/controller/detail/key_scope.hpp>

namespace kubecoro::detail {

boost::asio::awaitable<result<action>> run_without_object(const object_key& key, resource_type kind)
{
    if (key.ns.empty() != kind.namespaced) co_return action::done();
    const std::string_view why = kind.namespaced ? " has a namespace, and this key has none: pass {ns, name}"
                                                 : " has no namespace, and this key has one: pass {\"\", name}";
    co_return terminal(failure(cond::misconfigured, "an object of kind " + kind.kind + std::string(why)));
}

} // namespace kubecoro::detail
