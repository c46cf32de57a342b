#include "server/server_engine.hpp"

#include "access/tokens.hpp"
#include "dashboard/dashboard_page.hpp"
#include "http/gzip.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/printable.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace asio = boost::asio;

namespace kubecoro::detail {

namespace {

constexpr duration log_pause = std::chrono::seconds{10};
constexpr std::size_t longest_logged_target = 200;
/// A larger answer counts as endpoint_limits::max_answer_bytes: refusals and probes wait for nothing.
constexpr std::size_t small_answer = 4096;
/// An answer that is made in parts counts as so much at least.
constexpr std::size_t portion = 64 * 1024;
/// Time that streamed pages may take at once: enough for one of a large cluster.
constexpr duration pages_at_once = std::chrono::seconds{3};

constexpr std::string_view no_room = "too many answers wait for their clients\n";
constexpr std::string_view exposition_format = "text/plain; version=0.0.4; charset=utf-8";

std::optional<health_query> health_query_of(const request_target& target)
{
    health_query query;
    std::string_view path = std::string_view(target.path).substr(1);
    const auto slash = path.find('/');
    query.title = path.substr(0, slash);
    if (query.title == "readyz")
        query.probe = health_probe::ready;
    else if (query.title != "livez" && query.title != "healthz")
        return std::nullopt;
    if (slash != path.npos) query.check = path.substr(slash + 1);
    query.verbose = target.has("verbose");
    query.excluded = target.values("exclude");
    return query;
}

} // namespace

connection_limits limits_of(const endpoint_limits& l)
{
    return {.http = {.head = l.max_head_bytes},
            .request_timeout = l.read_timeout,
            .idle_timeout = l.idle_timeout,
            .answer_timeout = l.answer_timeout,
            .input = l.max_head_bytes + 4096};
}

server_engine::server_engine(std::shared_ptr<connection_table> shared, endpoint_options options,
                             std::shared_ptr<endpoint_meters> meters)
    : fair_service(std::move(shared),
                   {options.limits.max_handshakes_per_second, options.limits.max_requests_per_second}),
      options_(std::move(options)),
      meters_(std::move(meters)),
      feed_(options_.debug
                ? std::make_shared<snapshot_feed>(*options_.debug, options_.limits.snapshot_period, options_.time)
                : nullptr),
      metrics_page_(options_.limits.render_share),
      renders_(turns_of(1), render_budget(options_.limits.render_share)),
      parts_(turns_of(1), render_budget(options_.limits.page_share, pages_at_once)),
      bytes_(turns_of(options_.limits.max_answer_bytes)),
      streams_(turns_of(options_.limits.max_streams)),
      repeats_(log_pause),
      refusals_(log_pause),
      breaks_(log_pause),
      closings_(log_pause)
{
    for (const auto& page : options_.pages) places_.emplace_back(turns_of(page.max_answers));
    for (auto* turns : {&renders_, &parts_, &bytes_, &streams_}) add(*turns);
    for (auto& turns : places_) add(turns);
}

time_point server_engine::pass_on()
{
    const time_point due = fair_service::pass_on();
    meters_->on_answer_bytes(bytes_.used());
    return due;
}

/// The parts of a page.
class server_engine::page_source final : public body_source
{
public:
    page_source(server_engine& engine, std::function<bool(std::string&)> parts, std::shared_ptr<shared_turn> held)
        : engine_(engine), parts_(std::move(parts)), held_(std::move(held))
    {
    }

