// A user's file with ten kinds and an informer of each.
#include "follow.hpp"

#include <kubecoro/apps_v1/daemon_set.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/apps_v1/stateful_set.hpp>
#include <kubecoro/batch_v1/job.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/node.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/core_v1/secret.hpp>
#include <kubecoro/core_v1/service.hpp>
#include <kubecoro/networking_v1/ingress.hpp>

void follow(kubecoro::informer_factory& informers, std::size_t& seen)
{
    using namespace kubecoro;
    users::follow<apps_v1::daemon_set>(informers, seen);
    users::follow<apps_v1::deployment>(informers, seen);
    users::follow<apps_v1::stateful_set>(informers, seen);
    users::follow<batch_v1::job>(informers, seen);
    users::follow<core_v1::config_map>(informers, seen);
    users::follow<core_v1::node>(informers, seen);
    users::follow<core_v1::pod>(informers, seen);
    users::follow<core_v1::secret>(informers, seen);
    users::follow<core_v1::service>(informers, seen);
    users::follow<networking_v1::ingress>(informers, seen);
}
