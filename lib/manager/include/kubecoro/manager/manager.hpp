#pragma once

#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/event_recorder.hpp>
#include <kubecoro/manager/access_right.hpp>
#include <kubecoro/manager/cluster_provider.hpp>
#include <kubecoro/manager/detail/reconciler_of.hpp>
#include <kubecoro/manager/detail/setup_function.hpp>
#include <kubecoro/manager/kubeconfig_secrets.hpp>
#include <kubecoro/manager/managed.hpp>
#include <kubecoro/manager/managed_clusters.hpp>
#include <kubecoro/manager/manager_options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro {

namespace detail {
struct cluster_place;
/// A coroutine that a manager runs until it ends. It is cancelled at the stop.
using runnable = std::function<boost::asio::awaitable<result<>>()>;
/// The same, but the latch is settled at the stop, and the coroutine is cancelled only after the grace period.
using patient_runnable = std::function<boost::asio::awaitable<result<>>(latch stop)>;
} // namespace detail
template<class T>
class collection;
template<class T>
struct collection_change;

/** The parts of an operator: one client, its informers, controllers and other coroutines, started and stopped in order.

        kubecoro::manager m(cluster, {.name = "janitor"});
        m.control<config_bundle>(janitor{m}).owns<config_map>().watches<namespace_>(bundles_of);
        auto ended = co_await m.run();            // until request_stop()

    The start: what needs no informers; the informers, until their stores are filled, while log lines name those that are
    missing and why; what needs no leadership; then, as the leader if there is an election, controllers and everything else.
    The stop: the same backwards, within `grace`; the Lease is released when nothing of the leader runs any more. A lost
    leadership ends the manager. A part that fails ends the manager, and is named, unless it is to be retried.

    Thread safe. Parts may be added and removed at any time. Has one owner, which awaits run() or stop() before destroying
    it. Destroying a running manager is an error: it is logged, everything is cancelled, and ends as soon as its executor
    allows. */
class manager
{
public:
    /// Everything runs on the client's executor, each part on a strand of its own.
    explicit manager(kubecoro::client cluster, manager_options options = {});
    ~manager();
    manager(const manager&) = delete;
    manager& operator=(const manager&) = delete;

    // ---- what it passes on

    /// The client that everything uses.
    [[nodiscard]] const kubecoro::client& client() const noexcept;
    /// The informers. Those that are made here count as declared once informer() or lister() has named their kind.
    [[nodiscard]] informer_factory& informers() noexcept;
    /// The clock.
    [[nodiscard]] const std::shared_ptr<time_source>& time() const noexcept;
    /// The log.
    [[nodiscard]] const logger& log() const noexcept;
    /// The metrics; not null.
    [[nodiscard]] const std::shared_ptr<kubecoro::metrics>& metrics() const noexcept;
    /// The executor.
    [[nodiscard]] boost::asio::any_io_executor executor() const;
    /// As in the options.
    [[nodiscard]] const std::string& name() const noexcept;
    /// As in the options.
    [[nodiscard]] const std::vector<std::string>& namespaces() const noexcept;
    /// The cluster's name, in a manager that clusters() has made; empty in the program's own.
    [[nodiscard]] const std::string& cluster() const noexcept;

    // ---- what it reads

    /** Declares that a kind is read, and returns its informer. The first informer of a kind is the one that control(),
        owns(), watches() and lister() use: give it options before them, such as a selector or a projection.

        May be called at any time. After the start, await has_synced() of the informer before reading it. */
    template<class T>
    shared_informer<detail::handled_kind<T>> informer(informer_options options = {})
    {
        return shared_informer<detail::handled_kind<T>>(informer(T::resource(), std::move(options)));
    }
    /// The same for a kind without a C++ type.
    shared_informer<object> informer(const resource_type& resource, informer_options options = {});

    /** Reads the informer of a kind. Before the start this declares the kind, as informer() does. After the start the kind
        must have been declared: throws kubecoro::error with cond::misconfigured otherwise, so that a run fails instead of
        reading a store that nobody fills. */
    template<class T>
    [[nodiscard]] kubecoro::lister<detail::handled_kind<T>> lister()
    {
        return kubecoro::lister<detail::handled_kind<T>>(lister(T::resource()));
    }
    /// The same for a kind without a C++ type.
    [[nodiscard]] kubecoro::lister<object> lister(const resource_type& resource);

    // ---- what it writes

    /** Records events about objects, as a reporter of the manager's name. Made at the first call; its right to write them
        is then declared. Waiting events are sent at the stop, when nothing else runs. */
    [[nodiscard]] const event_recorder& events();

