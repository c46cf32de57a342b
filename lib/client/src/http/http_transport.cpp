#include "http/http_transport.hpp"

#include "http/request_text.hpp"
#include "http/retry_core.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

constexpr std::size_t first_buffer = 16 * 1024;
// Maximum growth of a buffer that reads keep filling: holds several dozen events and still fits the CPU cache.
constexpr std::size_t busy_buffer = 128 * 1024;
// The beginning of a body, which is never kept waiting: most bodies are shorter.
constexpr std::size_t read_at_once = 64 * 1024;
// A watch that had no bytes for as long waits for the next ones without buffers, which are some 30 KB.
constexpr std::chrono::seconds quiet_after{1};
// Such as the end of a chunk, which is parsed with the next one.
constexpr std::size_t most_aside = 1024;

/// A stream with the bytes read from it but not yet parsed.
class connection
{
public:
    explicit connection(std::unique_ptr<byte_stream> s) : stream_(std::move(s)) {}

    byte_stream& stream() noexcept { return *stream_; }
    /// Whether it was idle after carrying another request.
    [[nodiscard]] bool reused() const noexcept { return reused_; }
    [[nodiscard]] std::string_view pending() const noexcept { return {buffer_.get() + begin_, end_ - begin_}; }
    void consume(std::size_t n) noexcept { begin_ += n; }

    /// The space for the next read, after the pending bytes.
    result<std::span<char>> room(std::size_t max_pending)
    {
        if (end_ - begin_ == capacity_) {
            if (capacity_ >= max_pending) return failure(cond::corrupt, "a header of the response is too long");
            move_to(std::max(first_buffer, capacity_ * 2));
        } else if (busy_ && capacity_ < busy_buffer) {
            move_to(capacity_ * 2);
        } else if (begin_ > 0) {
            std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
        }
        return std::span(buffer_.get() + end_, capacity_ - end_);
    }
    /// Reports that n bytes were read into the room.
    void add(std::size_t n) noexcept
    {
        end_ += n;
        busy_ = end_ == capacity_;
    }

    /// Waits without a buffer for the next bytes, with what is pending aside; nothing to await if there may be some.
    std::optional<asio::awaitable<result<>>> pause()
    {
        auto waiting = stream_->pause();
        if (waiting) shrink_buffer();
        return waiting;
    }

    /// Makes ready for another request.
    void rest()
    {
        KUBECORO_EXPECT(pending().empty());
        stream_->set_bulk(false);
        stream_->set_may_end(false);
        shrink_buffer();
        reused_ = true;
    }

private:
    void shrink_buffer()
    {
        move_to(end_ - begin_);
        busy_ = false;
    }

    /// Moves the pending bytes to a buffer of that size, whose rest is not cleared: most bodies fill a small part.
    void move_to(std::size_t capacity)
    {
        auto other = capacity == 0 ? nullptr : std::make_unique_for_overwrite<char[]>(capacity);
        const auto kept = pending();
        std::copy(kept.begin(), kept.end(), other.get());
        buffer_ = std::move(other);
        capacity_ = capacity;
        end_ = kept.size();
        begin_ = 0;
    }

    std::unique_ptr<byte_stream> stream_;
    std::unique_ptr<char[]> buffer_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    /// The last read filled the buffer, so more is available.
    bool busy_ = false;
    bool reused_ = false;
};

/// The idle connections; thread safe.
class idle_pool
{
public:
    idle_pool(pool_limits limits, std::shared_ptr<time_source> time) : time_(std::move(time)), core_(limits) {}

    std::unique_ptr<connection> take()
    {
        std::vector<std::unique_ptr<connection>> closing;
        std::unique_lock lock(mutex_);
        close(core_.expire(time_->now()), closing);
        // Those in use when the settings changed do not come back: the retired ones are the oldest.
        for (auto id = core_.oldest(); id && connections_.at(*id)->stream().retired(); id = core_.oldest())
            close(core_.remove_oldest(), closing);
        while (auto id = core_.take()) {
            auto found = connections_.extract(*id);
            auto picked = std::move(found.mapped());
            if (picked->stream().quiet()) return picked;
            closing.push_back(std::move(picked));
        }
        return nullptr;
    }

    void put(std::unique_ptr<connection> c)
    {
        c->rest();
        std::vector<std::unique_ptr<connection>> closing;
        std::unique_lock lock(mutex_);
        const auto id = next_id_++;
        connections_.emplace(id, std::move(c));
        close(core_.put(id, time_->now()), closing);
    }

private:
    // Sockets are closed after the lock is released: `into` belongs to the caller, declared before its lock.
    void close(const std::vector<connection_pool_core::id>& ids, std::vector<std::unique_ptr<connection>>& into)
    {
        for (auto id : ids) into.push_back(std::move(connections_.extract(id).mapped()));
    }

