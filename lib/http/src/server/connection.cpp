#include <kubecoro/http/detail/connection.hpp>

#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/dispatch.hpp>

#include <algorithm>
#include <limits>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Bytes written between two looks at whether the client makes progress.
constexpr std::size_t portion = 64 * 1024;
/// As in net/http: how long to read on so that the client receives the answer.
constexpr duration drain_time = std::chrono::milliseconds{500};
/// Bytes to read on, besides those of a body.
constexpr std::size_t drain_bytes = 256 * 1024;
/// How often one that waits looks for those that have to make way for it.
constexpr duration between_looks = std::chrono::milliseconds{200};
/// Head, body and end are joined up to this size: over TLS, each has a record of its own otherwise.
constexpr std::size_t most_joined = 16 * 1024;
constexpr std::string_view line_end = "\r\n";
constexpr duration::rep never = std::numeric_limits<duration::rep>::max();

/// Takes the first bytes of texts. A small rest goes along, because each write wakes the client.
server_stream::texts take_portion(server_stream::texts& from)
{
    std::size_t left = 0;
    for (const auto text : from) left += text.size();
    if (left >= portion + portion / 2) left = portion;
    server_stream::texts out;
    for (std::size_t i = 0; i < from.size(); ++i) {
        out[i] = from[i].substr(0, left);
        from[i].remove_prefix(out[i].size());
        left -= out[i].size();
    }
    return out;
}

http_reply too_many_requests()
{
    auto out = text_reply(429, "Too many requests, please try again later.\n");
    out.headers.emplace_back("Retry-After", "1");
    return out;
}

} // namespace

connection::connection(asio::any_io_executor strand, std::unique_ptr<server_stream> stream,
                       std::shared_ptr<connection_table> table, std::shared_ptr<http_service> service,
                       const connection_limits& limits, const asio::ip::address& from, bool encrypted)
    : strand_(std::move(strand)),
      stream_(std::move(stream)),
      table_(std::move(table)),
      service_(std::move(service)),
      limits_(limits),
      requests_(limits.http),
      body_share_(service_->bodies()),
      address_(from),
      client_(client_of(from)),
      encrypted_(encrypted),
      shaken_(!encrypted),
      deadline_(time_after(now(), limits.request_timeout).time_since_epoch().count()),
      last_(never),
      waits_since_(now().time_since_epoch().count()),
      answers_since_(never)
{
}

std::optional<time_point> connection::at(const std::atomic<duration::rep>& since) noexcept
{
    const duration::rep moment = since;
    if (moment == never) return std::nullopt;
    return time_point(duration(moment));
}

time_point connection::deadline() const noexcept
{
    return time_point(duration(std::min(deadline_.load(), last_.load())));
}

void connection::end_by(time_point when)
{
    deadline_ = when.time_since_epoch().count();
    table_->watch(deadline());
}

bool connection::holds(const client_turns& of) const noexcept
{
    return current_ != nullptr &&
           std::any_of(current_->held.begin(), current_->held.end(), [&of](const auto& t) { return t->holds(of); });
}

void connection::close(closing why)
{
    asio::dispatch(strand_, [self = shared_from_this(), why] { self->end(why, false); });
}

void connection::cut()
{
    asio::dispatch(strand_, [self = shared_from_this()] { self->end(closing::stopping, true); });
}

void connection::end(closing why, bool reset)
{
    const bool refused = awaits_turn_ && !shaken_ && why != closing::stopping;
    const bool between = shaken_ && current_ == nullptr && requests_.where() == request_reader::state::idle;
    if (why == closing::past_deadline && between) why = closing::idle;
    if (closed_ == closing::none) closed_ = refused ? closing::without_handshake : why;
    if (reset)
        stream_->cut();
    else
        stream_->close();
    // Wakes both coroutines even when neither waits on the socket: the reader may wait for room, serve() for input.
    done_ = input_ended_ = true;
    wake_.notify();
    room_.notify();
    if (pause_) pause_->cancel();
}

void connection::wind_up(time_point last)
{
    last_ = last.time_since_epoch().count();
    table_->watch(deadline());
    asio::dispatch(strand_, [self = shared_from_this()] {
        if (!self->shaken_) return self->end(closing::stopping, false);
        self->wake_.notify();
        if (self->pause_) self->pause_->cancel();
    });
}

