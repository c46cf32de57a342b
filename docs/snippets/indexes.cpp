// Snippets of docs/guide/indexes.md.
#include <kubecoro/kubecoro.hpp>

#include <iostream>

using kubecoro::core::v1::pod;

//[each
std::size_t count_on(const kubecoro::shared_informer& pods, std::string_view node)
{
    std::size_t found = 0;
    pods.lister().for_each([&](const kubecoro::object& p) { found += p.path("spec.nodeName").as_string() == node; });
    return found;
}
//]

//[add
kubecoro::result<> index_by_node(const kubecoro::shared_informer& pods)
{
    return pods.add_index("node", [](const kubecoro::object& p, auto out) {
        if (const auto node = p.path("spec.nodeName").as_string(); !node.empty()) out(node);
    });
}
//]

//[read
void print_node(const kubecoro::shared_informer& pods, std::string_view node)
{
    const auto lister = pods.lister(); // cheap, for any thread
    for (const auto& p : lister.by_index("node", node)) std::cout << p.key() << '\n';
    for (const auto& name : lister.index_values("node")) std::cout << name << " has pods\n";
}
//]

//[labels
void print_shop(const kubecoro::shared_informer& pods, const kubecoro::label_selector& selector)
{
    for (const auto& p : pods.lister().list(selector, "shop")) std::cout << p.name() << '\n';
}

kubecoro::shared_informer pods_by_app(kubecoro::informer_factory& informers)
{
    return informers.get<pod>({.label_indexes = {"app"}}); // from the start, not with the first list
}
//]
