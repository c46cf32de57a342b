#pragma once
// One simulated world: a server, a client behind a bad network, informers, and users who join and leave.

#include "cancelled_waits.hpp"
#include "controller_runner.hpp"
#include "journal.hpp"
#include "live_collections.hpp"
#include "network.hpp"
#include "operations.hpp"
#include "participant.hpp"
#include "roaming_informer.hpp"
#include "server_history.hpp"
#include "waiting.hpp"

#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::simulation {

struct world_options
{
    std::uint64_t seed = 1;
    /// Prints every step.
    bool echo = false;
    /// false: the same script on a perfect network.
    bool faults = true;
    /// The informers' storage; compressed where the checks need more than metadata.
    storage keep = storage::plain;
    /// With a controller, and fewer users of the informers.
    bool controlled = false;
    /// Faults beyond those of the network: see network::break_something_rare(); and transforms that throw.
    bool hostile = false;
    /// The form of the informers' watches, for kinds that have it.
    wire_form watches = wire_form::json;
    /// With collections that are derived from the informers.
    bool derived = false;
    /// The order in which ready coroutines run.
    testing::ready_order order = testing::ready_order::fifo;
};

/// The outcome of a world.
struct verdict
{
    /// Empty: every promise held.
    std::string broken;
    std::string last_steps;
    std::uint64_t hash = 0;
    std::uint64_t steps = 0;
    /// Activity counts, which reveal a simulation that does nothing.
    std::uint64_t notifications = 0, lists = 0, streamed_lists = 0, fallbacks = 0, relists = 0, silences = 0,
                  reconnects = 0, coalesced = 0, quiet_points = 0, exact_comparisons = 0, controlled = 0,
                  controllers = 0, runs = 0, waits = 0, stale_answers = 0, derived = 0;
};

/// An informer and the data that the checks need.
struct watched
{
    std::string name;
    scope covered;
    const server_history* real;
    shared_informer<object> informer;
    std::vector<std::unique_ptr<participant>> users = {};
    std::vector<std::unique_ptr<waiting>> waits = {};
    /// At the last quiet point: length of the truth, lists so far, and the number of users.
    std::size_t history_begin = 0;
    std::uint64_t lists = 0;
    /// A list was in progress at the last quiet point and may end after it: its reader skips events in between.
    bool listing = false;
    std::size_t users_then = 0;
    std::vector<std::uint64_t> coalesced = {};
};

/** Everything follows from the seed. Single use: construct, run, destroy. */
class world
{
public:
    explicit world(world_options options);
    ~world();
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    verdict run();

private:
    void start();
    void make_informers();
    void make_controller();
    void make_collections();
    void add_informer(std::string name, scope covered, informer_options options, const server_history& real);
    [[nodiscard]] std::function<object(const object&)> throwing_transform(std::uint64_t which) const;
    void join(watched& w);
    void wait(watched& w);

    // One step of the script, and its kinds.
    void step();
    void operate();
    void let_time_pass();
    void break_something();
    void change_users();

    void quiet_point();
    /// Empty when all events have arrived, else the first thing missing.
    [[nodiscard]] std::string unsettled();
    void check_idle();
    void go_on();
    void check_late_joiner();
    void stop_controller();
    void check_late_ends();
    void keep_handles();
    [[nodiscard]] bool stop_informers();
    void stop();

    /// Runs an operation that must succeed, in virtual time.
    template<class T>
    bool must(std::string_view what, boost::asio::awaitable<result<T>> body);

    /// Handles that a careless user still holds after everything else is destroyed, including the context.
    struct outliving
    {
        std::vector<shared_informer<object>> informers = {};
        std::vector<registration> registrations = {};
        std::vector<lister<object>> listers = {};
        std::unique_ptr<informer_factory> factory = {};
        std::vector<client> clients = {};
    };

    world_options options_;
    outliving outliving_;
    testing::runner runner_;
    journal notes_;
    detail::random_source random_;
    std::unique_ptr<apiserver::embedded_server> server_;
    std::optional<network> network_;
    std::optional<operations> operations_;
    std::vector<std::unique_ptr<server_history>> histories_;
    std::vector<testing::task<void>> followers_;
    std::unique_ptr<informer_factory> factory_;
    std::vector<watched> informers_;
    std::optional<roaming_informer> roaming_;
    std::optional<controller_runner> controller_;
    std::optional<live_collections> collections_;
    std::optional<cancelled_waits> impatient_;
    std::uint64_t next_name_ = 0;
    verdict verdict_;
};

} // namespace kubecoro::simulation
