// A live query: the pods of each namespace. The result follows their changes; no line of the program says when.
#include "example.hpp"

#include <kubecoro/collections/derive.hpp>
#include <kubecoro/core_v1/namespace_.hpp>
#include <kubecoro/core_v1/pod.hpp>

#include <optional>
#include <string>

namespace asio = boost::asio;
using kubecoro::typed_object;
using kubecoro::core_v1::namespace_;
using kubecoro::core_v1::pod;

namespace {

/// A value of this program. Equal results go no further, which needs ==.
struct usage
{
    std::string ns;
    std::size_t pods = 0;
    std::string nodes = {};
    bool operator==(const usage&) const = default;
};

//[join
kubecoro::collection<usage> usages(kubecoro::live_queries& live, kubecoro::shared_informer<namespace_> namespaces,
                                   kubecoro::shared_informer<pod> pods)
{
    return kubecoro::derive<usage>(live, namespaces, [=](const typed_object<namespace_>& ns, auto& look) {
        usage out{.ns = std::string(ns.name())};
        for (const auto& p : look.by_index(pods, "namespace", ns.name())) { // remembered
            ++out.pods;
            out.nodes.append(" ").append(p->spec().nodeName());
        }
        return out;
    });
}
//]

/// Collections derive from collections.
kubecoro::collection<usage> busy(kubecoro::live_queries& live, const kubecoro::collection<usage>& of)
{
    return kubecoro::filter(live, of, [](const usage& u) { return u.pods != 0; });
}

asio::awaitable<kubecoro::result<>> show(kubecoro::client client, kubecoro::informer_factory& informers,
                                         kubecoro::live_queries& live)
{
    const auto pods = informers.get<pod>();
    KUBECORO_TRY(pods.add_index("namespace", [](const typed_object<pod>& p, auto out) { out(p.ns()); }));
    const auto used = busy(live, usages(live, informers.get<namespace_>(), pods));
    informers.start();
    KUBECORO_TRY(co_await used.has_synced());
    for (const auto& u : used.list()) std::cout << u->ns << " has " << u->pods << " on" << u->nodes << '\n';

    KUBECORO_TRY(co_await client.resource<pod>("jobs").remove("report"));
    KUBECORO_TRY(co_await used.wait_for("jobs", [](const auto& jobs) { return !jobs; }));
    std::cout << "jobs has none any more\n";
    co_return kubecoro::result<>();
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    kubecoro::informer_factory informers(client);
    kubecoro::live_queries live(client.executor());
    const auto shown = co_await show(client, informers, live);
    KUBECORO_TRY(co_await live.stop()); // before the informers, though that is no must
    KUBECORO_TRY(co_await informers.stop());
    co_return shown;
}
