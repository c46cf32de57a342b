// Reads objects, pages, watches and texts from responses.
#include "connect/socket_stream.hpp"
#include "http/deadline.hpp"
#include "rest/answer_core.hpp"
#include "rest/client_state.hpp"
#include "rest/pager_core.hpp"

#include <kubecoro/api/status.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

/// Traces an object's first step on its way to a handler; the informer logs the later ones.
void trace_decoded(const logger& log, std::string_view target, const object& o)
{
    if (o) log.trace("decoded", {{"from", target}, {"object", to_string(o.key())}, {"version", o.resource_version()}});
}

/// The form of a response that was accepted.
wire_form form_of_body(const answer& a)
{
    return detail::form_of(a.head().header("content-type")).value_or(wire_form::json);
}

std::string name_of(const resource_type& kind) { return kind.display_name() + " " + kind.version; }

class answer_watch final : public watch_stream
{
public:
    /// @param begins_with_list  As for open_watch().
    answer_watch(std::unique_ptr<answer> body, source_scope scope, request r, const client_options& options,
                 bool begins_with_list)
        : body_(std::move(body)),
          decoder_(scope.decode, std::move(scope.encoding), std::move(scope.known), form_of_body(*body_)),
          request_(std::move(r)),
          log_(options.log),
          time_(options.time),
          pace_(begins_with_list)
    {
        body_->read_in_bulk(begins_with_list);
        body_->may_end_early();
    }

    asio::awaitable<result<std::vector<watch_event>>> next() override { return catch_failure(next_batch()); }
    bool ended_early() const noexcept override { return ended_early_; }

private:
    asio::awaitable<result<std::vector<watch_event>>> next_batch()
    {
        std::vector<watch_event> events;
        events.reserve(last_batch_);
        interrupted_unless_finished running(*this);
        const auto asked = time_->now();
        while (events.empty()) {
            if (failed_) co_return *failed_;
            if (!body_) break;
            auto bytes = co_await body_->read_some();
            if (!bytes) {
                finish_with(bytes.error().with_request(request_.method, request_.target));
                continue;
            }
            const bool end = bytes->empty();
            // The rest of an event that was cut comes again with the next watch.
            ended_early_ = end && body_->ended_early();
            auto fed = ended_early_ ? result<>() : end ? decoder_.finish() : decode(*bytes, events);
            if (end) body_.reset();
            // The valid events of a broken batch are delivered first; the failure waits for the next call.
            if (!fed) finish_with(fed.error().with_request(request_.method, request_.target));
        }
        running.finished = true;
        last_batch_ = events.size();
        keep_pace(events, time_->now() - asked);
        if (log_.enabled(log_level::trace))
            for (const auto& e : events) trace_decoded(log_, request_.target, e.obj);
        co_return events;
    }

    // Everything that has arrived forms one batch, in however many pieces it came.
    result<> decode(std::string_view piece, std::vector<watch_event>& events)
    {
        for (; !piece.empty(); piece = body_->read_arrived())
            if (auto fed = decoder_.feed(piece, events); !fed) return fed;
        return {};
    }

    void keep_pace(const std::vector<watch_event>& batch, duration waited)
    {
        const bool was_gathering = pace_.gathers();
        pace_.after(batch, waited);
        if (body_ && pace_.gathers() != was_gathering) body_->read_in_bulk(pace_.gathers());
    }

    // A cancellation may leave any co_await as an exception: the stream is then closed permanently.
    struct interrupted_unless_finished
    {
        explicit interrupted_unless_finished(answer_watch& w) : watch(w) {}
        ~interrupted_unless_finished()
        {
            if (!finished) watch.finish_with(failure(cond::cancelled));
        }
        interrupted_unless_finished(const interrupted_unless_finished&) = delete;
        interrupted_unless_finished& operator=(const interrupted_unless_finished&) = delete;
        answer_watch& watch;
        bool finished = false;
    };

    void finish_with(failure f)
    {
        if (!failed_) failed_ = std::move(f);
        body_.reset();
    }

    std::unique_ptr<answer> body_;
    detail::watch_decoder decoder_;
    request request_;
    logger log_;
    std::shared_ptr<time_source> time_;
    detail::watch_pace pace_;
    /// Number of events in the last batch: the capacity to reserve for the next one.
    std::size_t last_batch_ = 0;
    bool ended_early_ = false;
    std::optional<failure> failed_;
};

} // namespace

asio::awaitable<result<object>> client::state::fetch_object(result<request> r, std::string kind)
{
    if (!r) co_return r.error();
    if (has_partial(kind)) accept_json_only(*r);
    KUBECORO_TRY(auto got, co_await accepted(*r, options.max_retries, options.timeouts.answer_head, kind));
    auto body = co_await read_all(*got, options.limits.max_answer_bytes);
    if (!body) co_return body.error().with_request(r->method, r->target);
    auto decoded = decode_object(*body, options.decode, {}, form_of_body(*got));
    if (!decoded) co_return decoded.error().with_request(r->method, r->target);
    if (decoded->is_partial() && accepts_protobuf(*r)) {
        // The caller may change the object and write it back.
        note_partial(kind);
        accept_json_only(*r);
        got.reset();
        co_return co_await fetch_object(std::move(r), std::move(kind));
    }
    // A Status that reports a failure is a failure, whatever the code of the response.
    if (decoded->kind() == "Status" && (*decoded)["status"].as_string() == "Failure")
        co_return failure_of_answer(got->head().status, *body).with_request(r->method, r->target);
    co_return decoded;
}

