#include "http/connection.hpp"

#include "server/server_engine.hpp"

#include <kubecoro/base/saturating_time.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <exception>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Bytes written between two looks at whether the client makes progress.
constexpr std::size_t portion = 64 * 1024;
constexpr std::size_t read_size = 4096;
/// As in net/http: how long, and how much, to read on so that the client receives a refusal.
constexpr duration drain_time = std::chrono::milliseconds{500};
constexpr std::size_t drain_bytes = 256 * 1024;
/// Turns of the strand within which a connection ends that was closed.
constexpr int turns_to_end = 8;

http_answer refusal_of(request_reader::state why)
{
    switch (why) {
    case request_reader::state::head_too_large:
        return plain_answer(431, "the request's headers are too large\n");
    case request_reader::state::has_body:
        return plain_answer(413, "requests have no body here\n");
    default:
        return plain_answer(400, "not an HTTP/1.1 request\n");
    }
}

} // namespace

connection::connection(std::unique_ptr<server_stream> stream, std::shared_ptr<server_engine> engine, client_id client,
                       bool encrypted)
    : stream_(std::move(stream)),
      engine_(std::move(engine)),
      requests_(engine_->limits().max_head_bytes),
      deadline_(time_after(engine_->now(), engine_->limits().read_timeout)),
      waits_since_(engine_->now()),
      client_(client),
      encrypted_(encrypted)
{
}

void connection::end_within(duration d)
{
    deadline_ = std::min(time_after(engine_->now(), d), last_);
    engine_->table().watch(deadline_);
}

void connection::close(closing why)
{
    const bool refused = awaits_turn_ && why != closing::stopping;
    if (closed_ == closing::none) closed_ = refused ? closing::without_handshake : why;
    stream_->close();
    if (pause_) pause_->cancel();
}

void connection::wind_up(time_point last)
{
    last_ = last;
    if (idle_) return close(closing::stopping);
    if (pause_) pause_->cancel(); // a stream ends between two snapshots
    deadline_ = std::min(deadline_, last_);
    engine_->table().watch(deadline_);
}

asio::awaitable<result<>> connection::serve(std::shared_ptr<connection> self)
{
    auto shaken = co_await self->shake_hands();
    turn after = turn::close;
    if (!shaken)
        self->failed_ = shaken.error().describe();
    else
        do after = co_await self->serve_one();
        while (after == turn::next_request);
    if (after == turn::drain_and_close) co_await self->drain();
    if (self->closed_ == closing::none && self->failed_.empty()) {
        self->end_within(drain_time);
        co_await self->stream_->shutdown();
    }
    self->stream_->close();
    self->report_end();
    co_return result<>{};
}

void connection::begin_handshake()
{
    awaits_turn_ = false;
    if (pause_) pause_->cancel();
}

asio::awaitable<result<>> connection::shake_hands()
{
    if (!encrypted_) co_return co_await stream_->handshake();
    // A client that sends nothing takes no turn: it costs nothing.
    auto arrived = co_await stream_->wait_for_input();
    if (!arrived) co_return arrived;
    if (!engine_->table().may_shake_hands(*this)) co_await await_turn();
    if (closed_ != closing::none) co_return failure{cond::cancelled, "closed before the TLS handshake"};
    co_return co_await stream_->handshake();
}

asio::awaitable<void> connection::await_turn()
{
    const struct place
    {
        connection& of;
        ~place() { of.engine_->table().stops_waiting(of); }
    } held{*this};
    pause_ = engine_->time().make_timer(engine_->strand());
    awaits_turn_ = true;
    while (awaits_turn_ && closed_ == closing::none) {
        pause_->expires_at(time_point::max());
        // begin_handshake(), wind_up() and close() end the wait.
        [[maybe_unused]] const auto rung = co_await pause_->wait();
    }
    awaits_turn_ = false;
    pause_.reset();
}

void connection::report_end()
{
    engine_->table().forget(*this);
    engine_->on_end(closed_, failed_);
}

asio::awaitable<bool> connection::read_more()
{
    std::array<char, read_size> buffer;
    waits_since_ = engine_->now();
    auto got = co_await stream_->read_some(buffer.data(), buffer.size());
    waits_since_.reset();
    if (!got || *got == 0) co_return false;
    input_.append(buffer.data(), *got);
    co_return true;
}

asio::awaitable<bool> connection::await_request()
{
    using state = request_reader::state;
    idle_ = input_.empty();
    end_within(idle_ ? engine_->limits().idle_timeout : engine_->limits().read_timeout);
    for (;;) {
        input_.erase(0, requests_.feed(input_));
        const state now = requests_.where();
        if (now != state::idle && now != state::head) co_return true;
        if (idle_ && engine_->stopping()) co_return false;
        const bool more = co_await read_more();
        if (!more) co_return false;
        // The whole request has one deadline, which partial input does not extend.
        if (idle_) end_within(engine_->limits().read_timeout);
        idle_ = false;
    }
}

