#pragma once
// Those who join a running informer and leave again, all the time.

#include "contents.hpp"
#include "residents.hpp"

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace soak {

/// State shared by the guests.
struct house
{
    residents& home;
    kubecoro::client api;
    boost::asio::any_io_executor executor;
    std::size_t cycle_seconds;
    std::atomic<bool> closing{false};
};

/** One kind of guest: its name, and one visit. A visit ends by itself within seconds; failures of the network and of the server,
    and waits that run into their limit, are part of it. */
struct guest
{
    std::string name;
    boost::asio::awaitable<kubecoro::result<>> (*visit)(house& h, dice& d);
    std::atomic<std::size_t> visits{0};
};

/// One of each kind.
[[nodiscard]] std::vector<std::unique_ptr<guest>> all_guests();

/// Visits until the house closes.
[[nodiscard]] boost::asio::awaitable<void> keep_visiting(house& h, guest& g, std::uint64_t seed);

} // namespace soak