    std::shared_ptr<time_source> time_;
    std::mutex mutex_;
    connection_pool_core core_;
    connection_pool_core::id next_id_ = 1;
    std::unordered_map<connection_pool_core::id, std::unique_ptr<connection>> connections_;
};

/// The parser must see at once a head, or a chunk header with its extensions.
constexpr std::size_t max_pending(const http_limits& limits) { return limits.max_head_bytes + first_buffer; }

class http_answer final : public answer
{
public:
    http_answer(std::shared_ptr<idle_pool> pool, std::unique_ptr<connection> c, http_parser parser,
                const http_options& options, std::shared_ptr<time_source> time)
        : pool_(std::move(pool)),
          time_(std::move(time)),
          connection_(std::move(c)),
          parser_(std::move(parser)),
          limits_(options.http),
          patience_(options.patience),
          patience_after_idling_(options.patience_after_idling)
    {
    }

    const answer_head& head() const noexcept override { return parser_.head(); }

    /// Sends the request and reads until the head has arrived. Body bytes read with it wait in body_.
    asio::awaitable<result<>> start(std::string text)
    {
        if (connection_->reused()) connection_->stream().set_patience(patience_after_idling_);
        auto sent = co_await connection_->stream().write(text);
        // A server may respond and close before it has read everything: its response takes precedence over the broken
        // pipe.
        if (!sent && sent.error().condition() != cond::unreachable) co_return sent;
        whole_request_sent_ = sent.has_value();
        auto read = co_await read_until(&http_answer::head_there);
        if (!read && !sent && !parser_.got_some()) co_return sent;
        if (read && connection_->reused()) connection_->stream().set_patience(patience_);
        co_return read;
    }

    /// Describes a start() that failed.
    [[nodiscard]] broken_attempt attempt(std::string_view method, unsigned earlier, cond why) const noexcept
    {
        return {.method = method,
                .earlier = earlier,
                .reused = connection_->reused(),
                .wholly_sent = whole_request_sent_,
                .answer_begun = parser_.got_some(),
                .why = why};
    }

    asio::awaitable<result<std::string_view>> read_some() override { return catch_failure(next_piece()); }

    std::string_view read_arrived() override
    {
        if (!connection_) return {};
        // The parser keeps a failure and reports it again when read_some() is called.
        while (body_.empty()) {
            const auto stepped = understand();
            if (!stepped || !*stepped) break;
        }
        if (body_.empty() && parser_.done()) release();
        return std::exchange(body_, std::string_view{});
    }

    bool at_end() const noexcept override { return !connection_ && parser_.done(); }

    void read_in_bulk(bool on) noexcept override
    {
        in_bulk_ = on;
        if (!on && connection_) connection_->stream().set_bulk(false);
    }

    void may_end_early() noexcept override
    {
        may_end_ = true;
        if (connection_) connection_->stream().set_may_end(true);
    }

    bool ended_early() const noexcept override { return ended_early_; }

private:
    asio::awaitable<result<std::string_view>> next_piece()
    {
        if (failed_) co_return *failed_;
        if (ended_early_) co_return std::string_view();
        interrupted_unless_finished running(*this);
        if (!piece_there()) {
            const auto read = co_await read_until(&http_answer::piece_there);
            if (!read && may_end_ && connection_->stream().retired() && read.error() != cond::cancelled) {
                ended_early_ = running.finished = true;
                connection_.reset();
                co_return std::string_view();
            }
            if (!read) {
                running.why = read.error();
                co_return read.error();
            }
        }
        if (body_.empty()) release();
        running.finished = true;
        co_return std::exchange(body_, std::string_view{});
    }

    // A cancellation may also leave a co_await as an exception: the connection is dropped either way.
    struct interrupted_unless_finished
    {
        explicit interrupted_unless_finished(http_answer& a) : owner(a) {}
        ~interrupted_unless_finished()
        {
            if (finished) return;
            owner.failed_ = std::move(why);
            owner.connection_.reset();
        }
        interrupted_unless_finished(const interrupted_unless_finished&) = delete;
        interrupted_unless_finished& operator=(const interrupted_unless_finished&) = delete;
        http_answer& owner;
        failure why{cond::cancelled};
        bool finished = false;
    };

    // Parses some of the pending bytes; false when more are needed. Body bytes found stay in body_.
    result<bool> understand()
    {
        const auto pending = connection_->pending();
        if (pending.empty() || parser_.done()) return false;
        auto fed = parser_.feed(pending);
        if (!fed) return fed.error();
        connection_->consume(fed->consumed);
        body_ = fed->body;
        return fed->consumed > 0;
    }

