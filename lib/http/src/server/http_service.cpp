#include <kubecoro/http/detail/http_service.hpp>

#include <kubecoro/http/detail/connection.hpp>
#include <kubecoro/http/detail/connection_table.hpp>

#include <algorithm>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// How long a client may take for 64 KiB while others wait for its room.
constexpr duration patience = std::chrono::seconds{1};
/// How long an answer has its room, while the client of another address waits that has less.
constexpr duration fair_time = std::chrono::seconds{3};

} // namespace

http_reply text_reply(int status, std::string text)
{
    http_reply out;
    out.status = status;
    out.headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
    out.body.own = std::move(text);
    return out;
}

asio::awaitable<bool> http_service::await_handshake(connection&) { co_return true; }
asio::awaitable<bool> http_service::await_answer(connection&) { co_return true; }

asio::awaitable<std::optional<http_reply>> http_service::refuse_early(const incoming_request&, connection&)
{
    co_return std::nullopt;
}

http_reply http_service::refusal(request_reader::state why)
{
    using state = request_reader::state;
    switch (why) {
    case state::head_too_large:
        return text_reply(431, "the request's headers are too large\n");
    case state::has_body:
        return text_reply(413, "requests have no body here\n");
    case state::body_too_large:
        return text_reply(413, "the request's body is too large\n");
    case state::unknown_coding:
        return text_reply(501, "the body's transfer coding is unknown\n");
    default:
        return text_reply(400, "not an HTTP/1.1 request\n");
    }
}

void http_service::on_accepted(bool) {}
void http_service::on_end(closing, const std::string&) {}

client_turns::limits fair_service::turns_of(std::size_t units) const
{
    return {.units = units, .addresses = table_->limit(), .waiters = table_->limit()};
}

fair_service::fair_service(std::shared_ptr<connection_table> table, const rates& in_a_second)
    : table_(std::move(table)),
      handshakes_(turns_of(), in_a_second.handshakes, 1 + in_a_second.handshakes / 5),
      requests_(turns_of(), in_a_second.requests, 1 + in_a_second.requests / 5),
      all_{&handshakes_, &requests_}
{
}

asio::awaitable<bool> fair_service::await_handshake(connection& by)
{
    shared_turn own(*this, handshakes_, by.client());
    co_return co_await by.await_turn(own);
}

asio::awaitable<bool> fair_service::await_answer(connection& by)
{
    shared_turn own(*this, requests_, by.client());
    co_return co_await by.await_turn(own);
}

time_point fair_service::now() const noexcept { return table_->time().now(); }

time_point fair_service::pass_on()
{
    const auto present = now();
    time_point due = time_point::max();
    for (auto* turns : all_) {
        while (auto* const next = turns->next(present)) next->on_turn();
        due = std::min(due, turns->due(present));
    }
    table_->watch(due);
    return due;
}

void fair_service::make_way(const client_turns& of)
{
    const time_point stalled = time_after(now(), -patience), old = time_after(now(), -fair_time);
    // One that waits for a turn itself is not slow.
    if (table_->make_room(
            [&](const connection& c) { return c.holds(of) && !c.awaits_turn() && *c.waits_since() <= stalled; }))
        return;
    const auto crowd = of.displaced();
    if (!crowd) return;
    table_->end_oldest_answer(
        [&](const connection& c) { return c.holds(of) && c.client() == *crowd && *c.answers_since() <= old; });
}

} // namespace kubecoro::detail
