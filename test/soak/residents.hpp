#pragma once
// The permanent parts of the soak program: informers with handlers, and a controller.

#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/cache/mutation_cache.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/testing/recording.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace soak {

/// Half of the namespaces, those that begin with number `first`.
[[nodiscard]] std::vector<std::string> half_of_the_namespaces(std::size_t first);

/// Watches that end soon and short delays, so that minutes bring what otherwise takes hours.
[[nodiscard]] kubecoro::factory_options busy_days(std::uint64_t seed, std::size_t cycle_seconds);

/** The same objects three times over, plain, compressed and as metadata alone, and a controller on them.

    Thread safe after start(). */
class residents
{
public:
    residents(boost::asio::any_io_executor executor, kubecoro::client api, std::uint64_t seed,
              std::size_t cycle_seconds);

    /// Completes when every store is filled and the controller runs.
    [[nodiscard]] boost::asio::awaitable<kubecoro::result<>> start();
    [[nodiscard]] boost::asio::awaitable<kubecoro::result<>> stop();

    /// Completes when what is stored is what the server has. Errors: cond::corrupt, naming what differs.
    [[nodiscard]] boost::asio::awaitable<kubecoro::result<>> compare();

    [[nodiscard]] std::vector<kubecoro::shared_informer<>> informers() const
    {
        return {pods, packed_pods, maps, map_names};
    }
    /// A one-line summary of the events so far.
    [[nodiscard]] std::string summary() const;

private:
    boost::asio::any_io_executor executor_;
    kubecoro::client api_;
    std::shared_ptr<kubecoro::testing::recording_metrics> numbers_ =
        std::make_shared<kubecoro::testing::recording_metrics>();
    std::atomic<std::uint64_t> warnings_{0};
    std::atomic<std::uint64_t> events_{0};
    kubecoro::informer_factory factory_;

public:
    /// Plain, of every namespace, by index "node".
    const kubecoro::shared_informer<> pods;
    /// Compressed, of half of the namespaces, which half changes.
    const kubecoro::shared_informer<> packed_pods;
    /// Compressed.
    const kubecoro::shared_informer<> maps;
    const kubecoro::shared_informer<> map_names;
    const kubecoro::mutation_cache<> own_maps;

private:
    [[nodiscard]] boost::asio::awaitable<kubecoro::result<kubecoro::action>> reconcile(kubecoro::object_key key,
                                                                                       kubecoro::reconcile_context& c);
    kubecoro::factory_options settings(std::uint64_t seed, std::size_t cycle_seconds);
    kubecoro::event_handler<> listener();
    kubecoro::controller<> controller_;
};

} // namespace soak
