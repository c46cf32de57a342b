// An informer with a handler and a lister: what the files of this folder do for each of their kinds.
#pragma once

#include <kubecoro/cache/informer_factory.hpp>

#include <cstddef>

namespace users {

/// @param seen  Counts the bytes of names.
template<class T>
void follow(kubecoro::informer_factory& informers, std::size_t& seen)
{
    const auto all = informers.get<T>();
    all.add_event_handler(
        {.on_update = [&seen](const kubecoro::updated<T>& e) { seen += e.after->metadata().name().size(); }});
    const auto one = all.lister().get("shop", "web");
    if (one) seen += one->metadata().name().size();
}

} // namespace users