asio::awaitable<result<list_page>> client::state::fetch_page(result<request> r, resource_type asked, source_scope scope,
                                                             unsigned retries)
{
    if (!r) co_return r.error();
    const bool metadata_only = scope.metadata_only;
    KUBECORO_TRY(auto got, co_await accepted(*r, retries, options.timeouts.answer_head, name_of(asked)));
    detail::list_decoder decoder(scope.decode, std::move(scope.encoding), std::move(scope.known), form_of_body(*got));
    got->read_in_bulk(true);
    auto since = options.time->now();
    const auto read =
        co_await detail::with_idle_limit(*options.time, options.timeouts.body_idle, since,
                                         read_page(*got, decoder, since), "the next part of the response");
    if (!read) co_return read.error().with_request(r->method, r->target);
    auto page = decoder.finish();
    if (!page) co_return page.error().with_request(r->method, r->target);
    if (auto right = detail::check_list(*page, asked, metadata_only); !right)
        co_return right.error().with_request(r->method, r->target);
    if (options.log.enabled(log_level::trace))
        for (const auto& o : page->items) trace_decoded(options.log, r->target, o);
    co_return page;
}

asio::awaitable<result<>> client::state::read_page(answer& a, detail::list_decoder& decoder, time_point& since)
{
    std::uint64_t total = 0;
    for (;;) {
        since = options.time->now();
        KUBECORO_TRY(auto piece, co_await a.read_some());
        if (piece.empty()) co_return result<>{};
        for (auto part = piece; !part.empty(); part = a.read_arrived()) {
            total += part.size();
            KUBECORO_TRY(total > options.limits.max_list_bytes
                             ? result<>(failure(cond::corrupt, "the list is too long"))
                             : decoder.feed(part));
        }
    }
}

asio::awaitable<result<std::unique_ptr<watch_stream>>> client::state::open_watch(result<request> r, resource_type asked,
                                                                                 source_scope scope, unsigned retries,
                                                                                 bool begins_with_list)
{
    if (!r) co_return r.error();
    KUBECORO_TRY(auto got, co_await accepted(*r, retries, options.timeouts.watch_head, name_of(asked)));
    std::unique_ptr<watch_stream> stream =
        std::make_unique<answer_watch>(std::move(got), std::move(scope), std::move(*r), options, begins_with_list);
    co_return stream;
}

namespace {

/// A scope without shared state, in which no objects are known.
source_scope plain_scope(const client::state& s, bool metadata_only = false)
{
    source_scope scope;
    scope.decode = s.options.decode;
    scope.metadata_only = metadata_only;
    return scope;
}

/// A page in which nothing is missing, if the server has JSON: the caller may change an object and write it back.
asio::awaitable<result<list_page>> whole_page(std::shared_ptr<client::state> s, result<request> r, resource_type asked,
                                              bool metadata_only)
{
    const auto kind = name_of(asked);
    if (r && s->has_partial(kind)) accept_json_only(*r);
    auto page = co_await s->fetch_page(r, asked, plain_scope(*s, metadata_only), s->options.max_retries);
    const auto partial = [](const object& o) { return o.is_partial(); };
    if (!page || !accepts_protobuf(*r) || std::none_of(page->items.begin(), page->items.end(), partial)) co_return page;
    s->note_partial(kind);
    accept_json_only(*r);
    co_return co_await s->fetch_page(std::move(r), std::move(asked), plain_scope(*s, metadata_only),
                                     s->options.max_retries);
}

asio::awaitable<result<list_page>> one_page(std::shared_ptr<client::state> s, resource_type asked, std::string ns,
                                            list_options options)
{
    const request_builder builder(asked, std::move(ns), s->options.decode.form);
    co_return co_await whole_page(std::move(s), builder.list(options), std::move(asked), options.metadata_only);
}

asio::awaitable<result<list_page>> all_pages(std::shared_ptr<client::state> s, resource_type asked, std::string ns,
                                             list_options options)
{
    const request_builder builder(asked, std::move(ns), s->options.decode.form);
    const bool metadata_only = options.metadata_only;
    detail::pager_core pager(std::move(options));
    while (auto ask = pager.next()) {
        auto r = builder.list(*ask);
        auto page = co_await whole_page(s, r, asked, metadata_only);
        auto last = page ? pager.on_page(std::move(*page)) : pager.on_failure(page.error());
        if (last && r) co_return last->with_request(r->method, r->target);
        if (last) co_return *last;
    }
    co_return std::move(pager).result();
}

asio::awaitable<result<std::unique_ptr<watch_stream>>> one_watch(std::shared_ptr<client::state> s, result<request> r,
                                                                 resource_type asked)
{
    co_return co_await s->open_watch(std::move(r), std::move(asked), plain_scope(*s), s->options.max_retries);
}

} // namespace

asio::awaitable<result<list_page>> client::list(resource_type resource, kept_text ns, list_options options) const
{
    return catch_failure(one_page(state_, std::move(resource), std::move(ns), std::move(options)));
}

asio::awaitable<result<list_page>> client::list_all(resource_type resource, kept_text ns, list_options options) const
{
    return catch_failure(all_pages(state_, std::move(resource), std::move(ns), std::move(options)));
}

asio::awaitable<result<std::unique_ptr<watch_stream>>> client::watch(resource_type resource, kept_text ns,
                                                                     watch_options options) const
{
    const request_builder builder(resource, std::move(ns), state_->options.decode.form);
    return catch_failure(one_watch(state_, builder.watch(options), std::move(resource)));
}

asio::awaitable<result<std::string>> detail::fetch_text(client c, std::string target)
{
    auto s = client_access::state_of(c);
    request r;
    r.method = "GET";
    r.target = std::move(target);
    KUBECORO_TRY(auto got, co_await s->accepted_text(r));
    auto body = co_await s->read_all(*got, s->options.limits.max_answer_bytes);
    if (!body) co_return body.error().with_request(r.method, r.target);
    co_return body;
}

} // namespace kubecoro
