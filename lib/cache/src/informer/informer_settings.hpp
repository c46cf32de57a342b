#pragma once

#include "informer/moved_informers.hpp"
#include "reflector/tell_user.hpp"
#include "reflector/watch_list_ability.hpp"

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/cache/options.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace kubecoro::detail {

/// The parts and settings of an informer.
struct informer_settings
{
    resource_type resource;
    /// With policy and resync filled in.
    informer_options options;
    std::shared_ptr<source_provider> provider;
    kept_executor executor;
    /// The informer's own, made by its engine.
    kept_executor strand = {};
    std::shared_ptr<time_source> time;
    logger log;
    std::uint64_t seed = 1;
    /// Name in logs and metrics; unique in its factory.
    std::string label;
    /// Identifies it in its factory.
    std::uint64_t number = 0;
    /// Told of changes of its namespaces. Null = none.
    std::shared_ptr<moved_informers> moved = {};
    /// Null = none.
    std::shared_ptr<kubecoro::metrics> metrics = {};
    duration metrics_period{0};
    /// Shared by the informers of this resource.
    std::shared_ptr<watch_list_ability> ability = std::make_shared<watch_list_ability>();
    relist_budget relists = relist_budget();
    /// factory_options::on_end.
    callback<void(const failure&)> on_end = {};
};

} // namespace kubecoro::detail
