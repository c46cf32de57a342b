// A user's file with all built-in kinds and an informer of each.
#include "follow.hpp"

#include <kubecoro/all_kinds.hpp>

void follow(kubecoro::informer_factory& informers, std::size_t& seen)
{
    kubecoro::each_kind([&]<class T>() { users::follow<T>(informers, seen); });
}
