#pragma once

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/storage.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/cache/order.hpp>
#include <kubecoro/cache/reflector_policy.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

struct informer_options
{
    /// The namespaces to cover, each with its own watch and all in one store. Empty = all of them; must be empty for
    /// cluster-scoped kinds, else has_synced() fails with cond::misconfigured.
    std::vector<std::string> namespaces = {};
    /// Which objects; empty = all. Selector text as in kubectl.
    std::string label_selector = {};
    std::string field_selector = {};
    /// What to leave out while decoding, and limits.
    decode_options decode = {};
    /// How the objects rest in memory.
    storage_options storage = {};
    /// In which order changes are applied when several have arrived at once.
    order sequence = order::global;
    /// Labels that are indexed from the start. Others are when a list first selects by them: see lister::list. At most 16.
    std::vector<std::string> label_indexes = {};
    /// Default resync of handlers that name none. 0 = the factory's.
    duration resync{0};
    /// Empty = the factory's.
    std::optional<reflector_policy> policy = {};
    /// Called on the informer's strand for every failure of a list or a watch; must be quick. What it throws is
    /// ignored. The informer retries by itself: this is for showing.
    std::function<void(const failure&)> on_failure = {};
};

struct factory_options
{
    /// Where informers run, each on a strand of its own. Empty = the provider's.
    boost::asio::any_io_executor executor = {};
    /// Empty = real_clock().
    std::shared_ptr<clock> time = {};
    logger log = {};
    /// Of jitter; empty = unpredictable. Give one to make a run repeatable.
    std::optional<std::uint64_t> seed = {};
    /// Default resync of handlers. 0 = none.
    duration resync{0};
    reflector_policy policy = {};
};

} // namespace kubecoro
