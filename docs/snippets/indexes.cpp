// Snippets of docs/guide/indexes.md.
#include <kubecoro/api/typed_selector.hpp>
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

//[each
std::size_t count_on(const kubecoro::shared_informer<pod>& pods, std::string_view node)
{
    std::size_t found = 0;
    pods.lister().for_each([&](const typed_object<pod>& p) { found += p->spec().nodeName() == node; });
    return found;
}
//]

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

//[labels
void print_shop(const kubecoro::shared_informer<pod>& pods, const kubecoro::label_selector& selector)
{
    for (const auto& p : pods.lister().list(selector, "shop")) std::cout << p.name() << '\n';
}

kubecoro::result<> print_release(const kubecoro::lister<pod>& pods, const std::string& release)
{
    const auto selector = kubecoro::label_selector::parse("app=shop,release=" + release);
    if (!selector) return selector.error(); // such as a release that is no value of a label
    for (const auto& p : pods.list(*selector)) std::cout << p.key() << '\n';
    return {};
}

kubecoro::shared_informer<pod> pods_by_app(kubecoro::informer_factory& informers)
{
    return informers.get<pod>({.label_indexes = {"app"}}); // from the start, not with the first list
}
//]

//[selector_of
kubecoro::result<> print_pods_of(const typed_object<kubecoro::apps_v1::deployment>& d,
                                 const kubecoro::lister<pod>& pods)
{
    const auto selector = kubecoro::selector_of(d->spec().selector());
    if (!selector) return selector.error(); // such as an operator that is misspelt
    for (const auto& p : pods.list(*selector, d.ns())) std::cout << p.key() << '\n';
    return {};
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

//[own_use
kubecoro::result<> print_orders(const kubecoro::indexer<order>& orders, std::string_view customer)
{
    if (auto added = orders.add({"17", "ada", {"new", "paid"}}); !added) return added;
    const auto found = orders.by_index("customer", customer);
    if (!found) return found.error(); // there is no such index
    for (const auto& o : *found) std::cout << o.id << '\n';
    for (const auto& id : orders.index_keys("tag", "paid").value()) std::cout << id << " is paid\n"; // or throws
    orders.remove("17");
    return {};
}
//]

//[own_objects
kubecoro::indexer<> pods_by_node(std::vector<kubecoro::object> pods)
{
    kubecoro::indexer all(
        {{"node", [](const kubecoro::object& p, auto out) { out(p.path("spec.nodeName").as_string()); }}});
    all.replace(std::move(pods)).value(); // throws when a pod has no name
    return all;
}
//]