asio::awaitable<result<>> connection::read(std::shared_ptr<connection> self)
{
    std::string buffer(self->limits_.input / 5, '\0');
    while (!self->done_) {
        if (self->flooded()) {
            const auto woken = co_await self->room_.wait();
            if (!woken) break;
            continue;
        }
        const auto got = co_await self->stream_->read_some(buffer.data(), buffer.size());
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
    const auto shaken = co_await self->shake_hands();
    turn after = turn::close;
    if (!shaken) {
        self->failed_ = shaken.error().describe();
    } else {
        self->peer_ = self->stream_->peer();
        if (tasks.spawn("reader of a connection", self->strand_, read(self))) {
            do after = co_await self->serve_one();
            while (after == turn::next_request);
        }
        if (!self->done_) co_await self->say_goodbye(after == turn::drain_and_close);
    }
    const closing why = self->closed_;
    self->end(closing::none, false);
    self->table_->forget(*self);
    self->service_->on_end(why, self->failed_);
    co_return result<>{};
}

asio::awaitable<result<>> connection::shake_hands()
{
    if (!encrypted_) co_return co_await stream_->handshake();
    // A client that sends nothing takes no turn: it costs nothing.
    KUBECORO_TRY(co_await stream_->wait_for_input());
    const bool may = co_await service_->await_handshake(*this);
    if (!may) co_return failure{cond::cancelled, "closed before the TLS handshake"};
    shaken_ = true;
    co_return co_await stream_->handshake();
}

asio::awaitable<void> connection::say_goodbye(bool drains)
{
    end_within(drain_time);
    // Over TLS nothing is read after the end has been sent.
    if (drains && !encrypted_) co_await stream_->shutdown();
    for (std::size_t drained = 0; drains && !input_ended_ && drained < 2 * limits_.http.body + drain_bytes;) {
        drained += input_.size();
        input_.clear();
        room_.notify();
        const auto woken = co_await wake_.wait();
        if (!woken) co_return;
    }
    if (!done_ && (encrypted_ || !drains)) co_await stream_->shutdown();
}

void connection::feed()
{
    input_.erase(0, requests_.feed(input_));
    if (!flooded()) room_.notify();
}

std::optional<http_reply> connection::refusal_of_bytes()
{
    using state = request_reader::state;
    const state now = requests_.where();
    if (now == state::idle || now == state::head) return std::nullopt;
    if (now != state::body && now != state::complete) return service_->refusal(now);
    if (!body_share_.resize(requests_.body_size())) return too_many_requests();
    return std::nullopt;
}

asio::awaitable<connection::arrival> connection::next_request()
{
    using state = request_reader::state;
    arrival out;
    state seen = state::idle;
    bool may_send = false;
    answer_deadline_ = time_point::max();
    end_within(limits_.idle_timeout);
    for (;;) {
        feed();
        const state now = requests_.where();
        out.refusal = refusal_of_bytes();
        if (out.refusal) co_return out;
        if (now == state::complete) {
            out.request = requests_.take();
            if (input_.empty()) input_.shrink_to_fit();
            co_return out;
        }
        if (input_ended_ || (now == state::idle && table_->closed())) co_return out;
        // The head and the body have one deadline each, which partial input does not extend.
        if (now != seen) end_within(limits_.request_timeout);
        seen = now;
        if (now == state::body && !may_send) {
            out.refusal = co_await service_->refuse_early(requests_.head(), *this);
            if (out.refusal) co_return out;
            may_send = true;
            continue;
        }
        if (requests_.wants_continue()) {
            const bool told = co_await send({go_on});
            if (!told) co_return out;
            end_within(limits_.request_timeout);
        }
        const auto woken = co_await wake_.wait();
        if (!woken) co_return out;
    }
}

asio::awaitable<connection::turn> connection::serve_one()
{
    waits_since_ = now().time_since_epoch().count();
    auto arrived = co_await next_request();
    waits_since_ = never;
    if (arrived.refusal) body_share_.release();
    if (!arrived.request && !arrived.refusal) co_return turn::close;
    answer_deadline_ = time_after(now(), limits_.answer_timeout);
    end_by(answer_deadline_);
    const bool may = co_await service_->await_answer(*this);
    if (!may) co_return turn::close;
    if (arrived.refusal) {
        const bool sent = co_await send_reply(*arrived.refusal, {});
        co_return sent ? turn::drain_and_close : turn::close;
    }
    incoming_request& request = *arrived.request;
    delivery how{
        .head_only = request.method == "HEAD", .keep_alive = request.keep_alive, .may_chunk = request.may_chunk};
    auto answered = co_await service_->answer(request, *this);
    body_share_.release();
    if (!answered || done_) co_return turn::close;
    const bool unbounded = answered->until_close || (answered->source && !how.may_chunk);
    how.keep_alive = how.keep_alive && !table_->closed() && !unbounded;
    const bool sent = co_await send_reply(*answered, how);
    co_return sent&& how.keep_alive ? turn::next_request : turn::close;
}

asio::awaitable<bool> connection::send_reply(http_reply& reply, delivery how)
{
    const std::size_t size = reply.body.shared ? reply.body.shared->size() : reply.body.own.size();
    framing frame = framing::length;
    if (how.may_chunk && (reply.source || (how.keep_alive && !how.head_only && size > limits_.counted_body)))
        frame = framing::chunked;
    if (reply.until_close || (reply.source && !how.may_chunk)) frame = framing::until_close;
    std::string head = format_head(reply.status, reply.headers, frame, size, how.keep_alive, table_->time().wall_now());
    answers_since_ = now().time_since_epoch().count();
    current_ = &reply;
    const bool sent = how.head_only ? co_await send({head}) : co_await send_body(reply, std::move(head), frame);
    current_ = nullptr;
    answers_since_ = never;
    co_return sent;
}

asio::awaitable<bool> connection::send_body(http_reply& reply, std::string head, framing frame)
{
    using step = body_source::step;
    body_part part = std::move(reply.body);
    step state = reply.source ? step::more : step::last;
    // False while a chunk lacks its line end, which comes with the next one's head.
    bool is_first = true;
    for (;;) {
        std::string_view bytes = part.shared ? *part.shared : part.own, tail;
        if (frame == framing::chunked) {
            bytes = frame_chunk(part.own, is_first);
            is_first = is_first && bytes.empty();
            if (state == step::last) tail = end_of_chunks(is_first);
            if (state == step::more && reply.live && !is_first) tail = line_end;
            is_first = is_first || reply.live;
        }
        const bool sent = co_await send_joined(head, bytes, tail);
        if (!sent || state == step::last) co_return sent;
        part.shared.reset();
        part.own = frame == framing::chunked ? room_for_chunk_head : std::string_view();
        if (reply.live) end_by(answer_deadline_ = time_point::max());
        state = co_await reply.source->next(part, *this);
        if (reply.live) answer_deadline_ = time_after(now(), limits_.answer_timeout);
        if (state == step::broken || done_) co_return false;
    }
}

asio::awaitable<bool> connection::send_joined(std::string& first, std::string_view bytes, std::string_view last)
{
    if (first.size() + bytes.size() + last.size() <= most_joined) {
        first += bytes;
        first += last;
        bytes = last = {};
    }
    const bool sent = co_await send({first, bytes, last});
    first.clear();
    co_return sent;
}

asio::awaitable<bool> connection::send(server_stream::texts bytes)
{
    const duration::rep before = waits_since_;
    while (!std::ranges::all_of(bytes, &std::string_view::empty)) {
        const auto next = take_portion(bytes);
        end_by(std::min(answer_deadline_, time_after(now(), limits_.write_timeout)));
        if (limits_.readers_give_way) waits_since_ = now().time_since_epoch().count();
        const auto written = co_await stream_->write(next);
        waits_since_ = before;
        end_by(answer_deadline_);
        if (!written) co_return false;
    }
    co_return true;
}

connection::turn_wait::turn_wait(connection& c) noexcept : of_(c), before_(c.waits_since_)
{
    of_.waits_since_ = of_.now().time_since_epoch().count();
    of_.awaits_turn_ = true;
}

connection::turn_wait::~turn_wait()
{
    of_.waits_since_ = before_;
    of_.awaits_turn_ = false;
}

asio::awaitable<bool> connection::await_turn(shared_turn& t, std::size_t units, time_point latest, bool begun)
{
    KUBECORO_EXPECT(runs_on(strand_));
    const auto said = t.ask(units);
    if (said != client_turns::step::waits) co_return said == client_turns::step::granted;
    pause_ = table_->time().make_timer(strand_);
    t.wakes(pause_.get());
    const turn_wait counted(*this);
    while (!t.granted() && !done_ && (begun || !table_->closed()) && now() < latest) {
        t.push();
        pause_->expires_at(std::min(latest, time_after(now(), between_looks)));
        // The turn, wind_up() and close() end the wait.
        [[maybe_unused]] const auto rung = co_await pause_->wait();
    }
    t.wakes(nullptr);
    co_return t.granted() && !done_;
}

asio::awaitable<bool> connection::take_turn(shared_turn& t, std::size_t units)
{
    return await_turn(t, units, std::min(time_point(duration(last_)), time_after(now(), limits_.answer_timeout / 2)));
}

asio::awaitable<void> connection::pause_until(time_point when)
{
    if (ends()) co_return;
    pause_ = table_->time().make_timer(strand_);
    pause_->expires_at(when);
    // wind_up() and close() end the wait early.
    [[maybe_unused]] const auto rung = co_await pause_->wait();
}

} // namespace kubecoro::detail
