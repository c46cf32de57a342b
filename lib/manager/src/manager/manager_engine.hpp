#pragma once

#include "clusters/cluster_place.hpp"
#include "manager/managed_part.hpp"
#include "manager/manager_core.hpp"
#include "manager/sync_watch.hpp"

#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/controller/leader_elector.hpp>
#include <kubecoro/controller/shard_member.hpp>
#include <kubecoro/manager/manager.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

class cluster_set;

/** The implementation of a manager; see there. Executes the steps of manager_core.

    Its coroutines refer to it by reference: the handle keeps it alive, and a handle destroyed early leaves it to its task
    groups. */
class manager_engine : public std::enable_shared_from_this<manager_engine>
{
public:
    /// @param place  Empty in the program's own manager.
    manager_engine(client c, manager_options o, std::optional<cluster_place> place = {});
    ~manager_engine();
    manager_engine(const manager_engine&) = delete;
    manager_engine& operator=(const manager_engine&) = delete;

    // ---- declarations
    [[nodiscard]] shared_informer<object> informer(const resource_type& resource, informer_options options);
    /// The declared informer of a kind. Throws error when the manager has started without one.
    [[nodiscard]] shared_informer<object> declared(const resource_type& resource);
    /// The keys that a controller with these options works on.
    [[nodiscard]] key_share share_of(const control_options& options) const;
    /** The informer of a kind for a controller with that share: a declared one, or a new one.

        @param is_own  The controller works on objects of this kind, and does not map them to others. */
    [[nodiscard]] shared_informer<object> watched(const resource_type& resource, const key_share& share, bool is_own);
    [[nodiscard]] std::shared_ptr<managed_part> add_controller(const resource_type& resource, reconciler reconcile,
                                                               control_options options);
    /// The same without a source of its own. Throws cond::misconfigured if there are shards.
    [[nodiscard]] std::shared_ptr<managed_part> add_controller(reconciler reconcile, control_options options);
    [[nodiscard]] std::shared_ptr<managed_part> add_runnable(std::string name, patient_runnable f, bool is_patient,
                                                             runnable_options options, bool apart = false);
    void remove(managed_part& part);
    /// For a part that stands apart: its next failure is a first one, if it has run for long.
    void has_worked(const managed_part& part);
    [[nodiscard]] std::shared_ptr<cluster_set> add_clusters(std::shared_ptr<cluster_provider> from, manager_setup setup,
                                                            clusters_options o);
    /// Those of add_clusters(), as long as they last.
    [[nodiscard]] std::vector<std::shared_ptr<cluster_set>> cluster_sets() const;
    /// Empty in the program's own manager.
    [[nodiscard]] const std::string& cluster_name() const noexcept;
    /// The keys of this replica; empty where one replica works on all.
    [[nodiscard]] std::optional<key_share> share() const;

    // ---- rights and events
    [[nodiscard]] const event_recorder& events();
    void needs(access_right right, bool in_namespaces);
    [[nodiscard]] std::vector<access_right> rights() const;
    void declare_manifest(std::function<std::string()> yaml);
    [[nodiscard]] std::string manifests() const;
    struct server
    {
        std::function<bool()> serves;
        std::function<bool()> for_lists;
    };
    void declare_server(server s);
    [[nodiscard]] std::vector<server> servers() const;

    // ---- start and stop
    void start();
    void request_stop();
    [[nodiscard]] boost::asio::awaitable<result<>> ready() const { return ready_.wait(); }
    /// Completes when nothing runs any more, with the outcome.
    [[nodiscard]] static boost::asio::awaitable<result<>> over(std::shared_ptr<manager_engine> self);
    /// Called when the handle is destroyed.
    static void abandon(const std::shared_ptr<manager_engine>& self);

    /// The one end for every failure of a loop. Any thread.
    void end_by(const std::string& task, const failure& why);

    [[nodiscard]] manager_stats stats() const;
    [[nodiscard]] manager_phase phase() const;
    [[nodiscard]] std::vector<controller_stats> controllers() const;
    [[nodiscard]] std::vector<std::string> tasks() const;
    [[nodiscard]] result<> healthy() const;

    const client cluster;
    const manager_options options;

private:
    /// @param own  The source; empty = none.
    [[nodiscard]] std::shared_ptr<managed_part> add_controller(const resource_type& resource,
                                                               std::optional<shared_informer<object>> own,
                                                               reconciler reconcile, control_options options);
    /// Settled by an informer that a failure of its own has ended.
    const latch informer_end_;
    /// Notifies the supervisor of input to the core.
    const wake_signal news_;

public:
    informer_factory informers;

private:
    // manager_engine.cpp: the supervisor
    static boost::asio::awaitable<result<>> supervise(manager_engine& self);
    static boost::asio::awaitable<result<>> drive(manager_engine& self, std::optional<manager_step::any>& next);
    static boost::asio::awaitable<result<>> end_at_once(manager_engine& self);
    static boost::asio::awaitable<result<>> stop_informers(manager_engine& self);
    void ensure_stop_is_watched();
    static boost::asio::awaitable<result<>> watch_stop(manager_engine& self);
    [[nodiscard]] std::string what_runs() const;
    /// The tasks of parts and controllers.
    [[nodiscard]] std::vector<std::string> work() const;
    void ensure_supervisor();
    [[nodiscard]] manager_step::any decide();
    void perform(const manager_step::any& step);
    void start_informers();
    void announce();
    void finish(const result<>& outcome);