    [[nodiscard]] bool head_there() const noexcept { return parser_.head_done(); }
    [[nodiscard]] bool piece_there() const noexcept { return !body_.empty() || parser_.done(); }

    // A single coroutine for all steps, because each event of a quiet watch passes through here.
    asio::awaitable<result<>> read_until(bool (http_answer::*reached)() const noexcept)
    {
        while (!(this->*reached)()) {
            KUBECORO_TRY(const auto understood, understand());
            if (understood) continue;
            if (auto pause = pause_if_quiet()) {
                KUBECORO_TRY(co_await std::move(*pause));
            }
            KUBECORO_TRY(const auto room, connection_->room(max_pending(limits_)));
            if (in_bulk_ && received_ >= read_at_once) connection_->stream().set_bulk(true);
            KUBECORO_TRY(auto n, co_await connection_->stream().read_some(room.data(), room.size()));
            connection_->add(n);
            received_ += n;
            if (may_end_) note_arrival();
            if (n > 0) continue;
            if (auto ended = parser_.end_of_input(); !ended) co_return ended;
        }
        co_return result<>{};
    }

    std::optional<asio::awaitable<result<>>> pause_if_quiet()
    {
        // A server takes longer to answer than a buffer takes to be made.
        const bool is_awaited = !parser_.got_some();
        const bool is_quiet = may_end_ && quiet_ && !in_bulk_;
        if ((!is_awaited && !is_quiet) || connection_->pending().size() > most_aside) return {};
        return connection_->pause();
    }

    void note_arrival()
    {
        const auto now = time_->now();
        quiet_ = now - last_arrival_ >= quiet_after;
        last_arrival_ = now;
    }

    void release()
    {
        if (!connection_) return;
        const bool is_current = !connection_->stream().retired();
        if (is_current && whole_request_sent_ && parser_.keep_alive() && connection_->pending().empty())
            pool_->put(std::move(connection_));
        connection_.reset();
    }

    std::shared_ptr<idle_pool> pool_;
    std::shared_ptr<time_source> time_;
    std::unique_ptr<connection> connection_;
    http_parser parser_;
    http_limits limits_;
    duration patience_;
    duration patience_after_idling_;
    std::string_view body_;
    std::uint64_t received_ = 0;
    bool in_bulk_ = false;
    bool whole_request_sent_ = false;
    bool may_end_ = false;
    /// Bytes are rare: see quiet_after.
    bool quiet_ = true;
    time_point last_arrival_{};
    bool ended_early_ = false;
    std::optional<failure> failed_;
};

class http_transport final : public transport
{
public:
    http_transport(std::shared_ptr<connector> to, std::shared_ptr<time_source> time, http_options options)
        : connector_(std::move(to)),
          options_(std::move(options)),
          time_(std::move(time)),
          pool_(std::make_shared<idle_pool>(options_.pool, time_))
    {
    }

    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        return catch_failure(attempt(std::move(r)));
    }

private:
    asio::awaitable<result<std::unique_ptr<answer>>> attempt(request r)
    {
        if (!options_.proxy_authorization.empty())
            r.headers.emplace_back("Proxy-Authorization", options_.proxy_authorization);
        KUBECORO_TRY(auto text, request_text(r, options_.host, options_.prefix));
        if (auto refreshing = connector_->refresh()) co_await std::move(*refreshing);
        auto opened = pool_->take();
        for (unsigned earlier = 0;; ++earlier) {
            if (!opened) {
                KUBECORO_TRY(auto stream, co_await connector_->connect());
                opened = std::make_unique<connection>(std::move(stream));
            }
            auto got = std::make_unique<http_answer>(pool_, std::move(opened),
                                                     http_parser(r.method == "HEAD", options_.http), options_, time_);
            auto started = co_await got->start(text);
            if (started) co_return result<std::unique_ptr<answer>>(std::move(got));
            const auto broken = got->attempt(r.method, earlier, started.error().condition());
            if (!may_repeat(broken)) co_return explained(started.error(), broken);
        }
    }

    /// Adds a hint about TLS: a TLS server often sends nothing in reply to plain HTTP.
    [[nodiscard]] failure explained(const failure& why, const broken_attempt& a) const
    {
        if (options_.tls || a.reused || a.answer_begun || a.why != cond::unreachable) return why;
        return failure(a.why, why.message() + "; if this port speaks TLS, its address must begin with https://");
    }

    std::shared_ptr<connector> connector_;
    http_options options_;
    std::shared_ptr<time_source> time_;
    std::shared_ptr<idle_pool> pool_;
};

} // namespace

std::shared_ptr<transport> make_http_transport(std::shared_ptr<connector> to, std::shared_ptr<time_source> time,
                                               http_options options)
{
    return std::make_shared<http_transport>(std::move(to), std::move(time), std::move(options));
}

} // namespace kubecoro::detail