    asio::awaitable<step> next(body_part& into, connection& by) override
    {
        bool follows = false;
        {
            shared_turn own(engine_, engine_.parts_, by.client());
            const bool may = co_await by.await_turn(own, 1, time_point::max(), true);
            if (!may) co_return step::broken;
            try {
                own.begin_work();
                follows = parts_(into.own);
            } catch (const std::exception& e) {
                // The client learns it from the missing end.
                engine_.on_broken_off(e.what());
                co_return step::broken;
            }
        }
        // One that is larger than others has been made by now, but is not held while its client stalls.
        if (!held_->resize(std::max(portion, into.own.capacity()))) {
            engine_.on_broken_off("too many answers wait for their clients");
            co_return step::broken;
        }
        // A page may look through much without finding anything: others have their turns all the same.
        if (into.own.size() <= room_for_chunk_head.size()) co_await asio::post(asio::use_awaitable);
        co_return follows ? step::more : step::last;
    }

private:
    server_engine& engine_;
    std::function<bool(std::string&)> parts_;
    std::shared_ptr<shared_turn> held_;
};

/// Snapshots for a dashboard, until the client, the server or the stream's time ends them.
class server_engine::snapshot_source final : public body_source
{
public:
    snapshot_source(server_engine& engine, std::shared_ptr<snapshot_feed::seat> seat)
        : engine_(engine), seat_(std::move(seat)), end_(time_after(engine.now(), engine.options_.limits.stream_time))
    {
    }

