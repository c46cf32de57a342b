// Snippets of docs/guide/indexes.md.
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/kubecoro.hpp>

#include <iostream>
#include <string>
#include <utility>

using kubecoro::typed_object;
using kubecoro::apps_v1::deployment;
using kubecoro::core_v1::config_map;
using kubecoro::core_v1::pod;

//[add
kubecoro::result<> index_by_node(const kubecoro::shared_informer<pod>& pods)
{
    return pods.add_index("node", [](const typed_object<pod>& p, auto out) {
        if (const auto node = p->spec().nodeName(); !node.empty()) out(node);
    });
}
//]

//[read
void print_node(const kubecoro::shared_informer<pod>& pods, std::string_view node)
{
    const auto lister = pods.lister(); // cheap, for any thread
    for (const auto& p : lister.by_index("node", node)) std::cout << p.key() << '\n';
    for (const auto& name : lister.index_values("node")) std::cout << name << " has pods\n";
}
//]

//[operator
/// Runs the deployments that name a config map in an annotation when the map changes.
void run_users_of_maps(kubecoro::manager& m, kubecoro::typed_reconciler<deployment> reconcile)
{
    const auto users = m.informer<deployment>();
    const auto added = users.add_index("uses", [](const typed_object<deployment>& d, auto out) {
        const auto map = d->metadata().annotations()["example.com/uses"];
        if (!map.empty()) out(std::string(d.ns()) + "/" + std::string(map));
    });
    added.value(); // throws a failure, which ends the start
    const auto users_of = [known = users.lister()](const typed_object<config_map>& map) {
        return known.index_keys("uses", to_string(map.key()));
    };
    m.control<deployment>(std::move(reconcile)).watches<config_map>(users_of);
}
//]

//[own
struct order
{
    std::string id;
    std::string customer;
    std::vector<std::string> tags;
};

kubecoro::indexer<order> make_orders()
{
    return kubecoro::indexer<order>([](const order& o) { return o.id; },
                                    {{"customer", [](const order& o) { return std::vector{o.customer}; }},
                                     {"tag", [](const order& o) { return o.tags; }}});
}
//]
