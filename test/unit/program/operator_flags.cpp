// How the command line of an operator changes its options.
#include "operator/operator_flags.hpp"
#include "operator/operator_endpoints.hpp"
#include "operator/operator_traces.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/recording_spans.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace kubecoro;

namespace {

operator_options janitor()
{
    operator_options o;
    o.name = "janitor";
    o.leader_election.lease = "janitor-lease";
    o.metrics = ":8080";
    return o;
}

/// The flags of a command line.
detail::operator_flags flags_of(std::vector<std::string> line, const operator_options& o = janitor())
{
    CLI::App app;
    detail::operator_flags flags;
    detail::add_flags(app, o.name, flags);
    if (!o.webhooks.empty()) detail::add_webhooks_flag(app, o.name, flags);
    std::reverse(line.begin(), line.end()); // as CLI11 wants it
    app.parse(line);
    detail::check_environment(app);
    return flags;
}

/// The options after a command line.
operator_options after(operator_options o, std::vector<std::string> line)
{
    detail::apply_flags(flags_of(std::move(line), o), o);
    return o;
}

/// A variable of the environment, for as long as this lives.
class variable
{
public:
    variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
    variable(const variable&) = delete;
    variable& operator=(const variable&) = delete;
    ~variable() { ::unsetenv(name_); }

private:
    const char* name_;
};

const std::string& lease_of(const operator_options& o) { return o.managing.leader_election.lease; }

} // namespace

TEST_CASE("operator flags: without any the options count", "[program]")
{
    const auto o = after(janitor(), {});
    CHECK(lease_of(o) == "janitor-lease");
    CHECK(o.metrics == ":8080");
    CHECK(o.health.empty());
    CHECK(o.managing.name == "janitor");
    CHECK(o.connection.user_agent == "janitor");
}

TEST_CASE("operator flags: an election is switched on and off, and its Lease named", "[program]")
{
    CHECK(lease_of(after(janitor(), {"--no-leader-election"})).empty());
    CHECK(lease_of(after(janitor(), {"--leader-election=false"})).empty());
    CHECK(lease_of(after(janitor(), {"--leader-election"})) == "janitor-lease");
    CHECK(lease_of(after(janitor(), {"--leader-election=true"})) == "janitor-lease");
    CHECK(lease_of(after({.name = "janitor"}, {})).empty());
    CHECK(lease_of(after({.name = "janitor"}, {"--leader-election"})) == "janitor");
    const auto named =
        after({.name = "janitor"}, {"--leader-election-lease", "other", "--leader-election-namespace", "ops"});
    CHECK(lease_of(named) == "other");
    CHECK(named.managing.leader_election.ns == "ops");
    CHECK_THROWS_AS(after(janitor(), {"--leader-election-lease", "../x"}), CLI::ValidationError);
    CHECK_THROWS_AS(after(janitor(), {"--leader-election-namespace", "A"}), CLI::ValidationError);
}

TEST_CASE("operator flags: what is neither yes nor no is refused, on the command line and in the environment",
          "[program]")
{
    for (const auto* flag :
         {"--leader-election=maybe", "--metrics-secure=ture", "--metrics-secure=99999999999999999999"})
        CHECK_THROWS_AS(after(janitor(), {flag}), CLI::ValidationError);
    CHECK(after(janitor(), {"--metrics-secure=yes"}).protect);
    CHECK(lease_of(after(janitor(), {"--leader-election=0"})).empty());
    CHECK(lease_of(after(janitor(), {"--leader-election=No"})).empty());
    const variable elects("JANITOR_LEADER_ELECTION", "maybe");
    CHECK_THROWS_AS(after(janitor(), {}), CLI::ValidationError);
}

TEST_CASE("operator flags: the environment says what the command line does not", "[program]")
{
    const variable elects("JANITOR_LEADER_ELECTION", "false");
    const variable where("JANITOR_NAMESPACE", "web,jobs");
    CHECK(lease_of(after(janitor(), {})).empty());
    CHECK(lease_of(after(janitor(), {"--leader-election"})) == "janitor-lease");
    CHECK(after(janitor(), {}).managing.namespaces == std::vector<std::string>{"web", "jobs"});
    CHECK(after(janitor(), {"-n", "ops"}).managing.namespaces == std::vector<std::string>{"ops"});
}