    /** Declares rights beyond those that informers and events imply: to write a kind, or to read it without an informer. For
        rights() and the check at the start; nothing is refused without it. managed_controller::writes() does the same.
        @param subresource  Such as "status"; empty = the objects themselves. */
    template<class T>
    void needs(std::vector<std::string> verbs, std::string_view subresource = {})
    {
        needs(T::resource(), std::move(verbs), subresource);
    }
    /// The same for a kind without a C++ type.
    void needs(const resource_type& resource, std::vector<std::string> verbs, std::string_view subresource = {});
    /// The same for one namespace, or one object.
    void needs(access_right right);
    /** The permissions of this program, as far as they are declared: list and watch of the kinds of its informers, what
        needs() and writes() name, the Lease, and events. With namespaces(), rights to namespaced kinds are for these only.
        rbac_manifest() writes it as YAML. Any thread. */
    [[nodiscard]] std::vector<access_right> rights() const;
    /** Declares a manifest of objects that lead to this program, such as the Service of its webhooks, which declare theirs.
        @param yaml  Called by manifests(). Kept as long as the manager. */
    void declare_manifest(std::function<std::string()> yaml);
    /** Declares a server that a Service leads to: the program is ready when it serves. Webhooks declare theirs.
        @param serves     Called by health checks, as the other one. Kept as long as the manager.
        @param for_lists  Whether informers may need it to sync, such as a conversion: the program is then ready before they
                          have. */
    void declare_server(std::function<bool()> serves, std::function<bool()> for_lists);
    /// Whether the servers that are declared serve; true without any. Any thread.
    [[nodiscard]] bool serves() const;
    /// Whether informers may need one of them to sync. Any thread.
    [[nodiscard]] bool serves_for_lists() const;
    /// The YAML of the manifests that are declared; empty if there are none. Call it after the set-up. Any thread.
    [[nodiscard]] std::string manifests() const;

    // ---- what it runs

    /** Adds a controller of the objects of kind T.

        @param reconcile  A coroutine function of (const typed_object<T>&, reconcile_context&), which is not called for
                          objects that are gone; or of (const object_key&, reconcile_context&), which is. Kept as long as
                          the controller; may have members, also such that cannot be copied. */
    template<class T, class R>
    managed_controller control(R reconcile, control_options&& options = control_options())
    {
        const kubecoro::lister<detail::handled_kind<T>> stored(controlled(T::resource(), options).lister());
        return control(T::resource(),
                       detail::reconciler_of<detail::handled_kind<T>>(std::move(reconcile), stored, T::resource()),
                       std::move(options));
    }
    /// The same for a kind without a C++ type.
    managed_controller control(const resource_type& resource, reconciler reconcile,
                               control_options&& options = control_options());
    /** Adds a controller of the keys of a derived collection (`kubecoro/collections/derive.hpp`): every change of it leads to a run of its
        key, "namespace/name", or "name". Runs begin when the collection has synced.

        @param reconcile  A coroutine function of (const collection<T>::shared&, reconcile_context&), which is not called for
                          elements that are gone; or of (const object_key&, reconcile_context&), which is.
        @par Errors       Throws kubecoro::error with cond::misconfigured in a manager with shards: keys of collections have none. */
    template<class T, class R>
    managed_controller control(const collection<T>& of, R reconcile, control_options&& options = control_options())
    {
        if (options.name.empty()) options.name = of.name();
        auto made = control_keys(detail::reconciler_of_elements(of, std::move(reconcile)), std::move(options));
        of.add_event_handler([made](const collection_change<T>& c) { made.trigger(detail::key_of(c.key)); });
        return made;
    }
    /// A controller of keys that others trigger. Used by the forms for collections.
    managed_controller control_keys(reconciler reconcile, control_options&& options);
    // Deleted: a limiter belongs to one controller, so that options are not copied.
    template<class T, class R>
    managed_controller control(R, const control_options&) = delete;                                // std::move(options)
    managed_controller control(const resource_type&, reconciler, const control_options&) = delete; // std::move(options)

    /** Runs a coroutine when its time has come: a function that returns asio::awaitable<result<>>, with no parameter or
        with `latch stop`. It may end early; when it fails, `options.retry` decides. Kept as long as it runs. */
    template<class F>
        requires(std::is_constructible_v<detail::runnable, F> || std::is_constructible_v<detail::patient_runnable, F>)
    managed run(std::string name, F f, runnable_options options = {})
    {
        if constexpr (std::is_constructible_v<detail::patient_runnable, F>)
            return add(std::move(name), detail::patient_runnable(std::move(f)), true, std::move(options));
        else
            return add(
                std::move(name), [f = detail::runnable(std::move(f))](latch) { return f(); }, false,
                std::move(options));
    }
    // Deleted: the manager calls a function when its time has come, and again after a failure.
    template<class T, class... More>
    managed run(std::string, boost::asio::awaitable<T>, More...) = delete; // [=] { return every(how, f); }
    // Deleted: another function has no failure to name, or is no coroutine.
    template<class F>
    managed run(std::string, F, runnable_options = {}) = delete; // returns awaitable<result<>>, may take `latch stop`

