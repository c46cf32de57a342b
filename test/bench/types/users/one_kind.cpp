// A user's file with one kind and its informer.
#include "follow.hpp"

#include <kubecoro/core_v1/pod.hpp>

void follow(kubecoro::informer_factory& informers, std::size_t& seen)
{
    users::follow<kubecoro::core_v1::pod>(informers, seen);
}
