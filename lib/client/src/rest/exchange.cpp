// Sends a request, with credentials and again where that helps, in a span of its own, and passes the server's warnings on,
// each of them once.
#include "http/deadline.hpp"
#include "http/request_text.hpp"
#include "http/retry_core.hpp"
#include "observe/request_meters.hpp"
#include "rest/answer_core.hpp"
#include "rest/client_state.hpp"
#include "rest/request_controls.hpp"
#include "rest/write_checker.hpp"

#include <kubecoro/api/request.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/base/tracer.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/detail/request_scope.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/** The span of a request that is made for a run of a controller, up to the head of its response, and the line of the log
    that says how it ended. Without a trace there is neither. */
class request_span
{
public:
    /// @param executor  That of the requesting coroutine. @param r  Gets `traceparent`; outlives this.
    request_span(const boost::asio::any_io_executor& executor, request& r, logger log);

    /// The request is sent once more.
    void sent_again() noexcept { ++again_; }
    /// A response arrived, of that status.
    void answered(int status);
    /// There is none. @return the same failure.
    const failure& failed(const failure& why);

private:
    void show(std::string_view message, log_record::field outcome) const;

    const request& request_;
    logger log_;
    trace_context run_;
    span span_;
    int again_ = 0;
};

namespace {

// Names of namespaces and objects have at most 253 characters each.
constexpr std::size_t longest_path = 1024;

std::string_view path_of(const request& r) noexcept
{
    // Not the query: it may hold a selector, and the values in it.
    const std::string_view target(r.target);
    return target.substr(0, target.find('?')).substr(0, longest_path);
}

} // namespace

request_span::request_span(const boost::asio::any_io_executor& executor, request& r, logger log)
    : request_(r), log_(std::move(log))
{
    const auto scope = scope_of(executor);
    if (!scope) return;
    const auto of = scope->trace();
    if (!of.run) return;
    run_ = of.run;
    const std::string method(method_label(r.method));
    span_ = of.tracer.start(method + " " + resource_label(r.target), {.parent = of.run, .kind = span_kind::client});
    span_.set("http.request.method", method);
    span_.set("url.path", path_of(r));
    if (of.propagate) r.headers.emplace_back("traceparent", span_.context().traceparent());
}

void request_span::answered(int status)
{
    if (!span_) return;
    span_.set("http.response.status_code", status);
    if (again_ != 0) span_.set("http.request.resend_count", again_);
    if (status >= 400) span_.fail(code_label(status));
    show("request answered", {"status", status});
}

const failure& request_span::failed(const failure& why)
{
    span_.fail(why.condition());
    if (span_) show("request failed", {"failure", to_string(why.condition())});
    return why;
}

void request_span::show(std::string_view message, log_record::field outcome) const
{
    if (!log_.enabled(log_level::debug)) return;
    log_.debug(message, {{"method", request_.method},
                         {"path", path_of(request_)},
                         outcome,
                         {"trace", run_.trace_text()},
                         {"run", run_.span_text()}});
}

} // namespace kubecoro::detail

