#include "server/server_engine.hpp"

#include "access/tokens.hpp"
#include "dashboard/dashboard_page.hpp"
#include "http/gzip.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/printable.hpp>

#include <algorithm>

namespace asio = boost::asio;

namespace kubecoro::detail {

endpoint_meters::endpoint_meters(std::shared_ptr<metrics> sink) : sink_(std::move(sink))
{
    if (!sink_) sink_ = null_metrics();
    repeated_ = sink_->make_counter("kubecoro_endpoints_repeated_pages_total", {});
    open_gauge_ = sink_->make_gauge("kubecoro_endpoints_open_connections", {});
}

void endpoint_meters::on_request(std::string_view endpoint, int status)
{
    ++requests_;
    auto& counter = requests_by_[{std::string(endpoint), status}];
    if (!counter)
        counter = sink_->make_counter("kubecoro_endpoints_requests_total",
                                      {{"endpoint", std::string(endpoint)}, {"code", std::to_string(status)}});
    counter->add();
}

void endpoint_meters::on_connection(const char* outcome)
{
    const std::string_view name = outcome;
    if (name == "accepted") ++connections_;
    if (name.starts_with("closed_")) ++closed_;
    auto at = connections_by_.find(name);
    if (at == connections_by_.end())
        at = connections_by_
                 .emplace(name,
                          sink_->make_counter("kubecoro_endpoints_connections_total", {{"outcome", std::string(name)}}))
                 .first;
    at->second->add();
}

void endpoint_meters::on_repeated_page() { repeated_->add(); }

void endpoint_meters::on_open_connections(std::size_t n)
{
    open_ = n;
    open_gauge_->set(static_cast<double>(n));
}

endpoint_stats endpoint_meters::stats() const
{
    endpoint_stats out;
    out.connections = connections_;
    out.open_connections = open_;
    out.closed_by_server = closed_;
    out.requests = requests_;
    out.answer_bytes = answer_bytes_;
    return out;
}

namespace {

constexpr duration log_pause = std::chrono::seconds{10};
constexpr std::size_t longest_logged_target = 200;
/// How long a client may take for 64 KiB while others wait for its room.
constexpr duration patience = std::chrono::seconds{1};
/// How long an answer has its room, while the client of another address waits that has less.
constexpr duration fair_time = std::chrono::seconds{3};

/// Time that streamed pages may take at once: enough for one of a large cluster.
constexpr duration pages_at_once = std::chrono::seconds{3};

constexpr std::string_view exposition_format = "text/plain; version=0.0.4; charset=utf-8";

/// @param units  Held at once.
client_turns::limits for_all_connections(const endpoint_limits& l, std::size_t units = client_turns::limits{}.units)
{
    return {.units = units, .addresses = l.max_connections, .waiters = l.max_connections};
}

/// A fifth of those of a second begin at once.
client_turns turns_in_a_second(const endpoint_limits& l, std::size_t n)
{
    return {for_all_connections(l), n, 1 + n / 5};
}

http_answer later(std::string_view endpoint, std::string text)
{
    auto out = plain_answer(503, std::move(text));
    out.headers.emplace_back("Retry-After", "1");
    out.endpoint = endpoint;
    return out;
}

http_answer unauthenticated(std::string text)
{
    auto out = plain_answer(401, std::move(text));
    out.headers.emplace_back("WWW-Authenticate", "Bearer");
    return out;
}

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

server_engine::server_engine(const asio::any_io_executor& strand, endpoint_options options,
                             std::shared_ptr<endpoint_meters> meters)
    : strand_(strand),
      options_(std::move(options)),
      meters_(std::move(meters)),
      table_(
          options_.limits.max_connections, [this] { return pass_on(); }, options_.time, strand),
      feed_(options_.debug
                ? std::make_shared<snapshot_feed>(*options_.debug, options_.limits.snapshot_period, options_.time)
                : nullptr),
      metrics_page_(options_.limits.render_share),
      handshakes_(turns_in_a_second(options_.limits, options_.limits.max_handshakes_per_second)),
      requests_(turns_in_a_second(options_.limits, options_.limits.max_requests_per_second)),
      renders_(for_all_connections(options_.limits, 1), render_budget(options_.limits.render_share)),
      parts_(for_all_connections(options_.limits, 1), render_budget(options_.limits.page_share, pages_at_once)),
      bytes_(for_all_connections(options_.limits, options_.limits.max_answer_bytes)),
      streams_(for_all_connections(options_.limits, options_.limits.max_streams)),
      repeats_(log_pause),
      refusals_(log_pause),
      breaks_(log_pause),
      closings_(log_pause)
{
    for (const auto& page : options_.pages)
        places_.emplace_back(for_all_connections(options_.limits, page.max_answers));
}

time_point server_engine::pass_on()
{
    const auto present = now();
    time_point due = time_point::max();
    const auto begin = [&](client_turns& of) {
        while (auto* const next = of.next(present)) next->on_turn();
        due = std::min(due, of.due(present));
    };
    for (auto* of : {&handshakes_, &requests_, &renders_, &parts_, &bytes_, &streams_}) begin(*of);
    for (auto& of : places_) begin(of);
    meters_->on_answer_bytes(bytes_.used());
    table_.watch(due);
    return due;
}

connection_table::predicate server_engine::holders_of(const client_turns& of) const
{
    if (&of == &bytes_) return [](const connection& c) { return c.holds_answer(); };
    if (&of == &streams_) return [](const connection& c) { return c.streams(); };
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (&of == &places_[i]) return [page = &options_.pages[i]](const connection& c) { return c.sends() == page; };
    return {};
}

void server_engine::make_way(const client_turns& of)
{
    KUBECORO_EXPECT(runs_on(strand_));
    const auto holds = holders_of(of);
    if (!holds) return;
    const time_point stalled = time_after(now(), -patience), old = time_after(now(), -fair_time);
    // One that waits for a turn itself is not slow.
    if (table_.make_room(
            [&](const connection& c) { return holds(c) && !c.awaits_turn() && *c.waits_since() <= stalled; }))
        return;
    const auto crowd = of.displaced();
    if (!crowd) return;
    table_.end_oldest_answer(
        [&](const connection& c) { return holds(c) && c.client() == *crowd && *c.answers_since() <= old; });
}

std::optional<http_answer> server_engine::refusal_of(const request_head& request) const
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

asio::awaitable<http_answer> server_engine::answer(const request_head& request, connection& by)
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

void server_engine::count(const http_answer& answer, const request_head& request)
{
    KUBECORO_EXPECT(runs_on(strand_));
    meters_->on_request(answer.endpoint, answer.status);
    if (answer.status < 400 || answer.endpoint == "livez" || answer.endpoint == "readyz") return;
    if (const auto held_back = refusals_.pass(now()))
        options_.log.info("a request was refused", {{"method", printable(request.method, 20)},
                                                    {"target", printable(request.target, longest_logged_target)},
                                                    {"status", answer.status},
                                                    {"held_back", *held_back}});
}

asio::awaitable<http_answer> server_engine::route(const request_head& request, connection& by)
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

asio::awaitable<std::optional<http_answer>> server_engine::refusal_by_token(const request_head& request,
                                                                            std::string path, connection& by) const
{
    const auto token = bearer_token(request.authorization);
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

http_answer server_engine::answer_metrics(const request_head& request)
{
    http_answer out;
    out.endpoint = "metrics";
    out.content_type = exposition_format;
    auto page = metrics_page_.get(*options_.time, accepts_gzip(request.accept_encoding),
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

asio::awaitable<http_answer> server_engine::answer_page(std::size_t page, const request_head& request, connection& by)
{
    const streamed_page& made_of = options_.pages[page];
    // Without chunks, an answer that breaks off looks complete.
    if (!request.reads_chunks) co_return plain_answer(505, "HTTP/1.1 is needed\n");
    http_answer out;
    // A HEAD costs nothing: nobody gives way to it.
    if (request.method != "HEAD") {
        out.place = std::make_shared<shared_turn>(*this, places_[page], by.client());
        const bool may = co_await by.take_turn(*out.place);
        if (!may) co_return later("page", "others read this page now\n");
    }
    out.endpoint = "page";
    out.content_type = made_of.content_type;
    out.page = &made_of;
    // Begun with the first part, which a HEAD does not make.
    out.parts = [&made_of, parts = body_parts()](std::string& part) mutable {
        if (!parts) parts = made_of.begin();
        return parts(part);
    };
    co_return out;
}

asio::awaitable<http_answer> server_engine::answer_debug(const request_target& target, const request_head& request,
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
    const bool as_json = target.has("format") ? target.value("format") == "json" : prefers_json(request.accept);
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
    compress(out, request.accept_encoding);
    co_return out;
}

/// The page holds nothing of the program, and asks for a token if its stream needs one.
http_answer server_engine::answer_dashboard(const request_head& request) const
{
    const dashboard_page& page = the_dashboard_page();
    http_answer out;
    out.endpoint = "dashboard";
    out.content_type = "text/html; charset=utf-8";
    if (accepts_gzip(request.accept_encoding)) {
        out.shared_body = page.compressed;
        mark_compressed(out);
    } else {
        out.body = page.html;
    }
    out.headers.emplace_back("Content-Security-Policy", page.policy);
    return out;
}

asio::awaitable<http_answer> server_engine::answer_stream(const request_head& request, connection& by)
{
    http_answer out;
    out.endpoint = "dashboard";
    // A foreign page could not read the stream, but use up the streams.
    if (request.fetch_site == "cross-site" || request.fetch_site == "same-site") {
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

http_answer server_engine::no_room() const { return later("none", "too many answers wait for their clients\n"); }

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

void server_engine::publish_open() { meters_->on_open_connections(table_.size()); }

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
    if (why == closing::past_deadline) {
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
