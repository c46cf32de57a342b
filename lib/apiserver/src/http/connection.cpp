#include "http/connection.hpp"

#include <kubecoro/base/clock.hpp>

#include <boost/asio/post.hpp>

#include <array>
#include <limits>

namespace asio = boost::asio;

namespace kubecoro::apiserver {
namespace {

/// Larger than the limit of a head, so that the parser detects a head that is too long.
constexpr std::size_t input_bound = 80 * 1024;
/// Bytes of a long answer that are produced and sent at a time.
constexpr std::size_t part_of_answer = 256 * 1024;
constexpr std::size_t drain_bound = 8 * 1024 * 1024;
/// As in kube-apiserver: longer bodies are chunked.
constexpr std::size_t largest_counted_body = 2048;
/// As in net/http: how long to keep reading so that the client receives the answer.
constexpr duration drain_time = std::chrono::milliseconds{500};
constexpr duration goodbye = std::chrono::seconds{1};
constexpr duration::rep never = std::numeric_limits<duration::rep>::max();

} // namespace

connection::connection(asio::any_io_executor strand, std::unique_ptr<detail::server_stream> stream,
                       std::shared_ptr<server_engine> engine, connection_limits limits)
    : strand_(std::move(strand)),
      stream_(std::move(stream)),
      engine_(std::move(engine)),
      limits_(limits),
      requests_(limits.http),
      body_share_(engine_->bodies()),
      deadline_(never),
      last_(never),
      waits_since_(engine_->time().now().time_since_epoch().count())
{
}

void connection::deadline_in(duration d)
{
    deadline_ = time_after(engine_->time().now(), d).time_since_epoch().count();
}

void connection::drop(bool reset)
{
    if (reset)
        stream_->cut();
    else
        stream_->close();
    // Wakes both coroutines even when neither waits on the socket: the reader may wait for room, serve() for input.
    done_ = input_ended_ = true;
    wake_.notify();
    room_.notify();
}

void connection::cut()
{
    asio::post(strand_, [self = shared_from_this()] { self->drop(true); });
}

void connection::close()
{
    asio::post(strand_, [self = shared_from_this()] { self->drop(false); });
}

void connection::wind_up(time_point last)
{
    last_ = last.time_since_epoch().count();
    wake_.notify();
}

void connection::sweep(time_point now)
{
    if (now.time_since_epoch().count() < std::min(deadline_.load(), last_.load())) return;
    close();
}

std::optional<time_point> connection::waits_since() const
{
    const duration::rep since = waits_since_;
    if (since == never) return std::nullopt;
    return time_point(duration(since));
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
        self->engine_->log().debug("TLS handshake with a client failed", {{"failure", shaken.error().describe()}});
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

std::optional<http_response> connection::refusal_of_bytes()
{
    using state = request_reader::state;
    const state now = requests_.where();
    if (now == state::malformed || now == state::unknown_coding || now == state::head_too_large ||
        now == state::body_too_large)
        return refuse(now, limits_.http);
    if ((now == state::body || now == state::complete) && !body_share_.resize(requests_.body_size()))
        return too_many_requests();
    return std::nullopt;
}

asio::awaitable<connection::arrival> connection::next_message()
{
    using state = request_reader::state;
    arrival out;
    state seen = state::idle;
    bool may_send = false;
    deadline_in(limits_.idle_timeout);
    while (true) {
        feed();
        const state now = requests_.where();
        out.refusal = refusal_of_bytes();
        if (out.refusal) co_return out;
        if (now == state::complete) {
            out.message = requests_.take();
            co_return out;
        }
        if (input_ended_ || (now == state::idle && engine_->stopping())) co_return out;
        // The head and the body have one deadline each, which partial input does not extend.
        if (now != seen) deadline_in(limits_.request_timeout);
        seen = now;
        if (now == state::body && !may_send) {
            http_request head = requests_.head();
            head.user = user_;
            out.refusal = co_await engine_->refuse_early(head);
            if (out.refusal) co_return out;
            may_send = true;
            continue;
        }
        if (requests_.wants_continue()) {
            const bool told = co_await send(go_on);
            if (!told) co_return out;
            deadline_in(limits_.request_timeout);
        }
        auto woken = co_await wake_.wait();
        if (!woken) co_return out;
    }
}

asio::awaitable<connection::turn> connection::serve_one()
{
    waits_since_ = engine_->time().now().time_since_epoch().count();
    auto arrived = co_await next_message();
    waits_since_ = never;
    if (arrived.refusal) {
        body_share_.release();
        const bool garbage = requests_.where() == request_reader::state::malformed;
        const bool may_chunk = false;
        [[maybe_unused]] const turn after = co_await answer(*arrived.refusal, false, may_chunk);
        co_return garbage ? turn::close : turn::drain_and_close;
    }
    if (!arrived.message) co_return turn::close;
    request_reader::message& message = *arrived.message;
    const bool is_head = message.content.method == "HEAD";
    message.content.user = user_;
    deadline_ = never; // the server's own work has no deadline; watches are bounded by their writes
    std::function<bool()> gone = [this] { return input_ended_; };
    auto answered = co_await engine_->perform(std::move(message.content), wake_, std::move(gone));
    body_share_.release();
    if (!answered) co_return turn::close;
    if (answered->watch) co_return co_await stream_watch(*answered, message);
    if (is_head) {
        const std::string head = format_head(answered->response, framing::length, answered->response.body.size(),
                                             message.keep_alive, engine_->time().wall_now());
        const bool sent = co_await send(head);
        co_return sent&& message.keep_alive ? turn::next_request : turn::close;
    }
    co_return co_await answer(answered->response, message.keep_alive && !engine_->stopping(), message.may_chunk);
}

asio::awaitable<connection::turn> connection::answer(http_response& response, bool keep_alive, bool may_chunk)
{
    const std::string& body = response.body;
    framing how = framing::length;
    if (may_chunk && (response.rest || (keep_alive && body.size() > largest_counted_body))) how = framing::chunked;
    if (response.rest && !may_chunk) {
        how = framing::until_close;
        keep_alive = false;
    }
    std::string out = format_head(response, how, body.size(), keep_alive, engine_->time().wall_now());
    std::string part = std::move(response.body);
    while (true) {
        if (how != framing::chunked)
            out += part;
        else if (!part.empty())
            append_chunk(out, part);
        if (!response.rest) break;
        // The next part is produced after this one is sent: a client that does not read costs one part of memory.
        const bool sent = co_await send(out);
        if (!sent) co_return turn::close;
        out.clear();
        part.clear();
        if (!response.rest->next(part, part_of_answer)) response.rest.reset();
    }
    if (how == framing::chunked) out += last_chunk;
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
        // Ends the watch when its client has gone, or has sent so much that its end of input could not be detected.
        if (input_ended_ || input_.size() >= input_bound) co_return turn::close;
        if (piece.more) continue;
        auto woken = co_await wake_.wait();
        if (!woken) co_return turn::close;
    }
}

asio::awaitable<bool> connection::send(std::string_view bytes)
{
    // In portions, so that the time limit applies to progress and not to the whole of a large answer.
    constexpr std::size_t portion = part_of_answer;
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