TEST_CASE("operator flags: namespaces are checked as a list, as newer versions of CLI11 pass them", "[program]")
{
    CLI::App app;
    detail::operator_flags flags;
    detail::add_flags(app, "janitor", flags);
    const auto& check = *app.get_option("--namespace")->get_validator(0);
    for (std::string good : {"web", "web,jobs", "a,b-c,d0"}) CHECK(check(good).empty());
    for (std::string bad : {"", ",", "web,", ",web", "web,,jobs", "web,Jobs", "web jobs"})
        CHECK_FALSE(check(bad).empty());
}

TEST_CASE("operator flags: an empty element of a list of namespaces is refused, wherever it is", "[program]")
{
    CHECK(after(janitor(), {"-n", "web,jobs", "-n", "ops"}).managing.namespaces ==
          std::vector<std::string>{"web", "jobs", "ops"});
    for (const auto* bad : {",", "web,", ",web", "web,,jobs"}) {
        CHECK_THROWS_AS(after(janitor(), {"-n", bad}), CLI::ValidationError);
        const variable where("JANITOR_NAMESPACE", bad);
        CLI::App app;
        detail::operator_flags flags;
        detail::add_flags(app, "janitor", flags);
        // Thrown by one of the two: see check_environment().
        const auto parse = [&app] {
            app.parse(std::vector<std::string>{});
            detail::check_environment(app);
        };
        CHECK_THROWS_AS(parse(), CLI::ValidationError);
    }
}

TEST_CASE("operator flags: flags of the operator's own have variables of the environment", "[program]")
{
    const variable workers("CONFIG_JANITOR_DRY_RUNS", "7");
    const variable named("ELSEWHERE", "8");
    int runs = 1, other = 1, positional = 1;
    CLI::App app;
    detail::operator_flags flags;
    detail::add_flags(app, "config-janitor", flags);
    detail::add_own_flags(app, "config-janitor", [&](CLI::App& a) {
        a.add_option("--dry-runs", runs, "");
        a.add_option("--other", other, "")->envname("ELSEWHERE");
        a.add_option("positional", positional, "");
    });
    app.parse(std::vector<std::string>{});
    CHECK(runs == 7);
    CHECK(other == 8);
    CHECK(app.get_option("--print-rbac")->get_envname().empty());
    app.parse(std::vector<std::string>{"3", "--dry-runs"});
    CHECK(runs == 3);
}

TEST_CASE("operator flags: a variable whose value was not taken is an error that names it", "[program]")
{
    CLI::App app;
    detail::operator_flags flags;
    detail::add_flags(app, "janitor", flags);
    app.parse(std::vector<std::string>{"json", "--log-format"});
    detail::check_environment(app);
    const variable empty("JANITOR_TRACE_FILE", "");
    const variable overridden("JANITOR_LOG_FORMAT", "xml");
    detail::check_environment(app);
    // As if this version had passed over it.
    const variable wrong("JANITOR_LOG_LEVEL", "loud\n");
    CHECK_THROWS_WITH(detail::check_environment(app), "JANITOR_LOG_LEVEL: \"loud \" is no value of --log-level");
}

TEST_CASE("operator flags: an election of the manager's options stays when the operator's names none", "[program]")
{
    operator_options o;
    o.name = "janitor";
    o.managing.leader_election.lease = "inner";
    CHECK(lease_of(after(o, {})) == "inner");
    o.leader_election.lease = "outer";
    CHECK(lease_of(after(o, {})) == "outer");
}

TEST_CASE("operator flags: metrics are protected by flags, whatever the options say", "[program]")
{
    CHECK_FALSE(after(janitor(), {}).protect);
    CHECK(after(janitor(), {"--metrics-secure"}).protect);
    auto secured = janitor();
    secured.protect = true;
    secured.metrics_tls = {"a.crt", "a.key"};
    CHECK(after(secured, {}).protect);
    CHECK_FALSE(after(secured, {"--no-metrics-secure"}).protect);
    const auto o = after(secured, {"--metrics-certificate", "b.crt", "--metrics-key", "b.key"});
    CHECK(o.metrics_tls.certificate_file == "b.crt");
    CHECK(o.metrics_tls.key_file == "b.key");
    CHECK(after(secured, {}).metrics_tls.key_file == "a.key");
}

