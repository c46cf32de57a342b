#pragma once

#include "informer/sync_gate.hpp"
#include "listener/news_core.hpp"
#include "reflector/reflector.hpp"

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/base/context_bound.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/cache/options.hpp>
#include <kubecoro/cache/reflector_stats.hpp>

#include <cstdint>
#include <memory>
#include <optional>
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
    std::shared_ptr<time_source> time;
    logger log;
    std::uint64_t seed = 1;
    /// Name in logs and metrics; unique in its factory.
    std::string label;
    /// Null = none.
    std::shared_ptr<kubecoro::metrics> metrics = {};
    duration metrics_period{0};
    /// Shared by the informers of this resource.
    std::shared_ptr<watch_list_ability> ability = std::make_shared<watch_list_ability>();
    relist_budget relists = relist_budget();
};

/** One namespace of an informer, or all: a reflector of its own that feeds the common store.

    Strand-confined unless noted. */
struct informer_lane
{
    informer_lane() = default;
    informer_lane(const informer_lane&) = delete;
    informer_lane& operator=(const informer_lane&) = delete;
    ~informer_lane() { gone.settle({}); }

    std::size_t id = 0;
    std::string ns;
    std::shared_ptr<list_watch_source> source;
    std::unique_ptr<reflector> runs;
    /// The failures already logged.
    news_core told;
    /// Why it cannot list at all.
    std::optional<failure> blocked;
    /// Opens when the first list is stored. Thread safe.
    sync_gate gate;
    /// Ends the reflector.
    latch leave;
    /// Settled when the lane is destroyed.
    latch gone;
    // Guarded by the informer's mutex:
    informer_state state = informer_state::created;
    reflector_stats stats;
    std::string version;
    /// Time of the last list, event or bookmark.
    std::optional<time_point> heard;
};

/// Adds `one` to `sum`.
void add(reflector_stats& sum, const reflector_stats& one);

/// Opens the source for the objects of one namespace (empty = all) with these options. Never null.
[[nodiscard]] std::shared_ptr<list_watch_source> open_source(const informer_settings& s, const std::string& ns,
                                                             std::shared_ptr<object_encoding> encoding,
                                                             std::shared_ptr<const known_objects> known);

/// @param id          Identifies the lane to the sink; its jitter is derived from it and the seed.
/// @param not_before  See reflector_expectation.
[[nodiscard]] std::unique_ptr<informer_lane>
make_lane(const informer_settings& s, std::size_t id, std::string ns, std::string not_before,
          std::shared_ptr<object_encoding> encoding, std::shared_ptr<const known_objects> known, reflector_sink& sink);

} // namespace kubecoro::detail
