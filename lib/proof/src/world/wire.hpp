// The connection between one start of the operator and the server: each runs on a runner of its own, so that the operator can end
// at any time, with all that it holds.
#pragma once

#include "world/traffic.hpp"

#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/transport.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::testing::detail {

/// An answer in the server's place.
struct planned_answer
{
    int status = 0;
    std::string reason = {};
    /// Without quotes.
    std::string message = {};
};

/// Decides over requests and sees them.
class traffic_master
{
public:
    virtual ~traffic_master() = default;
    /// A request is about to leave: sets its number, its end, and the answer of `answered_by_plan`.
    virtual void leaves(traffic& t, planned_answer& made_up) = 0;
    /// On the side of the server, before the request is performed. May wait, and change the request.
    virtual boost::asio::awaitable<void> arrives(const traffic& t, request& r) = 0;
    /// The server has answered. @param body  Empty for a watch.
    virtual void is_answered(const traffic& t, std::string_view body) = 0;
    /// An event of a watch, bookmarks included. @return whether it is lost.
    virtual bool loses(const traffic& t, std::string_view event) = 0;
    /// Before events are delivered. May wait.
    virtual boost::asio::awaitable<void> before_events() = 0;
};

/// One request in progress. On the thread of the check.
struct wire_call
{
    traffic seen;
    request sent;
    latch replied;
    answer_head head;
    /// Arrived, and not read yet.
    std::string bytes;
    kubecoro::detail::wake_signal news;
    bool ended = false;
    std::optional<failure> broken;
    task<void> carrying;
};

/// Shared by the transport of one start of the operator and the world.
class wire : public std::enable_shared_from_this<wire>
{
public:
    /// Answers in the place of a service.
    using player = std::function<client::raw_answer(const request&)>;

    /// @param server, master, application  Must outlive the wire's calls.
    wire(runner& server, std::shared_ptr<transport> direct, traffic_master& master, const player& application,
         unsigned life);

    /// For the operator's clients.
    [[nodiscard]] std::shared_ptr<transport> make_transport(bool to_application);

    /// From now on nothing leaves and nothing arrives.
    void sever();
    /// New requests wait for ever.
    void hold() noexcept { held_ = true; }
    /// The same for a time, in which the watches are broken as well.
    void cut_off(bool on);
    [[nodiscard]] bool holds() const noexcept { return held_ || cut_; }
    /// Ends all watches: with a broken connection, or with 410.
    void end_watches(bool expired);

    /// For the transport.
    [[nodiscard]] std::shared_ptr<wire_call> begin(request r, bool to_application, planned_answer& made_up);
    /// For the transport: sends it to the server.
    void carry(const std::shared_ptr<wire_call>& c);

private:
    static boost::asio::awaitable<result<>> carry_one(std::shared_ptr<wire> self, std::shared_ptr<wire_call> c);
    /// The service answers.
    void play(wire_call& c) const;
    boost::asio::awaitable<result<>> carry_body(wire_call& c, answer& from);
    /// The whole answer is there.
    void deliver(wire_call& c) const;
    boost::asio::awaitable<result<>> carry_events(wire_call& c, answer& from);

    runner* server_;
    std::shared_ptr<transport> direct_;
    traffic_master* master_;
    const player* application_;
    unsigned life_;
    bool held_ = false;
    bool cut_ = false;
    std::vector<std::weak_ptr<wire_call>> watches_;
    std::vector<std::weak_ptr<wire_call>> calls_;
};

} // namespace kubecoro::testing::detail
