#pragma once

#include "reflector/reflector_core.hpp"

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/cache/reflector.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace kubecoro::detail {

/// The parts and settings of a reflector without an informer.
struct reflector_setup
{
    /// Null when refused.
    std::shared_ptr<list_watch_source> source;
    /// Why the options cannot work.
    std::optional<failure> refused;
    reflector_expectation expected;
    reflector_policy policy;
    list_delivery delivery = list_delivery::whole;
    kept_executor executor;
    std::shared_ptr<time_source> time;
    logger log;
    std::uint64_t seed = 1;
    relist_budget relists;
    callback<void(const failure&)> on_failure;
};

/// Fills in the defaults, which come from the provider, and opens the source.
[[nodiscard]] reflector_setup set_up(const std::shared_ptr<source_provider>& provider, const resource_type& resource,
                                     reflector_options options);
[[nodiscard]] reflector_setup set_up(std::shared_ptr<list_watch_source> source, const resource_type& resource,
                                     reflector_options options);

} // namespace kubecoro::detail
