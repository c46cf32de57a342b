#include "server/connection.hpp"

#include "server/server_engine.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/try.hpp>

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
/// How often one that waits looks for those that have to make way for it.
constexpr duration between_looks = std::chrono::milliseconds{200};
/// A larger answer counts as endpoint_limits::max_answer_bytes: refusals and probes wait for nothing.
constexpr std::size_t small_answer = 4096;

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

connection::connection(std::unique_ptr<server_stream> stream, std::shared_ptr<server_engine> engine,
                       const asio::ip::address& from, bool encrypted)
    : stream_(std::move(stream)),
      engine_(std::move(engine)),
      requests_(engine_->limits().max_head_bytes),
      deadline_(time_after(engine_->now(), engine_->limits().read_timeout)),
      waits_since_(engine_->now()),
      address_(from),
      client_(client_of(from)),
      encrypted_(encrypted),
      shaken_(!encrypted)
{
}

void connection::end_within(duration d)
{
    deadline_ = std::min(time_after(engine_->now(), d), last_);
    engine_->table().watch(deadline_);
}

void connection::close(closing why)
{
    const bool refused = awaits_turn_ && !shaken_ && why != closing::stopping;
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
    next_step after = next_step::close;
    if (!shaken)
        self->failed_ = shaken.error().describe();
    else
        do after = co_await self->serve_one();
        while (after == next_step::request);
    if (after == next_step::drain_and_close) co_await self->drain();
    if (self->closed_ == closing::none && self->failed_.empty()) {
        self->end_within(drain_time);
        co_await self->stream_->shutdown();
    }
    self->stream_->close();
    self->report_end();
    co_return result<>{};
}

asio::awaitable<result<>> connection::shake_hands()
{
    if (!encrypted_) co_return co_await stream_->handshake();
    // A client that sends nothing takes no turn: it costs nothing.
    KUBECORO_TRY(co_await stream_->wait_for_input());
    {
        shared_turn own(*engine_, engine_->handshakes(), client_);
        const bool may = co_await await_turn(own, 0, time_point::max());
        if (!may) co_return failure{cond::cancelled, "closed before the TLS handshake"};
    }
    shaken_ = true;
    co_return co_await stream_->handshake();
}

connection::turn_wait::turn_wait(connection& c) noexcept : of_(c), before_(c.waits_since_)
{
    of_.waits_since_ = of_.engine_->now();
    of_.awaits_turn_ = true;
}

connection::turn_wait::~turn_wait()
{
    of_.waits_since_ = before_;
    of_.awaits_turn_ = false;
}

asio::awaitable<bool> connection::await_turn(shared_turn& t, std::size_t units, time_point latest, bool begun)
{
    const auto said = t.ask(units);
    if (said != client_turns::step::waits) co_return said == client_turns::step::granted;
    pause_ = engine_->time().make_timer(engine_->strand());
    t.wakes(pause_.get());
    const turn_wait counted(*this);
    const auto ended = [&] { return closed_ != closing::none || (engine_->stopping() && !begun); };
    for (auto now = engine_->now(); !t.granted() && !ended() && now < latest; now = engine_->now()) {
        t.push();
        pause_->expires_at(std::min(latest, time_after(now, between_looks)));
        // The turn, wind_up() and close() end the wait.
        [[maybe_unused]] const auto rung = co_await pause_->wait();
    }
    t.wakes(nullptr);
    co_return t.granted() && closed_ == closing::none;
}