TEST_CASE("operator flags: addresses replace those of the options, also by none", "[program]")
{
    CHECK(after(janitor(), {"--metrics-address", "0", "--health-address", "8081"}).metrics == "0");
    CHECK(after(janitor(), {"--metrics-address", "0", "--health-address", "8081"}).health == "8081");
}

TEST_CASE("operator flags: webhooks have an address in programs with webhooks only", "[program]")
{
    auto o = janitor();
    CHECK_THROWS_AS(after(o, {"--webhooks-address", "0"}), CLI::ParseError);
    o.webhooks = ":9443";
    CHECK(after(o, {}).webhooks == ":9443");
    CHECK(after(o, {"--webhooks-address", "0"}).webhooks == "0");
    const variable elsewhere("JANITOR_WEBHOOKS_ADDRESS", ":9000");
    CHECK(after(o, {}).webhooks == ":9000");
}

TEST_CASE("operator endpoints: only addresses of this machine count as loopback", "[program]")
{
    for (const auto* here : {"8080", "127.0.0.1:8080", "127.1.2.3:1", "[::1]:8080", "localhost:8080"})
        CHECK(detail::is_loopback(here));
    for (const auto* open :
         {":8080", "0.0.0.0:8080", "[::]:8080", "10.0.0.1:8080", "127.evil.example:8080", "1270.0.0.1:80"})
        CHECK_FALSE(detail::is_loopback(open));
}

TEST_CASE("operator endpoints: metrics are made when they are served, and must be such that can be served", "[program]")
{
    operator_options off;
    off.metrics = "0";
    CHECK(*detail::operator_metrics(off) == nullptr);
    CHECK(off.connection.metrics == nullptr);

    auto on = janitor();
    const auto made = detail::operator_metrics(on);
    REQUIRE(made);
    CHECK(on.connection.metrics == *made);

    auto own = janitor();
    own.connection.metrics = std::make_shared<prometheus_metrics>();
    CHECK(*detail::operator_metrics(own) == own.connection.metrics);

    auto other = janitor();
    other.connection.metrics = std::make_shared<testing::recording_metrics>();
    const auto refused = detail::operator_metrics(other);
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::misconfigured);
}

TEST_CASE("operator flags: traces go to a file, a share of them", "[program][traces]")
{
    CHECK(flags_of({}).trace_file.empty());
    const auto f = flags_of({"--trace-file", "traces.json", "--trace-sample", "0.25"});
    CHECK(f.trace_file == "traces.json");
    CHECK(f.trace_sample == 0.25);
    CHECK_THROWS_AS(flags_of({"--trace-sample", "1.5"}), CLI::ValidationError);
    CHECK_THROWS_AS(flags_of({"--trace-sample", "-0.1"}), CLI::ValidationError);
    CHECK_FALSE(flags_of({}).wants_ids());
    CHECK(flags_of({"--trace-ids"}).wants_ids());
    CHECK_FALSE(flags_of({"--no-trace-ids"}).wants_ids());
}

TEST_CASE("operator traces: ids alone, unless there are traces", "[program][traces]")
{
    const auto asks = flags_of({"--trace-ids"});
    auto ids = janitor();
    REQUIRE(detail::begin_traces(asks, ids));
    auto& made = ids.managing.traces.tracer;
    REQUIRE(made);
    CHECK(made.start("run", {.parent = made.identify()}).context());

    auto own = janitor();
    const auto spans = std::make_shared<testing::recording_spans>();
    own.managing.traces.tracer = tracer(spans);
    REQUIRE(detail::begin_traces(asks, own));
    own.managing.traces.tracer.start("kept", {}).end();
    CHECK(spans->all().size() == 1);
}

TEST_CASE("operator traces: the file gives the manager a tracer, and must be one that can be opened",
          "[program][traces]")
{
    auto off = janitor();
    REQUIRE(detail::begin_traces({}, off));
    CHECK_FALSE(off.managing.traces.tracer);

    auto on = janitor();
    on.version = "1.2";
    REQUIRE(detail::begin_traces(flags_of({"--trace-file", "/dev/null", "--trace-sample", "0"}), on));
    CHECK(on.managing.traces.tracer);
    CHECK_FALSE(on.managing.traces.tracer.draw());

    auto missing = janitor();
    const auto refused = detail::begin_traces(flags_of({"--trace-file", "/nowhere/traces.json"}), missing);
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::misconfigured);
}
