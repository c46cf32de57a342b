#include "connection.hpp"

#include <kubecoro/base/later.hpp>

#include <boost/asio/post.hpp>

#include <array>
#include <limits>

namespace asio = boost::asio;

namespace kubecoro::apiserver {
namespace {

/// More than a head may have, so that the parser sees one that is too long.
constexpr std::size_t input_bound = 80 * 1024;
constexpr std::size_t drain_bound = 8 * 1024 * 1024;
/// kube-apiserver's: longer bodies are chunked.
constexpr std::size_t largest_counted_body = 2048;
/// net/http's: how long to read on so that the client gets to see the answer.
constexpr duration drain_time = std::chrono::milliseconds{500};
constexpr duration goodbye = std::chrono::seconds{1};
constexpr duration::rep never = std::numeric_limits<duration::rep>::max();

} // namespace

connection::connection(asio::any_io_executor strand, std::unique_ptr<byte_stream> stream,
                       std::shared_ptr<server_engine> engine, connection_limits limits)
    : strand_(std::move(strand)),
      stream_(std::move(stream)),
      engine_(std::move(engine)),
      limits_(limits),
      requests_(limits.http),
      deadline_(never),
      last_(never)
{
}

void connection::deadline_in(duration d) { deadline_ = later(engine_->time().now(), d).time_since_epoch().count(); }

void connection::cut()
{
    asio::post(strand_, [self = shared_from_this()] { self->stream_->cut(); });
}

void connection::wind_up(time_point last)
{
    last_ = last.time_since_epoch().count();
    wake_.notify();
}

void connection::sweep(time_point now)
{
    if (now.time_since_epoch().count() < std::min(deadline_.load(), last_.load())) return;
    asio::post(strand_, [self = shared_from_this()] { self->stream_->close(); });
}

asio::awaitable<result<>> connection::read(std::shared_ptr<connection> self)
{
    std::array<char, 16 * 1024> buffer;
    while (!self->done_) {
        if (self->input_.size() >= input_bound) {
            auto woken = co_await self->room_.wait();
            if (!woken) break;
            continue;
        }
        auto got = co_await self->stream_->read_some(buffer.data(), buffer.size());
        if (!got || *got == 0) break;
        self->input_.append(buffer.data(), *got);
        self->wake_.notify();
    }
    self->input_ended_ = true;
    self->wake_.notify();
    co_return result<>{};
}

asio::awaitable<result<>> connection::serve(std::shared_ptr<connection> self, task_group& tasks)
{
    self->deadline_in(self->limits_.request_timeout);
    auto shaken = co_await self->stream_->handshake();
    if (!shaken) {
        self->engine_->log().debug("a client failed the handshake", {{"failure", shaken.error().describe()}});
        self->stream_->close();
        co_return result<>{};
    }
    if (auto peer = self->stream_->peer())
        self->user_ = user_info{std::move(peer->common_name), std::move(peer->organizations)};

    turn after = turn::close;
    if (tasks.spawn("embedded server: connection reader", self->strand_, read(self))) {
        do after = co_await self->serve_one();
        while (after == turn::next_request);
    }
    if (after == turn::drain_and_close) {
        self->deadline_in(drain_time);
        co_await self->drain();
    }
    self->deadline_in(goodbye);
    if (!self->input_ended_) co_await self->stream_->shutdown();
    self->done_ = true;
    self->stream_->close();
    self->room_.notify();
    co_return result<>{};
}

void connection::feed()
{
    input_.erase(0, requests_.feed(input_));
    if (input_.size() < input_bound) room_.notify();
}

asio::awaitable<std::optional<request_reader::message>> connection::next_message()
{
    using state = request_reader::state;
    state seen = state::idle;
    deadline_in(limits_.idle_timeout);
    while (true) {
        feed();
        const state now = requests_.where();
        if (now == state::complete) co_return requests_.take();
        if (now == state::malformed || now == state::head_too_large || now == state::body_too_large)
            co_return std::nullopt;
        if (input_ended_ || (now == state::idle && engine_->stopping())) co_return std::nullopt;
        // The head has its time, and the body has, however slowly either arrives.
        if (now != seen) deadline_in(limits_.request_timeout);
        seen = now;
        if (requests_.wants_continue()) {
            const bool told = co_await send(go_on);
            if (!told) co_return std::nullopt;
            deadline_in(limits_.request_timeout);
        }
        auto woken = co_await wake_.wait();
        if (!woken) co_return std::nullopt;
    }
}

asio::awaitable<connection::turn> connection::serve_one()
{
    auto message = co_await next_message();
    if (!message) {
        const auto where = requests_.where();
        if (where != request_reader::state::malformed && where != request_reader::state::head_too_large &&
            where != request_reader::state::body_too_large)
            co_return turn::close;
        const http_response refusal = refuse(where, limits_.http);
        [[maybe_unused]] const turn after = co_await answer(refusal, false);
        co_return where == request_reader::state::malformed ? turn::close : turn::drain_and_close;
    }
    const bool is_head = message->content.method == "HEAD";
    message->content.user = user_;
    deadline_ = never; // the server's own time; watches are bounded by their writes
    auto answered = co_await engine_->perform(std::move(message->content), wake_);
    if (!answered) co_return turn::close;
    if (answered->watch) co_return co_await stream_watch(*answered, *message);
    if (is_head) {
        const std::string head = format_head(answered->response, framing::length, answered->response.body.size(),
                                             message->keep_alive, engine_->time().wall_now());
        const bool sent = co_await send(head);
        co_return sent && message->keep_alive ? turn::next_request : turn::close;
    }
    co_return co_await answer(answered->response, message->keep_alive && !engine_->stopping());
}

asio::awaitable<connection::turn> connection::answer(const http_response& response, bool keep_alive)
{
    const std::string& body = response.body;
    const bool chunked = keep_alive && body.size() > largest_counted_body;
    std::string out = format_head(response, chunked ? framing::chunked : framing::length, body.size(), keep_alive,
                                  engine_->time().wall_now());
    if (chunked) {
        append_chunk(out, body);
        out += last_chunk;
    } else {
        out += body;
    }
    const bool sent = co_await send(out);
    co_return sent&& keep_alive ? turn::next_request : turn::close;
}

asio::awaitable<connection::turn> connection::stream_watch(engine_answer& opened,
                                                           const request_reader::message& message)
{
    const bool keep_alive = message.keep_alive && message.may_chunk;
    std::string out = format_head(opened.response, message.may_chunk ? framing::chunked : framing::until_close, 0,
                                  keep_alive, engine_->time().wall_now());
    while (true) {
        auto piece = co_await opened.watch->next();
        if (piece.cut) co_return turn::close;
        if (!piece.bytes.empty()) {
            if (message.may_chunk)
                append_chunk(out, piece.bytes);
            else
                out += piece.bytes;
        }
        if (piece.ended && message.may_chunk) out += last_chunk;
        if (!out.empty() && !co_await send(out)) co_return turn::close;
        out.clear();
        if (piece.ended) co_return keep_alive && !engine_->stopping() ? turn::next_request : turn::close;
        if (input_ended_) co_return turn::close;
        if (piece.more) continue;
        auto woken = co_await wake_.wait();
        if (!woken) co_return turn::close;
    }
}

asio::awaitable<bool> connection::send(std::string_view bytes)
{
    // In portions, so that the time limit is for progress and not for the whole of a large answer.
    constexpr std::size_t portion = 256 * 1024;
    bool sent = true;
    while (sent && !bytes.empty()) {
        deadline_in(limits_.write_timeout);
        const std::string_view now = bytes.substr(0, portion);
        auto written = co_await stream_->write(now);
        sent = written.has_value();
        bytes.remove_prefix(now.size());
    }
    deadline_ = never;
    co_return sent;
}

asio::awaitable<void> connection::drain()
{
    std::size_t drained = 0;
    while (!input_ended_ && drained < drain_bound) {
        drained += input_.size();
        input_.clear();
        room_.notify();
        auto woken = co_await wake_.wait();
        if (!woken) co_return;
    }
}

} // namespace kubecoro::apiserver