asio::awaitable<bool> connection::take_turn(shared_turn& t, std::size_t units)
{
    return await_turn(t, units, std::min(last_, time_after(engine_->now(), engine_->limits().answer_timeout / 2)));
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

asio::awaitable<connection::next_step> connection::serve_one()
{
    const bool arrived = co_await await_request();
    if (!arrived) co_return next_step::close;
    end_within(engine_->limits().answer_timeout);
    {
        shared_turn own(*engine_, engine_->requests(), client_);
        const bool may = co_await await_turn(own, 0, time_point::max());
        if (!may) co_return next_step::close;
    }
    if (requests_.where() != request_reader::state::complete) co_return co_await refuse();
    const request_head request = requests_.take();
    if (input_.empty()) input_.shrink_to_fit();
    shared_turn held(*engine_, engine_->bytes(), client_);
    auto answer = co_await answer_in_room(request, held);
    if (closed_ != closing::none) co_return next_step::close;
    engine_->count(answer, request);
    const bool keep_alive = request.keep_alive && !engine_->stopping() && !answer.endless;
    const bool sent = co_await send_answer(std::move(answer), request.method == "HEAD", keep_alive, held);
    co_return sent&& keep_alive ? next_step::request : next_step::close;
}

asio::awaitable<http_answer> connection::answer_in_room(const request_head& request, shared_turn& held)
{
    const auto size_of = [](const http_answer& a) { return a.parts ? portion : body_of(a).size(); };
    auto out = co_await engine_->answer(request, *this);
    const auto size = size_of(out);
    if (size <= small_answer) co_return out;
    // One that has to wait is made again in its turn: it would take the room that it waits for.
    const bool kept = held.ask_now(size);
    if (!kept && !out.parts) out = {};
    if (!kept) {
        const bool may = co_await take_turn(held, size);
        if (!may) co_return engine_->no_room();
    }
    if (!kept && !out.parts) out = co_await engine_->answer(request, *this);
    if (!held.resize(size_of(out))) co_return engine_->no_room();
    co_return out;
}

asio::awaitable<bool> connection::send_answer(http_answer answer, bool head_only, bool keep_alive, shared_turn& held)
{
    std::string out = head_of(answer, keep_alive, engine_->wall_now());
    if (!head_only) out += answer.body;
    answer.body = {};
    answers_since_ = engine_->now();
    holds_answer_ = held.granted();
    sends_ = head_only ? nullptr : answer.page;
    bool sent = co_await send(out);
    if (sent && answer.shared_body && !head_only) sent = co_await send(*answer.shared_body);
    answer.shared_body.reset();
    if (sent && answer.parts && !head_only) sent = co_await send_parts(std::move(answer.parts), held);
    if (sent && answer.stream && !head_only) {
        streams_ = true;
        co_await stream(*answer.stream);
    }
    streams_ = false;
    sends_ = nullptr;
    holds_answer_ = false;
    answers_since_.reset();
    co_return sent;
}

asio::awaitable<connection::next_step> connection::refuse()
{
    const http_answer answer = refusal_of(requests_.where());
    engine_->count(answer);
    const std::string out = head_of(answer, false, engine_->wall_now()) + answer.body;
    const bool sent = co_await send(out);
    co_return sent ? next_step::drain_and_close : next_step::close;
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
    const time_point end = time_after(engine_->now(), engine_->limits().stream_time);
    while (closed_ == closing::none && !engine_->stopping() && engine_->now() < end) {
        const time_point begin = engine_->now();
        const auto next = seat.next(begin);
        engine_->on_debug_page(begin);
        if (const auto* snapshot = std::get_if<std::shared_ptr<const std::string>>(&next)) {
            // Counted for each stream, though they share it: a stalled one keeps its own alive.
            shared_turn held(*engine_, engine_->bytes(), client_);
            end_within(engine_->limits().answer_timeout);
            const bool may = co_await take_turn(held, (*snapshot)->size());
            if (!may) co_return;
            const bool sent = co_await send(**snapshot);
            if (!sent) co_return;
            continue;
        }
        deadline_ = last_; // waits for itself
        pause_ = engine_->time().make_timer(engine_->strand());
        pause_->expires_at(std::min(std::get<time_point>(next), end));
        // wind_up() and close() end the wait early.
        [[maybe_unused]] const auto rung = co_await pause_->wait();
    }
}

asio::awaitable<bool> connection::send_parts(body_parts parts, shared_turn& held)
{
    std::string part;
    bool is_first = true;
    for (bool follows = true; follows;) {
        std::string_view chunk;
        {
            shared_turn own(*engine_, engine_->parts(), client_);
            const bool may = co_await await_turn(own, 1, time_point::max(), true);
            if (!may) co_return false;
            part = room_for_chunk_head;
            try {
                own.begin_work();
                follows = parts(part);
                chunk = frame_chunk(part, is_first);
            } catch (const std::exception& e) {
                // The client learns it from the missing end.
                engine_->on_broken_off(e.what());
                co_return false;
            }
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
