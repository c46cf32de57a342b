#pragma once

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/storage.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/name_first.hpp>
#include <kubecoro/cache/order.hpp>
#include <kubecoro/cache/reflector_policy.hpp>
#include <kubecoro/cache/relist_budget.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

/** What a program makes of each object before it is stored: smaller, or with something added.

    Called on the informer's strand once for every version that comes from the server, the last one of a deleted object
    included, and not again when a relist brings it unchanged; must be quick. It gives an object of the same name,
    namespace, uid and resourceVersion, or the one it got. When it throws, or gives something else, the object is stored
    as it came, which is counted (informer_stats::transform_failures) and logged: a list never lacks an object. */
using object_transform = std::function<object(const object&)>;

/// Options of an informer, see informer_factory::get().
struct informer_options
{
    /// The namespaces to cover, each with its own watch and all in one store. Empty = all of them; must be empty for
    /// cluster-scoped kinds, else has_synced() fails with cond::misconfigured.
    std::vector<std::string> namespaces = {};
    /// Which objects; empty = all. Selector text as in kubectl.
    std::string label_selector = {};
    /// Field selector, as in kubectl; empty = all.
    std::string field_selector = {};
    /** Of those, the part that a hash of the uid or the namespace puts in this shard (Kubernetes 1.36, feature gate
        ShardedListAndWatch), so that several processes share a resource:
        "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')". Empty = all.

        A server that does not know of it ignores it: then lists fail with cond::misconfigured, as each shard would hold
        everything. For the same reason not with storage::metadata_only, and such informers list instead of streaming. */
    std::string shard_selector = {};
    /// One object alone, by its name: short for a field selector `metadata.name`, which is added to the other. Kinds that
    /// are in namespaces need `namespaces` with it, else has_synced() fails with cond::misconfigured.
    std::string name = {};
    /// What to leave out while decoding, and limits.
    decode_options decode = {};
    /// Run after that, on what is left. Empty = none. An informer with a transform is never shared: each get() makes one.
    object_transform transform = {};
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
    /// After each list that was stored, lists once more at the exact version and compares: a test of the library and of
    /// the server, for tests and for suspicion; it doubles the cost of a list. What differs is logged as an error,
    /// counted and given to on_failure (cond::corrupt); the store is left as it is. Contents are not compared where
    /// `transform` has made them. A server that no longer has the version is counted as well.
    bool check_consistency = false;
    /// Called on the informer's strand for every failure of a list or a watch, with what was done and of which objects
    /// in its message and the reason behind it, and for every object that is too large to be stored; must be quick. What it
    /// throws is ignored. The informer retries by itself: this is for showing.
    std::function<void(const failure&)> on_failure = {};
    /// What metrics and logs call the informer. Empty = its resource, with a number where there are several.
    std::string label = {};
    KUBECORO_NAME_FIRST;
};

/// Options of an informer_factory.
struct factory_options
{
    /// Where informers run, each on a strand of its own. Empty = the provider's.
    boost::asio::any_io_executor executor = {};
    /// These three: empty = the provider's, which are the client's.
    std::shared_ptr<time_source> time = {};
    /// Receives the lines of all informers.
    std::optional<logger> log = {};
    /// Shown every `metrics_period` and at the stop: see the guide on observability.
    std::shared_ptr<metrics> numbers = {};
    duration metrics_period = std::chrono::seconds{5}; ///< At least 1 s.
    /// Of jitter; empty = unpredictable. Give one to make a run repeatable.
    std::optional<std::uint64_t> seed = {};
    /// Default resync of handlers. 0 = none.
    duration resync{0};
    /// How informers list and watch, unless their own options say otherwise.
    reflector_policy policy = {};
    /// Shared by all informers of the factory, and of other factories that are given the same. Empty = one of its own, with
    /// default options.
    std::optional<relist_budget> relists = {};
    KUBECORO_NAME_FIRST;
};

} // namespace kubecoro