namespace kubecoro {

namespace asio = boost::asio;

using namespace detail;

namespace {

// A Status is small; the beginning of a longer body is enough to identify it.
constexpr std::size_t max_refusal_bytes = 256 * 1024;
constexpr int not_acceptable = 406;
// Far more kinds than a cluster has.
constexpr std::size_t most_json_kinds = 4096;

} // namespace

client::state::state(asio::any_io_executor e, std::shared_ptr<transport> t, client_options o, credentials c,
                     environment m, std::string host)
    : executor(e),
      carrier(std::move(t)),
      options(std::move(o)),
      login(std::move(c)),
      machine(std::move(m)),
      gzip(options.compression == compression::on),
      token_(login.token, login.token_file, machine, options.time ? options.time : real_clock()),
      next_seed_(options.seed ? *options.seed : random_seed())
{
    if (!options.time) options.time = real_clock();
    controls_ = std::make_unique<request_controls>(options, std::move(host));
    carrier = controls_->over(std::move(carrier));
    if (!options.metrics) options.metrics = null_metrics();
    if (options.user_agent.empty()) options.user_agent = "kubecoro/" KUBECORO_VERSION;
    constexpr std::string_view bytes = "kubecoro_client_gzip_bytes_total";
    gzip_counters_.received = options.metrics->make_counter(bytes, {{"form", "received"}});
    gzip_counters_.decoded = options.metrics->make_counter(bytes, {{"form", "decoded"}});
    constexpr std::string_view bodies = "kubecoro_client_protobuf_bodies_total";
    bodies_.sent = options.metrics->make_counter(bodies, {{"outcome", "sent"}});
    bodies_.unfit = options.metrics->make_counter(bodies, {{"outcome", "unfit"}});
    bodies_.refused = options.metrics->make_counter(bodies, {{"outcome", "refused"}});
    checker_ = std::make_unique<write_checker>(options);
}

client::state::~state() = default;

std::uint64_t client::state::next_seed() noexcept
{
    constexpr std::uint64_t step = 0x9e3779b97f4a7c15; // odd, so that none comes twice
    return next_seed_.fetch_add(step, std::memory_order_relaxed);
}

result<> client::state::usable() const { return controls_->sound(); }

asio::awaitable<result<std::unique_ptr<answer>>> client::state::exchange(request r, unsigned retries,
                                                                         duration head_limit)
{
    const auto runs_on = co_await asio::this_coro::executor;
    request_span trace(runs_on, r, options.log);
    const auto failed = [&](const failure& why) { return trace.failed(why).with_request(r.method, r.target); };
    if (auto sound = check_impersonation(login.as); !sound) co_return failed(sound.error());
    if (auto sound = usable(); !sound) co_return failed(sound.error());
    request_controls::exchange controls(*controls_, r);
    retry_core core(retries);
    for (;;) {
        if (controls.is_limited()) {
            const auto turn = co_await controls.turn();
            if (!turn) co_return failed(turn.error());
        }
        auto attempt = r;
        const auto used = co_await choose_login(r);
        if (!used) co_return failed(used.error());
        add_credentials(attempt, *used);
        controls.begin(attempt);
        std::unique_ptr<answer> got;
        auto sent =
            co_await with_deadline(*options.time, head_limit, send_into(std::move(attempt), got), "the response");
        controls.answered(sent ? got->head().status : 0);
        if (!sent) co_return failed(sent.error());
        const auto& head = got->head();
        pass_on_warnings(head, r);
        const bool renewable = used->plugin || tls_ || !login.token_file.empty();
        const auto next = core.on_answer(head.status, parse_retry_after(head.header("retry-after")), renewable);
        const bool renewing = std::holds_alternative<retry_core::renew_credentials>(next);
        bool is_final = std::holds_alternative<retry_core::deliver>(next);
        if (renewing) is_final = !co_await renew_login(*used);
        if (is_final) {
            trace.answered(head.status);
            co_return controls.deliver(std::move(got));
        }
        trace.sent_again();
        const auto asked = renewing ? std::chrono::seconds{0} : std::get<retry_core::wait>(next).length;
        const auto pause = controls.retry(head.status, asked);
        options.log.debug(
            renewing ? "the token was refused; retrying with a new one" : "the server asks to retry later",
            {{"method", r.method}, {"target", r.target}, {"status", head.status}, {"seconds", asked.count()}});
        // Reading the short body allows the connection to be reused.
        auto drained = co_await read_beginning(*got, max_refusal_bytes);
        if (!drained) co_return failed(drained.error());
        got.reset();
        if (renewing) continue;
        auto slept = co_await sleep_for(*options.time, pause);
        if (!slept) co_return failed(slept.error());
    }
}

asio::awaitable<result<std::unique_ptr<answer>>> client::state::accepted(request r, unsigned retries,
                                                                         duration head_limit, std::string kind)
{
    if (is_in(refused_, kind)) accept_json_only(r);
    for (;;) {
        auto got = co_await exchange(r, retries, head_limit);
        if (!got) co_return got;
        *got = expect_plain(std::move(*got));
        const int status = (*got)->head().status;
        if (status >= 200 && status < 300) {
            if (!form_of((*got)->head().header("content-type"))) co_return co_await foreign(**got, r);
            co_return got;
        }
        auto refused = co_await refusal(**got, r);
        const bool wants_json = accepts_protobuf(r) && (status == not_acceptable || status == unsupported_media_type);
        if (!wants_json) co_return refused;
        accept_json_only(r);
        note(refused_, kind, "the server refuses protobuf");
    }
}

asio::awaitable<result<std::unique_ptr<answer>>> client::state::accepted_text(request r)
{
    auto got = co_await exchange(r, options.max_retries, options.timeouts.answer_head);
    if (!got) co_return got;
    *got = expect_plain(std::move(*got));
    const auto& head = (*got)->head();
    if (head.status < 200 || head.status >= 300) co_return co_await refusal(**got, r);
    if (is_web_page(head.header("content-type"))) co_return co_await foreign(**got, r);
    co_return got;
}

void client::state::note_partial(const std::string& kind)
{
    note(partial_, kind, "its protobuf has fields that this version does not know");
}

bool client::state::has_partial(const std::string& kind) { return is_in(partial_, kind); }

void client::state::note(kinds& in, const std::string& kind, std::string_view why)
{
    if (!remember(in, kind)) return;
    options.log.info("reading this kind as JSON from now on", {{"kind", kind}, {"why", why}});
}

bool client::state::remember(kinds& in, const std::string& kind)
{
    std::lock_guard lock(mutex_);
    return !kind.empty() && in.size() < most_json_kinds && in.insert(kind).second;
}

bool client::state::is_in(const kinds& in, const std::string& kind)
{
    std::lock_guard lock(mutex_);
    return in.contains(kind);
}

std::optional<resource_type> client::state::known_resource(const std::string& kind)
{
    std::lock_guard lock(mutex_);
    return resources_.known(kind, options.time->now());
}

void client::state::note_resource(const std::string& kind, const result<resource_type>& found)
{
    std::lock_guard lock(mutex_);
    if (found)
        resources_.keep(kind, *found, options.time->now());
    else if (found.error() == cond::not_found)
        resources_.forget(kind);
}

void client::state::note_missing(const failure& refused, const request& r)
{
    const auto* status = refused.status();
    // An object that is missing has a name.
    if (refused != cond::not_found || (status && !status->name.empty())) return;
    std::lock_guard lock(mutex_);
    resources_.on_missing(r.target);
}

asio::awaitable<failure> client::state::refusal(answer& a, const request& r)
{
    const int code = a.head().status;
    if (code < 400) {
        const auto where = printable(a.head().header("location"), 200);
        co_return failure(cond::invalid, "the server responds with " + std::to_string(code) + " and points to \"" +
                                             where + "\"; redirects are not followed")
            .with_request(r.method, r.target);
    }
    std::optional<failure> damage;
    auto body = co_await read_beginning(a, max_refusal_bytes, &damage);
    if (!body) co_return body.error().with_request(r.method, r.target);
    const auto retry_after = parse_retry_after(a.head().header("retry-after"));
    auto refused = refused_answer(code, *body, retry_after);
    if (damage) refused = refused.because("the error's body is not readable: " + damage->message());
    note_missing(refused, r);
    co_return refused.with_request(r.method, r.target);
}

asio::awaitable<failure> client::state::foreign(answer& a, const request& r)
{
    auto body = co_await read_beginning(a, foreign_beginning);
    if (!body) co_return body.error().with_request(r.method, r.target);
    co_return foreign_answer(a.head().header("content-type"), *body).with_request(r.method, r.target);
}

asio::awaitable<result<std::string>> client::state::read_beginning(answer& a, std::size_t most,
                                                                   std::optional<failure>* damage)
{
    std::string body;
    // As a whole: a server that sends a byte a minute must not hold up the caller for months.
    const auto read = co_await with_deadline(*options.time, options.timeouts.body_idle, append_beginning(a, most, body),
                                             "the body of a refusal");
    if (!read && read.error().condition() == cond::cancelled) co_return read.error();
    const bool unreadable = !read && (read.error() == cond::corrupt || read.error() == cond::unreachable);
    if (unreadable && damage != nullptr) *damage = read.error();
    co_return body;
}

asio::awaitable<result<>> client::state::append_beginning(answer& a, std::size_t most, std::string& body)
{
    while (body.size() < most) {
        KUBECORO_TRY(const auto piece, co_await a.read_some());
        if (piece.empty()) break;
        body.append(piece.substr(0, most - body.size()));
    }
    co_return result<>{};
}

asio::awaitable<result<>> client::state::send_into(request r, std::unique_ptr<answer>& out)
{
    const bool asked = ask_for_gzip(r, gzip);
    KUBECORO_TRY(auto got, co_await carrier->send(std::move(r)));
    out = decode_content(std::move(got), asked, gzip_counters_);
    co_return result<>{};
}

asio::awaitable<result<>> client::state::read_into(answer& a, std::string_view& out)
{
    KUBECORO_TRY(auto piece, co_await a.read_some());
    out = piece;
    co_return result<>{};
}

asio::awaitable<result<std::string_view>> client::state::read_some(answer& a)
{
    std::string_view piece;
    KUBECORO_TRY(co_await with_deadline(*options.time, options.timeouts.body_idle, read_into(a, piece),
                                        "the next part of the response"));
    co_return piece;
}

asio::awaitable<result<std::string>> client::state::read_all(answer& a, std::size_t limit)
{
    std::string body;
    for (;;) {
        // Most bodies arrive with their head: there is nothing to wait for, and nothing to limit.
        auto piece = a.read_arrived();
        if (piece.empty() && a.at_end()) co_return body;
        if (piece.empty()) {
            KUBECORO_TRY(const auto read, co_await read_some(a));
            if (read.empty()) co_return body;
            piece = read;
        }
        if (piece.size() > limit - body.size())
            co_return failure(cond::corrupt, "the response is longer than " + std::to_string(limit) + " bytes");
        body.append(piece);
    }
}

void client::state::pass_on_warnings(const answer_head& head, const request& r)
{
    for (const auto& [name, value] : head.headers)
        if (name == "warning")
            for (auto& text : detail::parse_warnings(value)) pass_on({std::move(text), r.method, r.target});
}

void client::state::pass_on(const server_warning& w)
{
    {
        std::lock_guard lock(mutex_);
        if (!warnings_.is_new(w.text)) return;
    }
    if (!options.on_warning) {
        options.log.warning("the server sent a warning", {{"target", w.target}, {"warning", w.text}});
        return;
    }
    try {
        std::as_const(options.on_warning)(w);
    } catch (...) {
        const auto why = to_failure(std::current_exception());
        options.log.error("the sink for the server's warnings threw an exception", {{"why", why.describe()}});
    }
}

} // namespace kubecoro