    // rights.cpp
    void check_rights();
    static boost::asio::awaitable<result<>> check_while_running(manager_engine& self, std::uint64_t seed);
    static boost::asio::awaitable<result<>> flush_events(manager_engine& self);
    void add_rights_of(const shared_informer<object>& informer, std::vector<access_right>& out) const;
    [[nodiscard]] access_right right_to_events() const;
    void add_rights_of_events(std::vector<access_right>& out) const;
    void add_rights_of_election(std::vector<access_right>& out) const;
    void add_rights_of_shards(std::vector<access_right>& out) const;

    // election.cpp
    void seek_leadership();
    void give_up_leadership();
    static boost::asio::awaitable<result<>> elect(manager_engine& self);
    static boost::asio::awaitable<result<>> lead(manager_engine& self, leadership term);
    static boost::asio::awaitable<result<>> work_is_over(manager_engine& self);
    /// That of the election, which has one.
    [[nodiscard]] object_key lease() const;
    [[nodiscard]] std::string lease_name() const;
    void record_leadership(const leadership& term, std::string_view action, std::string_view what) const noexcept;
    static boost::asio::awaitable<result<>> follow_leadership(manager_engine& self);

    // shards.cpp
    void join_group();
    [[nodiscard]] bool divides(const resource_type& resource, const key_share& share, bool is_own) const;
    static boost::asio::awaitable<result<>> be_member(manager_engine& self, latch stop);

    // parts.cpp
    class part_mark;
    using declarations = std::vector<shared_informer<object>>;
    [[nodiscard]] std::optional<shared_informer<object>> find_declared(const resource_type& resource);
    [[nodiscard]] std::optional<shared_informer<object>> find_declared(std::string_view group, std::string_view kind);
    [[nodiscard]] std::optional<shared_informer<object>>
    find_declared(const std::function<bool(const resource_type&)>& fits);
    [[nodiscard]] declarations take_released(const std::function<bool(const resource_type&)>& fits);
    [[nodiscard]] bool is_started() const;
    [[nodiscard]] std::vector<std::shared_ptr<managed_part>> controlling() const;
    void start_part(part_id id);
    static boost::asio::awaitable<result<>> run_part(std::shared_ptr<part_mark> mark);
    void note_end(managed_part& part, const result<>& outcome);
    [[nodiscard]] std::shared_ptr<managed_part> part(part_id id) const;
    [[nodiscard]] std::string free_name(std::string wish) const;
    [[nodiscard]] controller_options completed(controller_options o, const std::string& name);
    [[nodiscard]] std::shared_ptr<managed_part> keep(std::shared_ptr<managed_part> part,
                                                     manager_core::part_settings how);
    /// Gives the core an input, and wakes the supervisor.
    template<class F>
    auto tell(F f)
    {
        std::unique_lock lock(mutex_);
        if constexpr (std::is_void_v<std::invoke_result_t<F&, manager_core&>>) {
            f(core_);
            lock.unlock();
            news_.notify();
        } else {
            auto out = f(core_);
            lock.unlock();
            news_.notify();
            return out;
        }
    }

    const std::optional<cluster_place> place_;
    kept_executor executor_;
    mutable checked_mutex mutex_;
    manager_core core_;                                      // under the mutex
    std::map<part_id, std::shared_ptr<managed_part>> parts_; // under the mutex
    declarations declared_;                                  // under the mutex: the first of each kind
    std::vector<access_right> needs_;                        // under the mutex
    std::vector<std::function<std::string()>> manifests_;    // under the mutex
    std::vector<server> servers_;                            // under the mutex
    std::optional<event_recorder> events_;                   // under the mutex; stays once made
    bool declares_events_ = false;                           // under the mutex: besides those about the Lease
    std::vector<std::shared_ptr<cluster_set>> clusters_;     // under the mutex
    random_source seeds_;                                    // under the mutex
    bool started_ = false;                                   // under the mutex
    bool supervised_ = false;                                // under the mutex
    bool stop_is_watched_ = false;                           // under the mutex
    std::optional<failure> ended_by_;                        // under the mutex

    latch ready_;
    latch ended_;
    /// Settled when nothing runs any more that needs leadership.
    latch work_over_;
    sync_watch sync_;
    std::optional<leader_elector> elector_;
    std::optional<shard_member> member_;
    std::shared_ptr<metrics::gauge> is_ready_;
    task_group running_;
    task_group supervising_;
};

} // namespace kubecoro::detail
