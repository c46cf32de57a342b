#pragma once
// A transport that falsifies answers: error answers, errors inside a watch, and events and
// lists that no server should send.

#include "journal.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/client/transport.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::simulation {

/// The server's behaviour towards streamed lists.
enum class streaming
{
    offered,
    /// The server answers 422.
    refused,
    /// The server does not know the parameter, and sends no end bookmark.
    ignored
};

/// Chances of the falsifications, "one in n", 0 = never. Shared by the world and the transport.
struct lies
{
    lies(detail::random_source source, detail::random_source of_forms, wire_form form, journal& j)
        : watches(form), random(source), forms_random(of_forms), notes(&j)
    {
    }

    /// Requests answered with 410, 429, 500, 503 or 504.
    std::uint64_t error_answers = 0;
    /// Events followed by a wrong one: an unknown type, a wrong kind, an object without metadata, the last bookmark
    /// again. Where watches are protobuf also falsified lists.
    std::uint64_t wrong_events = 0;
    /// Events instead of which the watch ends: with an ERROR event, in the middle of an event, or with a damaged one.
    std::uint64_t broken_ends = 0;
    /// Watches that end at once.
    std::uint64_t short_watches = 0;
    /// Lost bookmarks among those that end a streamed list.
    std::uint64_t lost_ends = 0;
    /// Requests and bodies that throw instead of failing: out of memory, or a defect in a user's own transport.
    std::uint64_t throws = 0;
    /// Requests to an address that swallows packets: they fail after 15 s.
    std::uint64_t dead_addresses = 0;
    /// Properties of the server, not faults: stop() does not change them. Kinds without protobuf are JSON anyway.
    streaming streams = streaming::offered;
    wire_form watches;
    /// The server has no watch cache when the first lists come: those at version 0 are paged.
    bool pages_at_zero = false;
    /// The server's cache stands still: lists that do not ask for the newest have this version, or theirs if that is newer, and
    /// watches from it or from older ones are refused. 0 = the cache is up to date.
    std::uint64_t stale_cache = 0;
    /// Number of those lists and of those watches.
    std::uint64_t stale_lists = 0, refused_watches = 0;
    /// Requests whose target contains this get 403. Empty = none.
    std::string forbidden = {};

    detail::random_source random;
    /// Used only by worlds with watches in protobuf, so that the other worlds stay unchanged.
    detail::random_source forms_random;
    journal* notes;

    void stop()
    {
        forbidden.clear();
        error_answers = wrong_events = broken_ends = short_watches = lost_ends = throws = dead_addresses = 0;
    }
    [[nodiscard]] bool falsifies_list()
    {
        return watches == wire_form::protobuf && wrong_events != 0 && one_in(forms_random, wrong_events);
    }
    [[nodiscard]] bool happens(std::uint64_t chance) { return chance != 0 && one_in(random, chance); }
};

/** Sits between the client and a truthful transport. Splits bodies of watches into pieces of random sizes.

    An added event never replaces a real one, so only early ends and errors lose events. A falsified list is one that
    must be refused. */
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
