#include <kubecoro/client/log_stream.hpp>

#include "rest/client_state.hpp"
#include "rest/log_core.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <optional>
#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

class answer_log final : public log_stream
{
public:
    answer_log(std::shared_ptr<client::state> s, std::unique_ptr<answer> body, request r, const log_options& o)
        : state_(std::move(s)),
          body_(std::move(body)),
          request_(std::move(r)),
          follows_(o.follow),
          lines_(o.max_line_bytes)
    {
    }

    asio::awaitable<result<std::vector<log_line>>> next() override { return catch_failure(next_lines()); }
    asio::awaitable<result<std::string_view>> read_some() override { return catch_failure(next_piece()); }

private:
    // A cancellation may leave any co_await as an exception: the stream is then closed permanently.
    struct interrupted_unless_finished
    {
        explicit interrupted_unless_finished(answer_log& l) : log(l) {}
        ~interrupted_unless_finished()
        {
            if (!finished) log.close_with(failure(cond::cancelled));
        }
        interrupted_unless_finished(const interrupted_unless_finished&) = delete;
        interrupted_unless_finished& operator=(const interrupted_unless_finished&) = delete;
        answer_log& log;
        bool finished = false;
    };

    /// Closes the body at its end and after a failure.
    bool has_bytes(const result<std::string_view>& read)
    {
        if (!read)
            close_with(read.error());
        else if (read->empty())
            body_.reset();
        return read && !read->empty();
    }

    asio::awaitable<result<std::vector<log_line>>> next_lines()
    {
        std::vector<log_line> lines;
        interrupted_unless_finished running(*this);
        while (lines.empty() && body_) {
            auto bytes = co_await from_body();
            if (has_bytes(bytes)) feed(*bytes, lines);
            if (!body_) lines_.finish(failed_.has_value(), lines);
        }
        running.finished = true;
        if (lines.empty() && failed_) co_return *failed_;
        co_return lines;
    }

    void feed(std::string_view bytes, std::vector<log_line>& lines)
    {
        for (; !bytes.empty(); bytes = body_->read_arrived()) lines_.feed(bytes, lines);
    }

    asio::awaitable<result<std::string_view>> next_piece()
    {
        std::string_view piece;
        interrupted_unless_finished running(*this);
        while (piece.empty() && body_) {
            auto bytes = co_await from_body();
            if (has_bytes(bytes)) piece = pieces_.feed(*bytes);
            if (!body_) piece = pieces_.finish();
        }
        running.finished = true;
        if (piece.empty() && failed_) co_return *failed_;
        co_return piece;
    }

    /// A followed log may be silent for any time.
    asio::awaitable<result<std::string_view>> from_body()
    {
        return follows_ ? body_->read_some() : state_->read_some(*body_);
    }

    void close_with(failure f)
    {
        if (!failed_) failed_ = f.with_request(request_.method, request_.target);
        body_.reset();
    }

    std::shared_ptr<client::state> state_;
    std::unique_ptr<answer> body_;
    request request_;
    bool follows_;
    detail::log_lines lines_;
    detail::log_pieces pieces_;
    std::optional<failure> failed_;
};

asio::awaitable<result<std::unique_ptr<log_stream>>> open_log(std::shared_ptr<client::state> s, std::string ns,
                                                              std::string pod, log_options options)
{
    const request_builder builder(untyped::pod::resource(), std::move(ns));
    KUBECORO_TRY(auto r, builder.log(pod, options));
    KUBECORO_TRY(auto got, co_await s->accepted_text(r));
    std::unique_ptr<log_stream> stream =
        std::make_unique<answer_log>(std::move(s), std::move(got), std::move(r), options);
    co_return stream;
}

} // namespace

asio::awaitable<result<std::unique_ptr<log_stream>>> pod_logs(client c, kept_text ns, kept_text pod,
                                                              log_options options)
{
    return catch_failure(
        open_log(detail::client_access::state_of(c), std::move(ns), std::move(pod), std::move(options)));
}

} // namespace kubecoro