    // ---- many clusters

    /** Works in other clusters, which join and leave while the program runs. Each has a manager of its own, with its client,
        informers, controllers, queues and events, which `setup` fills as it would fill this one:

            m.clusters(kubeconfig_secrets{.ns = "fleet"}, [](kubecoro::manager& cluster) {
                cluster.control<config_bundle>(janitor{cluster}).owns<config_map>();
            });

        Nothing waits for a cluster but its own controllers: one that cannot be reached, refuses the rights or fails is named
        in the log, in stats() and describe(), and tried again after a while. The informers are filled in every replica; the
        controllers run while this manager leads. A cluster that leaves gets the time of a stop.

        @param setup  Called when a cluster joins, and for each further attempt, with its manager; never for two clusters at
                      once. Returns nothing or result<>. Kept as long as this manager. */
    template<class Setup>
    managed_clusters clusters(kubeconfig_secrets where, Setup setup, clusters_options options = {})
    {
        return clusters(make_provider(std::move(where)), std::move(setup), std::move(options));
    }
    /// The same for clusters that another provider knows, such as manual_clusters.
    template<class Setup>
    managed_clusters clusters(std::shared_ptr<cluster_provider> from, Setup setup, clusters_options options = {})
    {
        static_assert(std::is_invocable_v<Setup&, manager&>, "the set-up of a cluster takes (kubecoro::manager&)");
        return add(std::move(from), std::move(setup), std::move(options));
    }

    /// The managers that work in clusters at present, by set and name. One that is kept longer has stopped. Any thread.
    [[nodiscard]] std::vector<std::shared_ptr<manager>> members() const;
    /** The rights that each set of clusters needs in every one of its clusters: calls the set-up with a manager that never starts,
        whose cluster() is "*" and whose requests fail. A set-up that keeps something by cluster() leaves "*" out. Must not be
        called from a set-up.

        @par Errors  those of the set-up. */
    [[nodiscard]] result<std::vector<cluster_rights>> rights_in_clusters() const;
    /// The names of the sets of clusters, see clusters(). Any thread.
    [[nodiscard]] std::vector<std::string> sets_of_clusters() const;

    // ---- start and stop

    /// Starts the manager. Returns at once. Call it once only.
    void start();
    /** Completes when the informers have synced and everything has started, as far as it needs no leadership that another
        replica has.

        @par Errors        as run(), when it ends first.
        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> ready() const;
    /** start(), then completes when the manager has stopped.

        @par Errors        the reason why it stopped by itself: the failure of a part, with its name; cond::timed_out, with
                           the reasons of the informers, after sync_timeout; the loss of the leadership, with the Lease's name. Those of stop().
        @par Cancellation  ends the wait only: the manager continues until stop(). */
    [[nodiscard]] boost::asio::awaitable<result<>> run();
    /** Stops in order, and completes when nothing runs any more. Idempotent.

        Must not be awaited by a part; use request_stop() there.
        @par Errors        cond::timed_out when parts had to be cancelled, naming them. As run().
        @par Cancellation  ends the wait; call it again to finish. */
    [[nodiscard]] boost::asio::awaitable<result<>> stop();
    /// Begins stop() without waiting. Any thread.
    void request_stop();

    /// A picture of the present state. Any thread.
    [[nodiscard]] manager_stats stats() const;
    /// The phase alone, which costs nothing however many parts and clusters there are. Any thread.
    [[nodiscard]] manager_phase phase() const;
    /// One entry for each controller that was not removed. Any thread.
    [[nodiscard]] std::vector<controller_stats> controllers() const;
    /// Names of the running coroutines: of the manager, and of its controllers. Any thread.
    [[nodiscard]] std::vector<std::string> tasks() const;
    /// For a liveness check: fails if this program still works as a leader although its Lease has expired. Any thread.
    [[nodiscard]] result<> healthy() const;
    /// A human-readable summary of a few lines: phase, parts, election, informers.
    [[nodiscard]] std::string describe() const;

private:
    /// The informer of the objects that a controller with these options works on: the first of its kind that fits.
    [[nodiscard]] shared_informer<object> controlled(const resource_type& resource, const control_options& options);
    friend class detail::cluster_set;
    manager(kubecoro::client cluster, manager_options options, detail::cluster_place place);
    managed_clusters add(std::shared_ptr<cluster_provider> from, detail::manager_setup setup, clusters_options options);
    managed add(std::string name, detail::patient_runnable f, bool is_patient, runnable_options options);

    std::shared_ptr<detail::manager_engine> engine_;
};

} // namespace kubecoro
