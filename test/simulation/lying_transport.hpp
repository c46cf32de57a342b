#pragma once
// A server that says wrong things: error answers, errors inside a watch, and lines that no server should send.

#include "journal.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/client/transport.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::simulation {

/// What becomes of lists as streams.
enum class streaming
{
    offered,
    /// The server answers 422.
    refused,
    /// The server does not know the parameter, and marks no end.
    ignored
};

/// How often it lies, and how often it did. Shared by the world and the transport; chances are "one in n", 0 = never.
struct lies
{
    lies(random_source source, journal& j) : random(source), notes(&j) {}

    /// Of requests answered with 410, 429, 500, 503 or 504.
    std::uint64_t error_answers = 0;
    /// Of event lines followed by something wrong: an unknown type, a wrong kind, an object without metadata, the last
    /// bookmark again.
    std::uint64_t wrong_lines = 0;
    /// Of event lines after which the watch ends with an ERROR event or in the middle of a line.
    std::uint64_t broken_ends = 0;
    /// Of watches that end at once.
    std::uint64_t short_watches = 0;
    /// Of bookmarks that end a streamed list and get lost.
    std::uint64_t lost_ends = 0;
    /// Requests that throw instead of failing: out of memory, or a transport of the user's own with a defect. Bodies as well.
    std::uint64_t throws = 0;
    /// Requests to an address that swallows packets: they fail after 15 s.
    std::uint64_t dead_addresses = 0;
    /// No lie but the nature of the server: stop() leaves it.
    streaming streams = streaming::offered;
    /// What has this in its target is answered with 403. Empty = nothing.
    std::string forbidden = {};

    random_source random;
    journal* notes;

    void stop()
    {
        forbidden.clear();
        error_answers = wrong_lines = broken_ends = short_watches = lost_ends = throws = dead_addresses = 0;
    }
    [[nodiscard]] bool happens(std::uint64_t chance) { return chance != 0 && one_in(random, chance); }
};

/** Sits between the client and a truthful transport. Bodies of watches come out in pieces of random sizes.

    What is added never stands for something real, so that nothing true is lost but by ends and errors. */
class lying_transport final : public transport
{
public:
    lying_transport(std::shared_ptr<transport> truthful, std::shared_ptr<lies> plan, std::shared_ptr<time_source> time);
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override;

private:
    std::shared_ptr<transport> truthful_;
    std::shared_ptr<lies> plan_;
    std::shared_ptr<time_source> time_;
};

} // namespace kubecoro::simulation
