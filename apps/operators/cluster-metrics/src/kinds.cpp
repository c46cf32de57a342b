#include "family.hpp"

namespace kubecoro::cluster_metrics {

const std::vector<series_kind>& all_kinds()
{
    static const std::vector<series_kind> all{config_maps(),
                                              cron_jobs(),
                                              daemon_sets(),
                                              deployments(),
                                              horizontal_pod_autoscalers(),
                                              jobs(),
                                              namespaces(),
                                              nodes(),
                                              persistent_volume_claims(),
                                              persistent_volumes(),
                                              pods(),
                                              replica_sets(),
                                              secrets(),
                                              services(),
                                              stateful_sets()};
    return all;
}

} // namespace kubecoro::cluster_metrics
