// A user's file with an untyped informer: the cost of the framework itself.
#include <kubecoro/cache/informer_factory.hpp>

#include <cstddef>

void follow(kubecoro::informer_factory& informers, std::size_t& seen)
{
    const auto all = informers.get({"", "v1", "pods", "Pod"});
    all.add_event_handler({.on_update = [&seen](const kubecoro::updated<>& e) {
        seen += e.after["metadata"]["name"].as_string().size();
    }});
    const auto one = all.lister().get("shop", "web");
    if (one) seen += one.name().size();
}