asio::awaitable<connection::turn> connection::serve_one()
{
    const bool arrived = co_await await_request();
    if (!arrived) co_return turn::close;
    if (requests_.where() != request_reader::state::complete) co_return co_await refuse();
    request_head request = requests_.take();
    if (input_.empty()) input_.shrink_to_fit();
    const bool head_only = request.method == "HEAD";
    bool keep_alive = request.keep_alive;
    end_within(engine_->limits().answer_timeout);
    auto answer = co_await engine_->answer(std::move(request));
    const std::size_t bytes = answer.parts ? portion : body_of(answer).size();
    answer_budget::share held(engine_->budget(), bytes);
    holds_answer_ = static_cast<bool>(held);
    if (!holds_answer_) {
        auto making = make_room(held, bytes);
        holds_answer_ = co_await std::move(making);
    }
    if (!holds_answer_) answer = engine_->no_room();
    keep_alive = keep_alive && !engine_->stopping() && !answer.stream;
    std::string out = head_of(answer, keep_alive, engine_->wall_now());
    if (!head_only) out += answer.body;
    answer.body = {};
    sends_ = head_only ? nullptr : answer.page;
    bool sent = co_await send(out);
    if (sent && answer.shared_body && !head_only) sent = co_await send(*answer.shared_body);
    answer.shared_body.reset();
    if (sent && answer.parts && !head_only) {
        auto sending = send_parts(std::move(answer.parts), held);
        sent = co_await std::move(sending);
    }
    sends_ = nullptr;
    holds_answer_ = false;
    if (sent && answer.stream && !head_only) {
        auto streaming = stream(*answer.stream);
        co_await std::move(streaming);
    }
    co_return sent&& keep_alive ? turn::next_request : turn::close;
}

asio::awaitable<bool> connection::make_room(answer_budget::share& held, std::size_t bytes)
{
    if (bytes > engine_->budget().limit()) co_return false;
    while (engine_->end_stalled_answer())
        for (int i = 0; i < turns_to_end; ++i) {
            co_await asio::post(asio::use_awaitable);
            if (held.resize(bytes)) co_return true;
        }
    co_return false;
}

asio::awaitable<connection::turn> connection::refuse()
{
    const http_answer answer = engine_->count(refusal_of(requests_.where()));
    end_within(engine_->limits().answer_timeout);
    const std::string out = head_of(answer, false, engine_->wall_now()) + answer.body;
    const bool sent = co_await send(out);
    co_return sent ? turn::drain_and_close : turn::close;
}

asio::awaitable<bool> connection::send(std::string_view bytes)
{
    while (!bytes.empty()) {
        // A small rest goes along, because each write wakes the client.
        const auto now = bytes.size() < portion + portion / 2 ? bytes : bytes.substr(0, portion);
        waits_since_ = engine_->now();
        auto written = co_await stream_->write(now);
        waits_since_.reset();
        if (!written) co_return false;
        bytes.remove_prefix(now.size());
    }
    co_return true;
}

asio::awaitable<void> connection::stream(snapshot_feed::seat& seat)
{
    pause_ = engine_->time().make_timer(engine_->strand());
    const time_point end = time_after(engine_->now(), engine_->limits().stream_time);
    while (closed_ == closing::none && !engine_->stopping() && engine_->now() < end) {
        const time_point begin = engine_->now();
        const auto next = seat.next(begin);
        engine_->on_debug_page(begin);
        if (const auto* snapshot = std::get_if<std::shared_ptr<const std::string>>(&next)) {
            // Counted for each stream, though they share it: a stalled one keeps its own alive.
            const answer_budget::share held(engine_->budget(), (*snapshot)->size());
            if (!held) co_return;
            end_within(engine_->limits().answer_timeout);
            const bool sent = co_await send(**snapshot);
            if (!sent) co_return;
            continue;
        }
        deadline_ = last_; // waits for itself
        pause_->expires_at(std::min(std::get<time_point>(next), end));
        // wind_up() and close() end the wait early.
        [[maybe_unused]] const auto rung = co_await pause_->wait();
    }
}

asio::awaitable<bool> connection::send_parts(body_parts parts, answer_budget::share& held)
{
    std::string part;
    bool is_first = true;
    for (bool follows = true; follows;) {
        auto waiting = await_part();
        co_await std::move(waiting);
        if (closed_ != closing::none) co_return false;
        part = room_for_chunk_head;
        std::string_view chunk;
        try {
            const auto counted = engine_->part_cost();
            follows = parts(part);
            chunk = frame_chunk(part, is_first);
        } catch (const std::exception& e) {
            // The client learns it from the missing end.
            engine_->on_broken_off(e.what());
            co_return false;
        }
        // One that is larger than others has been made by now, but is not held while its client stalls.
        if (!held.resize(std::max(portion, part.capacity()))) {
            engine_->on_broken_off("too many answers wait for their clients");
            co_return false;
        }
        // A page may look through much without finding anything: others have their turns all the same.
        if (chunk.empty()) {
            co_await asio::post(asio::use_awaitable);
            continue;
        }
        is_first = false;
        const bool sent = co_await send(chunk);
        if (!sent) co_return false;
    }
    const bool sent = co_await send(end_of_chunks(is_first));
    co_return sent;
}

asio::awaitable<void> connection::await_part()
{
    duration wait = engine_->part_wait();
    if (wait == duration::zero()) co_return;
    pause_ = engine_->time().make_timer(engine_->strand());
    for (; wait > duration::zero() && closed_ == closing::none; wait = engine_->part_wait()) {
        pause_->expires_at(time_after(engine_->now(), wait));
        // wind_up() and close() end the wait early.
        [[maybe_unused]] const auto rung = co_await pause_->wait();
    }
    pause_.reset();
}

asio::awaitable<void> connection::drain()
{
    end_within(drain_time);
    co_await stream_->shutdown();
    for (std::size_t drained = 0; drained < drain_bytes; drained += input_.size()) {
        input_.clear();
        const bool more = co_await read_more();
        if (!more) co_return;
    }
}

} // namespace kubecoro::detail