    asio::awaitable<step> next(body_part& into, connection& by) override
    {
        held_.reset();
        while (!by.ends() && engine_.now() < end_) {
            const time_point begin = engine_.now();
            const auto next = seat_->next(begin);
            engine_.renders_.spend(begin, engine_.now());
            if (const auto* snapshot = std::get_if<std::shared_ptr<const std::string>>(&next)) {
                // Counted for each stream, though they share it: a stalled one keeps its own alive.
                held_.emplace(engine_, engine_.bytes_, by.client());
                const bool may = co_await by.take_turn(*held_, (*snapshot)->size());
                if (!may) break;
                into.shared = *snapshot;
                co_return step::more;
            }
            co_await by.pause_until(std::min(std::get<time_point>(next), end_));
        }
        co_return step::last;
    }

private:
    server_engine& engine_;
    std::shared_ptr<snapshot_feed::seat> seat_;
    const time_point end_;
    std::optional<shared_turn> held_;
};

std::optional<http_answer> server_engine::refusal_of(const incoming_request& request) const
{
    if (request.method != "GET" && request.method != "HEAD") {
        auto refusal = plain_answer(405, "only GET and HEAD\n");
        refusal.headers.emplace_back("Allow", "GET, HEAD");
        return refusal;
    }
    if (local_only_ && !is_local_host(request.host))
        return plain_answer(421, "this server is for this machine: ask for localhost\n");
    return std::nullopt;
}

asio::awaitable<std::optional<http_reply>> server_engine::answer(incoming_request& request, connection& by)
{
    const auto held = std::make_shared<shared_turn>(*this, bytes_, by.client());
    auto made = co_await answer_in_room(request, *held, by);
    if (by.closed()) co_return std::nullopt;
    count(made, request);
    auto parts = std::move(made.parts);
    auto seat = std::move(made.stream);
    auto out = reply_of(std::move(made));
    if (parts) out.source = std::make_unique<page_source>(*this, std::move(parts), held);
    if (seat) out.source = std::make_unique<snapshot_source>(*this, std::move(seat));
    out.held.push_back(held);
    co_return out;
}

asio::awaitable<http_answer> server_engine::answer_in_room(const incoming_request& request, shared_turn& held,
                                                           connection& by)
{
    const auto size_of = [](const http_answer& a) { return a.parts ? portion : body_of(a).size(); };
    auto out = co_await make_answer(request, by);
    const auto size = size_of(out);
    if (size <= small_answer) co_return out;
    // One that has to wait is made again in its turn: it would take the room that it waits for.
    const bool kept = held.ask_now(size);
    if (!kept && !out.parts) out = {};
    if (!kept) {
        const bool may = co_await by.take_turn(held, size);
        if (!may) co_return later("none", std::string(no_room));
    }
    if (!kept && !out.parts) out = co_await make_answer(request, by);
    if (!held.resize(size_of(out))) co_return later("none", std::string(no_room));
    co_return out;
}

asio::awaitable<http_answer> server_engine::make_answer(const incoming_request& request, connection& by)
{
    http_answer answer;
    std::exception_ptr thrown;
    try {
        answer = co_await route(request, by);
    } catch (...) {
        thrown = std::current_exception();
    }
    if (thrown) answer = failed(std::move(thrown));
    co_return answer;
}

http_reply server_engine::refusal(request_reader::state why)
{
    auto said = fair_service::refusal(why);
    auto answer = plain_answer(said.status, std::move(said.body.own));
    count(answer);
    return reply_of(std::move(answer));
}

void server_engine::count(const http_answer& answer, const incoming_request& request)
{
    meters_->on_request(answer.endpoint, answer.status);
    if (answer.status < 400 || answer.endpoint == "livez" || answer.endpoint == "readyz") return;
    if (const auto held_back = refusals_.pass(now()))
        options_.log.info("a request was refused", {{"method", printable(request.method, 20)},
                                                    {"target", printable(request.target, longest_logged_target)},
                                                    {"status", answer.status},
                                                    {"held_back", *held_back}});
}

asio::awaitable<http_answer> server_engine::route(const incoming_request& request, connection& by)
{
    if (auto refusal = refusal_of(request)) co_return std::move(*refusal);
    const auto target = parse_target(request.target);
    if (!target || !target->path.starts_with('/')) co_return plain_answer(400, "not a path\n");
    const auto page = std::find_if(options_.pages.begin(), options_.pages.end(),
                                   [&target](const streamed_page& p) { return p.path == target->path; });
    const bool paged = page != options_.pages.end();
    const bool metrics = !paged && options_.prometheus && target->path == "/metrics";
    if (!paged && feed_ && target->path == "/dashboard") co_return answer_dashboard(request);
    const bool stream = !paged && feed_ && target->path == "/dashboard/events";
    const bool debug = options_.debug && (target->path == "/debug" || target->path.starts_with("/debug/"));
    if (options_.protect && (paged || metrics || debug || stream)) {
        const bool as_asked = paged || metrics;
        auto refusal = co_await refusal_by_token(request,
                                                 as_asked ? target->path
                                                 : stream ? "/dashboard"
                                                          : debug_path(*target),
                                                 by);
        if (refusal) refusal->endpoint = paged ? "page" : metrics ? "metrics" : stream ? "dashboard" : "debug";
        if (refusal) co_return std::move(*refusal);
    }
    if (metrics) co_return answer_metrics(request);
    asio::awaitable<http_answer> answering;
    if (paged)
        answering = answer_page(static_cast<std::size_t>(page - options_.pages.begin()), request, by);
    else if (stream)
        answering = answer_stream(request, by);
    else if (debug)
        answering = answer_debug(*target, request, by);
    else if (options_.health)
        answering = answer_health(*target, by);
    else
        co_return plain_answer(404, "not found\n");
    co_return co_await std::move(answering);
}

/// One path for all that is not there, so that a client cannot have any number of paths reviewed.
std::string server_engine::debug_path(const request_target& target) const
{
    for (const std::string& name : options_.debug->names())
        if (target.path == "/debug/" + name) return target.path;
    return "/debug";
}

asio::awaitable<std::optional<http_answer>> server_engine::refusal_by_token(const incoming_request& request,
                                                                            std::string path, connection& by) const
{
    const auto token = bearer_token(request.header("authorization"));
    if (token.empty()) co_return unauthenticated("a token is needed: Authorization: Bearer TOKEN\n");
    const connection::turn_wait counted(by); // for its turn to be reviewed
    const auto verdict = co_await options_.protect->check(std::string(token), path, by.address().to_string());
    if (!verdict && verdict.error() == cond::retry_later)
        co_return later("none", "too many tokens are due to be reviewed\n");
    if (!verdict) co_return plain_answer(500, "the token could not be reviewed; the log of the program says why\n");
    if (*verdict == access_verdict::unauthenticated) co_return unauthenticated("the token is not valid\n");
    if (*verdict == access_verdict::forbidden)
        co_return plain_answer(403, "the user of the token may not get the nonResourceURL " + path + "\n");
    co_return std::nullopt;
}

asio::awaitable<http_answer> server_engine::answer_health(const request_target& target, connection& by)
{
    const auto query = health_query_of(target);
    if (!query) co_return plain_answer(404, "not found\n");
    const auto existing = options_.health->names(query->probe);
    auto wanted = checks_of(*query, existing);
    if (!wanted) co_return plain_answer(404, "there is no such check\n");
    auto outcomes = co_await options_.health->run(query->probe, std::move(*wanted));
    shared_turn own(*this, renders_, by.client());
    // Anyone may ask for details, which cost time. Those that do not come in time are left out.
    if (has_details(*query, outcomes)) {
        const bool may = co_await by.take_turn(own);
        if (may) own.begin_work();
        if (!may)
            for (auto& o : outcomes) o.detail = nullptr;
    }
    auto said = answer_of(*query, existing, outcomes);
    auto out = plain_answer(said.status, std::move(said.body));
    out.endpoint = query->title == "readyz" ? "readyz" : "livez";
    co_return out;
}

http_answer server_engine::answer_metrics(const incoming_request& request)
{
    http_answer out;
    out.endpoint = "metrics";
    out.content_type = exposition_format;
    auto page = metrics_page_.get(*options_.time, accepts_gzip(request.header("accept-encoding")),
                                  [this] { return options_.prometheus->text(); });
    out.shared_body = std::move(page.body);
    if (page.compressed) mark_compressed(out);
    if (page.repeated) {
        out.headers.emplace_back("Age",
                                 std::to_string(std::chrono::duration_cast<std::chrono::seconds>(page.age).count()));
        on_repeated();
    }
    return out;
}

void server_engine::on_repeated()
{
    meters_->on_repeated_page();
    if (const auto held_back = repeats_.pass(now()))
        options_.log.info("metrics are requested so often that clients get the same ones again",
                          {{"held_back", *held_back}});
}

asio::awaitable<http_answer> server_engine::answer_page(std::size_t page, const incoming_request& request,
                                                        connection& by)
{
    const streamed_page& made_of = options_.pages[page];
    // Without chunks, an answer that breaks off looks complete.
    if (!request.may_chunk) co_return plain_answer(505, "HTTP/1.1 is needed\n");
    http_answer out;
    // A HEAD costs nothing: nobody gives way to it.
    if (request.method != "HEAD") {
        out.place = std::make_shared<shared_turn>(*this, places_[page], by.client());
        const bool may = co_await by.take_turn(*out.place);
        if (!may) co_return later("page", "others read this page now\n");
    }
    out.endpoint = "page";
    out.content_type = made_of.content_type;
    // Begun with the first part, which a HEAD does not make.
    out.parts = [&made_of, parts = std::function<bool(std::string&)>()](std::string& part) mutable {
        if (!parts) parts = made_of.begin();
        return parts(part);
    };
    co_return out;
}

asio::awaitable<http_answer> server_engine::answer_debug(const request_target& target, const incoming_request& request,
                                                         connection& by)
{
    http_answer out;
    out.endpoint = "debug";
    const std::string_view path = target.path;
    const std::string_view name = path.substr(std::min(path.size(), std::string_view("/debug/").size()));
    if (name.empty()) {
        for (const std::string& page : options_.debug->names()) out.body += "/debug/" + page + "\n";
        co_return out;
    }
    const bool as_json =
        target.has("format") ? target.value("format") == "json" : prefers_json(request.header("accept"));
    std::optional<std::string> cluster;
    if (target.has("cluster")) cluster = target.value("cluster");
    shared_turn own(*this, renders_, by.client());
    const bool may = co_await by.take_turn(own);
    if (!may) co_return later("debug", "debug pages are requested too often\n");
    own.begin_work();
    auto rendered = as_json ? options_.debug->json(name, cluster) : options_.debug->text(name, cluster);
    if (!rendered) co_return plain_answer(404, "there is no such page\n");
    if (as_json) out.content_type = "application/json";
    out.body = std::move(*rendered);
    // Within the turn: it may take longer than the page.
    compress(out, request.header("accept-encoding"));
    co_return out;
}

/// The page holds nothing of the program, and asks for a token if its stream needs one.
http_answer server_engine::answer_dashboard(const incoming_request& request) const
{
    const dashboard_page& page = the_dashboard_page();
    http_answer out;
    out.endpoint = "dashboard";
    out.content_type = "text/html; charset=utf-8";
    if (accepts_gzip(request.header("accept-encoding"))) {
        out.shared_body = page.compressed;
        mark_compressed(out);
    } else {
        out.body = page.html;
    }
    out.headers.emplace_back("Content-Security-Policy", page.policy);
    return out;
}

asio::awaitable<http_answer> server_engine::answer_stream(const incoming_request& request, connection& by)
{
    http_answer out;
    out.endpoint = "dashboard";
    // A foreign page could not read the stream, but use up the streams.
    const std::string_view site = request.header("sec-fetch-site");
    if (site == "cross-site" || site == "same-site") {
        out = plain_answer(403, "a page of another site asks\n");
        out.endpoint = "dashboard";
        co_return out;
    }
    out.content_type = "text/event-stream";
    out.endless = true;
    if (request.method == "HEAD") co_return out;
    out.place = std::make_shared<shared_turn>(*this, streams_, by.client());
    const bool may = co_await by.take_turn(*out.place);
    if (!may) co_return later("dashboard", "as many dashboards are open as may be\n");
    out.stream = feed_->join();
    co_return out;
}

void server_engine::on_broken_off(std::string_view why)
{
    if (const auto held_back = breaks_.pass(now()))
        options_.log.error("an answer broke off", {{"failure", why}, {"held_back", *held_back}});
}

/// Functions of the program make the pages, such as a collector of metrics.
http_answer server_engine::failed(std::exception_ptr thrown)
{
    const auto why = to_failure(thrown);
    if (why == cond::cancelled) std::rethrow_exception(thrown);
    if (const auto held_back = breaks_.pass(now()))
        options_.log.error("a request could not be answered", {{"failure", why.describe()}, {"held_back", *held_back}});
    return plain_answer(500, "the answer could not be made; the log of the program says why\n");
}

void server_engine::publish_open() { meters_->on_open_connections(table().size()); }

void server_engine::on_accepted(bool admitted)
{
    meters_->on_connection(admitted ? "accepted" : "refused");
    publish_open();
    if (admitted) return;
    if (const auto held_back = closings_.pass(now()))
        options_.log.warning("a connection was refused: the server works for as many as it may",
                             {{"held_back", *held_back}});
}

void server_engine::on_end(closing why, const std::string& failed)
{
    std::string_view reason = failed;
    if (why == closing::past_deadline || why == closing::idle) {
        meters_->on_connection("closed_past_deadline");
        reason = "its client is too slow";
    } else if (why == closing::without_handshake) {
        meters_->on_connection("closed_without_handshake");
        reason = "more TLS handshakes are wanted than are made";
    } else if (why == closing::for_another) {
        meters_->on_connection("closed_for_another");
        reason = "there are too many, and its client was the slowest";
    } else if (!failed.empty()) {
        meters_->on_connection("failed");
    }
    publish_open();
    if (reason.empty()) return;
    if (const auto held_back = closings_.pass(now()))
        options_.log.info("a connection was closed", {{"reason", reason}, {"held_back", *held_back}});
}

} // namespace kubecoro::detail
