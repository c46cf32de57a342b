#pragma once

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/storage.hpp>
#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/cache/detail/object_share.hpp>
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

/// Options of an informer, see informer_factory::get().
struct informer_options
{
    /// The namespaces to cover, each with its own watch and all in one store. Empty = all. Must be empty for
    /// cluster-scoped kinds, else has_synced() fails with cond::misconfigured.
    text_list namespaces = {};
    /// Which objects to cover; empty = all. Selector text as in kubectl.
    std::string label_selector = {};
    /// Field selector, as in kubectl; empty = all.
    std::string field_selector = {};
    /** Restricts the informer to the shard selected by a hash of the uid or the namespace (Kubernetes 1.36, feature
        gate ShardedListAndWatch), so that several processes share a resource: "shardRange(object.metadata.uid,
        '0x0000000000000000', '0x8000000000000000')". Empty = all.

        A server without the feature ignores it; lists then fail with cond::misconfigured, because each shard would hold
        everything. For the same reason storage::metadata_only is not supported with it, and such informers list instead
        of streaming. */
    std::string shard_selector = {};
    /** The objects that this process keeps, where several divide them: `.share = member.share()` of a shard_member. The key of
        the object decides, or its namespace. Others are passed over while they are decoded, and for readers they do not
        exist. When the share grows, the informer lists again. Null = all. */
    std::shared_ptr<detail::object_share> share = {};
    /// Name of a single object to cover: short for a field selector `metadata.name`, which is added to the other one.
    /// Namespaced kinds need `namespaces` with it, else has_synced() fails with cond::misconfigured.
    std::string name = {};
    /// Fields to drop while decoding, and limits.
    decode_options decode = {};
    /** Changes each object before it is stored, for example to make it smaller; applied after `decode`. Empty = none. An
        informer with a transform is never shared: each get() creates one.

        Called on the informer's strand for every version received from the server, including the last one of a deleted
        object, and not again when a relist returns it unchanged. Must be quick. Returns an object of the same name,
        namespace, uid and resourceVersion, or its argument; anything else is stored as received.

        When it throws, the object and everything after it wait and are processed again after a pause that grows: nothing is
        lost, nothing overtakes it, and the informer's version does not pass it. After four attempts, which take about a
        second, the object is stored as received; for a minute after that, or after twelve exceptions in a minute, so is
        every object for which it throws: otherwise one tenant's objects could hold up the others'. Counted in
        informer_stats::processing_failures and transform_failures, logged, and passed to on_failure. */
    std::function<object(const object&)> transform = {};
    /// Representation of the stored objects in memory.
    storage_options storage = {};
    /// Labels indexed from the start. Others are indexed when a list first selects by them: see lister::list. At most
    /// 16.
    text_list label_indexes = {};
    /// Default resync of handlers that set none. 0 = the factory's.
    saturating_duration resync = {};
    /// Empty = the factory's.
    std::optional<reflector_policy> policy = {};
    /// After each stored list, lists once more at the exact version and compares: a check of the library and the server
    /// for tests and debugging; it doubles the cost of a list. A difference is logged as an error, counted and passed
    /// to on_failure (cond::corrupt); the store is not changed. Contents are not compared where `transform` produced
    /// them. A check is also counted when the server no longer has the version.
    bool check_consistency = false;
    /// Called on the informer's strand for every failure of a list or a watch, with the operation and the objects in
    /// its message and the cause behind it, for every object that is too large to be stored, and for changes that could
    /// not be processed at once. Must be quick.
    /// Exceptions are ignored. The informer retries by itself: this is for reporting. Only after a failure of its own, for
    /// which this is called on any thread, it does not: see factory_options::on_end.
    callback<void(const failure&)> on_failure = {};
    /// Name of the informer in metrics and logs. Empty = its resource, with a number where several exist.
    std::string label = {};
};

/// Options of an informer_factory.
struct factory_options
{
    /// Executor of the informers, each on strands of its own. Empty = the provider's.
    boost::asio::any_io_executor executor = {};
    /// For these three, empty = the provider's, which are the client's.
    std::shared_ptr<time_source> time = {};
    /// Receives the lines of all informers.
    std::optional<logger> log = {};
    /// Updated every `metrics_period` and at the stop: see the guide on observability.
    std::shared_ptr<kubecoro::metrics> metrics = {};
    saturating_duration metrics_period = std::chrono::seconds{5}; ///< At least 1 s.
    /// Seed of the jitter; empty = unpredictable. Set it to make a run repeatable.
    std::optional<std::uint64_t> seed = {};
    /// Default resync of handlers. 0 = none.
    saturating_duration resync = {};
    /// How informers list and watch, unless their own options say otherwise.
    reflector_policy policy = {};
    /// Shared by all informers of the factory, and by other factories that get the same one. Empty = a budget of its
    /// own with default options.
    std::optional<relist_budget> relists = {};
    /// Called once for each informer that a failure of its own has ended: an exception that left one of its loops, such as
    /// std::bad_alloc or one of a timer. Nothing is retried then. Any thread; must be quick. Exceptions are ignored.
    callback<void(const failure&)> on_end = {};
};

} // namespace kubecoro
