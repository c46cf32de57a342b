// Every operation of the client, with a failure at each of its reads, writes and connections in turn: it ends, with
// success or a failure that says what was asked, and never repeats a write that the server may have got.
#include "http/http_transport.hpp"
#include "served_connection.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/client/apply.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/discovery.hpp>
#include <kubecoro/client/log_stream.hpp>
#include <kubecoro/client/subresources.hpp>
#include <kubecoro/client/table.hpp>
#include <kubecoro/client/writing.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

using namespace kubecoro;
using namespace kubecoro::test;
namespace asio = boost::asio;
namespace json = boost::json;

namespace {

using outcome = asio::awaitable<result<>>;

const auto maps = untyped::config_map::resource();
const auto pods = untyped::pod::resource();
const auto deployments = untyped::deployment::resource();
const std::string ns = "default";
const std::string log_text = "first line\nsecond line\n";

json::object meta(const std::string& name) { return {{"name", name}, {"labels", json::object{{"app", "x"}}}}; }

std::string map_text(const std::string& name)
{
    return json::serialize(json::object{
        {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", meta(name)}, {"data", json::object{{"k", "1"}}}});
}

std::string pod_text(const std::string& name)
{
    const json::array containers{json::object{{"name", "c"}, {"image", "i"}}};
    return json::serialize(json::object{{"apiVersion", "v1"},
                                        {"kind", "Pod"},
                                        {"metadata", meta(name)},
                                        {"spec", json::object{{"containers", containers}}}});
}

std::string deployment_text(const std::string& name)
{
    const json::object labels{{"app", "x"}};
    const json::array containers{json::object{{"name", "c"}, {"image", "i"}}};
    const json::object of_pods{{"metadata", json::object{{"labels", labels}}},
                               {"spec", json::object{{"containers", containers}}}};
    return json::serialize(json::object{
        {"apiVersion", "apps/v1"},
        {"kind", "Deployment"},
        {"metadata", meta(name)},
        {"spec",
         json::object{{"replicas", 1}, {"selector", json::object{{"matchLabels", labels}}}, {"template", of_pods}}}});
}

/// The server with its objects, and a client whose connections can fail. Everything in virtual time.
struct world
{
    testing::runner& run;
    apiserver::embedded_server server{run.executor(), options()};
    std::shared_ptr<served_wire> wire = std::make_shared<served_wire>();
    client api = make();

    explicit world(testing::runner& r, bool secured = false) : run(r)
    {
        if (secured) wire->tls = std::make_shared<tls_ends>();
        const std::string core = "/api/v1/namespaces/default/";
        must(server.execute("POST", core + "configmaps", map_text("m")));
        must(server.execute("POST", core + "configmaps", map_text("n")));
        must(server.execute("POST", core + "pods", pod_text("p")));
        must(server.execute("POST", core + "serviceaccounts",
                            R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"a"}})"));
        must(server.execute("POST", "/apis/apps/v1/namespaces/default/deployments", deployment_text("d")));
        must(server.append_log({ns, "p", "c"}, log_text));
        must(server.end_log({ns, "p", "c"}));
    }

    template<class T>
    void must(asio::awaitable<result<T>> operation)
    {
        const auto done = run.run(std::move(operation));
        REQUIRE(done);
    }

    apiserver::server_options options()
    {
        apiserver::server_options o;
        o.time = run.shared_clock();
        return o;
    }
    client make()
    {
        wire->server = std::make_shared<apiserver::in_process_transport>(server);
        client_options o;
        o.time = run.shared_clock();
        auto over = detail::make_http_transport(make_served_connector(wire), run.shared_clock(), {.host = "h:1"});
        return {run.executor(), std::move(over), std::move(o)};
    }
};

template<class T>
outcome plain(asio::awaitable<result<T>> operation)
{
    const auto done = co_await std::move(operation);
    if (!done) co_return done.error();
    co_return result<>{};
}

outcome watch_two(client c)
{
    watch_options o;
    o.resource_version = "0";
    auto watch = co_await c.watch(maps, ns, o);
    if (!watch) co_return watch.error();
    for (std::size_t seen = 0; seen < 2;) {
        const auto events = co_await (*watch)->next();
        if (!events) co_return events.error();
        if (events->empty()) co_return failure(cond::unreachable, "the watch ended").with_request("GET", "a watch");
        seen += events->size();
    }
    co_return result<>{};
}

outcome read_log(client c, bool follow)
{
    log_options o;
    o.follow = follow;
    auto log = co_await pod_logs(c, ns, "p", o);
    if (!log) co_return log.error();
    std::size_t lines = 0;
    for (;;) {
        const auto some = co_await (*log)->next();
        if (!some) co_return some.error();
        if (some->empty()) break;
        lines += some->size();
    }
    if (lines != 2) co_return failure(cond::internal, "a log that ended cleanly has lost lines");
    co_return result<>{};
}

outcome read_log_bytes(client c)
{
    auto log = co_await pod_logs(c, ns, "p");
    if (!log) co_return log.error();
    std::string all;
    for (;;) {
        const auto some = co_await (*log)->read_some();
        if (!some) {
            // A stream that has broken off stays so.
            const auto again = co_await (*log)->read_some();
            co_return again ? failure(cond::internal, "a log that broke off goes on") : some.error();
        }
        if (some->empty()) break;
        all.append(*some);
    }
    if (all != log_text) co_return failure(cond::internal, "a log that ended cleanly has lost bytes");
    co_return result<>{};
}

outcome read_raw(client c)
{
    request r;
    r.method = "GET";
    r.target = "/api/v1/namespaces/default/configmaps/m";
    auto got = co_await c.send(r);
    if (!got) co_return got.error();
    for (;;) {
        const auto some = co_await (*got)->read_some();
        // The failure of a body that the caller reads is without its request.
        if (!some) co_return some.error().with_request(r.method, r.target);
        if (some->empty()) co_return result<>{};
    }
}

outcome raw_post(client c)
{
    request r;
    r.method = "POST";
    r.target = "/api/v1/namespaces/default/configmaps";
    r.content_type = "application/json";
    r.body = map_text("raw");
    return plain(c.raw(r));
}

outcome list_in_pages(client c)
{
    list_options o;
    o.limit = 1;
    return plain(c.list_all(maps, ns, o));
}

outcome evict_pod(client c) { return evict(c, ns, "p"); }

outcome conditional_scale(client c)
{
    scale_options o;
    o.only_from = 1;
    return plain(set_scale(c, deployments, ns, "d", 3, o));
}

outcome brought_to(client c, std::string name)
{
    object_edit edit = [](json::object& o) { o["data"] = json::object{{"k", "2"}}; };
    return plain(create_or_update(c, maps, {ns, name}, edit));
}

outcome finalized(client c)
{
    const auto got = co_await c.get(maps, ns, "m");
    if (!got) co_return got.error();
    const auto held = co_await ensure_finalizer(c, *got, "janitor/cleanup");
    if (!held) co_return held.error();
    const auto freed = co_await remove_finalizer(c, *held, "janitor/cleanup");
    if (!freed) co_return freed.error();
    co_return result<>{};
}

outcome patched(client c, patch_kind kind)
{
    const std::string text =
        kind == patch_kind::json ? R"([{"op":"add","path":"/data/n","value":"2"}])" : R"({"data":{"n":"2"}})";
    return plain(c.patch(maps, ns, "m", kind, text));
}

outcome applied(client c)
{
    write_options o;
    o.field_manager = "tests";
    o.force = true;
    return plain(c.apply(maps, ns, "m", map_text("m"), o));
}

outcome migrated(client c)
{
    apply_migration how;
    how.from = {"unknown"};
    how.to = "tests";
    return plain(migrate_to_apply(c, maps, ns, "m", how));
}

struct operation
{
    std::string name;
    std::function<outcome(client)> run;
    /// The body has no end, so that silence in it is no failure.
    bool endless = false;
};

const std::vector<operation>& operations()
{
    static const json::value container = json::object{{"name", "debug"}, {"image", "i"}};
    static const std::vector<operation> all{
        {"get", [](client c) { return plain(c.get(maps, ns, "m")); }},
        {"list", [](client c) { return plain(c.list(maps, ns)); }},
        {"list in pages", list_in_pages},
        {"watch", watch_two, true},
        {"create", [](client c) { return plain(c.create(maps, ns, map_text("new"))); }},
        {"update", [](client c) { return plain(c.update(maps, ns, "m", map_text("m"))); }},
        {"merge patch", [](client c) { return patched(c, patch_kind::merge); }},
        {"json patch", [](client c) { return patched(c, patch_kind::json); }},
        {"strategic patch", [](client c) { return patched(c, patch_kind::strategic_merge); }},
        {"apply", applied},
        {"migrate to apply", migrated},
        {"remove", [](client c) { return plain(c.remove(maps, ns, "m")); }},
        {"remove collection", [](client c) { return plain(c.remove_collection(maps, ns)); }},
        {"raw", raw_post},
        {"send", read_raw, true},
        {"get scale", [](client c) { return plain(get_scale(c, deployments, ns, "d")); }},
        {"set scale", [](client c) { return plain(set_scale(c, deployments, ns, "d", 3)); }},
        {"set scale from", conditional_scale},
        {"evict", evict_pod},
        {"token", [](client c) { return plain(create_token(c, ns, "a")); }},
        {"ephemeral container", [](client c) { return plain(add_ephemeral_container(c, ns, "p", container)); }},
        {"bind", [](client c) { return bind_pod(c, ns, "p", "node"); }},
        {"log", [](client c) { return read_log(c, false); }},
        {"log, followed", [](client c) { return read_log(c, true); }, true},
        {"log, bytes", read_log_bytes},
        {"table", [](client c) { return plain(list_table(c, pods, ns)); }},
        {"discovery", [](client c) { return plain(find_resource(c, "deploy")); }},
        {"create or update: new", [](client c) { return brought_to(c, "new"); }},
        {"create or update: there", [](client c) { return brought_to(c, "m"); }},
        {"finalizer", finalized},
        {"remove and wait",
         [](client c) {
             return remove_and_wait(c, maps, {ns, "m"});
         }},
    };
    return all;
}

const operation& named(const std::string& name)
{
    const auto& all = operations();
    return *std::find_if(all.begin(), all.end(), [&](const auto& o) { return o.name == name; });
}

/// Whether the server got a change more than once.
bool has_repeated(const std::vector<std::string>& changes)
{
    return std::set<std::string>(changes.begin(), changes.end()).size() < changes.size();
}

/// Says what was asked.
bool is_clear(const failure& f)
{
    const bool says_what = !f.target().empty() || f.describe().find("\"default/m\"") != std::string::npos;
    if (!says_what) return false;
    if (f == cond::unreachable || f == cond::timed_out || f == cond::corrupt) return true;
    // The garbage is SOCKS5's word for this.
    return f == cond::unauthorized && f.message().find("asks for a login") != std::string::npos;
}

using tunnel_maker = std::function<std::unique_ptr<detail::tunnel_core>()>;

/// The layers between the client and the server.
struct between
{
    /// Empty: no proxy.
    tunnel_maker tunnel = {};
    bool tls = false;
};

struct attempt
{
    /// The number of the operation on the wire that fails, counted from the first of this request.
    std::size_t nth;
    io_failure how;
    /// On a connection that has carried another request before.
    bool reused;
    between way = {};
};

/// @param changes  The number of different changes that the server gets when nothing fails; set when nothing does.
/// @return whether the failure was reached.
bool check(const operation& op, attempt a, std::optional<std::size_t>& changes)
{
    INFO(op.name << ": failure " << static_cast<int>(a.how) << " at " << a.nth << (a.reused ? " of a reused one" : ""));
    testing::runner run;
    world the(run, a.way.tls);
    auto& wire = *the.wire;
    wire.tunnel = a.way.tunnel;
    if (a.reused) the.must(the.api.get(maps, ns, "n"));
    wire.fails_at = wire.operations + a.nth;
    wire.how = a.how;
    const auto done = run.run(op.run(the.api));
    const bool reached = wire.operations >= wire.fails_at;
    wire.fails_at = 0;

    if (!done) {
        INFO(done.error().describe());
        CHECK(reached);
        CHECK(is_clear(done.error()));
    }
    if (!reached) changes = wire.changes.size();
    if (done && changes) CHECK(wire.changes.size() == *changes);
    CHECK_FALSE(has_repeated(wire.changes));
    // Broken connections are not kept, and the client goes on.
    the.must(the.api.list(pods, ns));
    CHECK(wire.open == 1);
    the.must(the.server.stop());
    return reached;
}

void check_each(io_failure how, const operation& op, const between& way = {})
{
    for (const bool reused : {false, true}) {
        std::optional<std::size_t> changes;
        CHECK_FALSE(check(op, {10'000, how, reused, way}, changes));
        std::size_t nth = 1;
        while (check(op, {nth, how, reused, way}, changes)) ++nth;
        // A request and the head of its response are two operations at least.
        CHECK(nth > 2);
    }
}

void check_each(io_failure how)
{
    for (const auto& op : operations())
        if (!op.endless || how != io_failure::silent) check_each(how, op);
}

} // namespace

namespace {

constexpr io_failure all_failures[] = {io_failure::broken, io_failure::ended, io_failure::half, io_failure::silent,
                                       io_failure::odd};

} // namespace

TEST_CASE("every I/O: connections break", "[client][every_io]") { check_each(io_failure::broken); }

TEST_CASE("every I/O: connections end, and the bytes written last are lost", "[client][every_io]")
{
    check_each(io_failure::ended);
}

TEST_CASE("every I/O: half of the bytes get through", "[client][every_io]") { check_each(io_failure::half); }

TEST_CASE("every I/O: the peer is silent", "[client][every_io]") { check_each(io_failure::silent); }

TEST_CASE("every I/O: a request is executed and the peer dies, or garbage arrives", "[client][every_io]")
{
    check_each(io_failure::odd);
}

TEST_CASE("every I/O: operations that are cancelled at any step end, and repeat nothing", "[client][every_io]")
{
    for (const auto& op : operations()) {
        INFO(op.name);
        world* now = nullptr; // which the scenario owns
        const auto make = [&](testing::runner& run) {
            const auto made = std::make_shared<world>(run);
            now = made.get();
            return testing::scenario{op.run(made->api), made};
        };
        const auto ended = [&](const result<>& done) {
            if (!done) CHECK(done.error() == cond::cancelled);
            CHECK_FALSE(has_repeated(now->wire->changes));
            now->must(now->server.stop());
        };
        const auto attempts = testing::cancel_after_every_step(make, ended);
        REQUIRE(attempts);
        CHECK(*attempts > 3);
    }
}

TEST_CASE("every I/O: records of TLS, from the first of the handshake to the last of a body", "[client][every_io]")
{
    for (const auto how : all_failures)
        for (const char* name : {"get", "create", "merge patch", "list", "watch", "log", "log, bytes"}) {
            const auto& op = named(name);
            if (!op.endless || how != io_failure::silent) check_each(how, op, {.tls = true});
        }
}

TEST_CASE("every I/O: each byte of the tunnels through proxies", "[client][every_io]")
{
    const detail::tunnel_target server{"api.example", "6443"};
    const auto http = *detail::proxy_address::parse("http://u:p@p:3128");
    const auto socks = *detail::proxy_address::parse("socks5://p");
    const tunnel_maker makers[] = {[=] { return detail::make_http_tunnel(http, server); },
                                   [=] { return detail::make_socks5_tunnel(socks, server); }};
    for (const auto& tunnel : makers)
        for (const auto how : all_failures)
            for (const char* name : {"get", "create", "log"}) check_each(how, named(name), {.tunnel = tunnel});
}
