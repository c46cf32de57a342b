// Reading and writing a Lease, whatever others have put into it.
#include "election/lease_record.hpp"
#include "election/election_settings.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <functional>
#include <string>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;

namespace {

lease_record read(const std::string& spec)
{
    const auto o = object::parse(R"({"kind":"Lease","metadata":{"name":"l"},"spec":)" + spec + "}");
    REQUIRE(o.has_value());
    return read_lease(*o).record;
}

std::string written(const std::string& lease, const lease_change& change, const lease_labels& labels = {})
{
    const auto o = object::parse(lease);
    REQUIRE(o.has_value());
    auto json = o->to_json().as_object();
    write_lease(json, change, labels, wall_time{1769860800s});
    return boost::json::serialize(json);
}

} // namespace

TEST_CASE("lease record: what is read is what the server has", "[election]")
{
    const auto o = object::parse(
        R"({"kind":"Lease","metadata":{"name":"l","uid":"u-1","resourceVersion":"77"},"spec":{"holderIdentity":"a_1",
            "leaseDurationSeconds":15,"acquireTime":"2026-01-01T00:00:00.000000Z","renewTime":"9999-12-31T23:59:59.999999Z",
            "leaseTransitions":4}})");
    REQUIRE(o.has_value());
    const auto lease = read_lease(*o);
    CHECK(lease.resource_version == "77");
    CHECK(lease.uid == "u-1");
    CHECK(lease.record == lease_record{"a_1", 15, "2026-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z", 4});
}

TEST_CASE("lease record: missing, negative and foreign values are none", "[election]")
{
    CHECK(read("{}") == lease_record());
    CHECK(read("null") == lease_record());
    CHECK(read("[1,2]") == lease_record());
    CHECK(
        read(
            R"({"holderIdentity":7,"leaseDurationSeconds":"15","renewTime":{},"acquireTime":[],"leaseTransitions":true})") ==
        lease_record());
    CHECK(read(R"({"leaseDurationSeconds":-9223372036854775808,"leaseTransitions":-1})") == lease_record());
    const auto huge = read(R"({"leaseDurationSeconds":9223372036854775807,"leaseTransitions":1e300})");
    CHECK(huge.duration_seconds == 2147483647);
    CHECK(huge.transitions == 0);
    CHECK(read_lease(object()).record == lease_record());
    const std::string text(1'000'000, 'x');
    CHECK(read(R"({"holderIdentity":")" + text + "\"}").holder == text);
}

TEST_CASE("lease record: LeaseSpecToLeaderElectionRecordRoundTrip: what is written is read again", "[election]")
{
    const auto text = written(R"({"kind":"Lease","metadata":{"name":"l"}})",
                              {.holder = "b_2", .duration_seconds = 15, .transitions = 3, .acquires = true});
    const auto lease = read_lease(*object::parse(text));
    CHECK(lease.record == lease_record{"b_2", 15, "2026-01-31T12:00:00.000000Z", "2026-01-31T12:00:00.000000Z", 3});
}

TEST_CASE("lease record: a renewal keeps the time of acquisition, and everything that others have put there",
          "[election]")
{
    const auto before =
        R"({"kind":"Lease","metadata":{"name":"l","labels":{"team":"a"},"annotations":{"note":"x"}},"spec":{"acquireTime":"then","strategy":"OldestEmulationVersion","preferredHolder":"c"}})";
    const auto o = object::parse(written(before, {.holder = "b_2", .duration_seconds = 15}, {{"app", "janitor"}}));
    REQUIRE(o.has_value());
    CHECK(o->path("spec.acquireTime").as_string() == "then");
    CHECK(o->path("spec.strategy").as_string() == "OldestEmulationVersion");
    CHECK(o->path("spec.preferredHolder").as_string() == "c");
    CHECK(o->annotations()["note"].as_string() == "x");
    CHECK(o->labels()["team"].as_string() == "a");
    CHECK(o->labels()["app"].as_string() == "janitor");
}

TEST_CASE("lease record: what is no record is replaced", "[election]")
{
    for (const std::string spec : {"null", "7", "[]", R"({"acquireTime":null})", R"({"acquireTime":{"a":1}})"}) {
        const auto text = written(R"({"kind":"Lease","metadata":{"name":"l"},"spec":)" + spec + "}",
                                  {.holder = "b_2", .duration_seconds = 15});
        CHECK(read_lease(*object::parse(text)).record.acquired == "2026-01-31T12:00:00.000000Z");
    }
}

TEST_CASE("lease record: durations are whole seconds, rounded up, and at least one", "[election]")
{
    CHECK(lease_seconds(15s) == 15);
    CHECK(lease_seconds(15001ms) == 16);
    CHECK(lease_seconds(1ms) == 1);
    CHECK(lease_seconds(duration::max()) == 2147483647);
    CHECK(validity({.duration_seconds = 40}, 15s) == 40s);
    CHECK(validity({}, 15s) == 15s);
    CHECK(validity({.duration_seconds = 3600}, 15s) == 1h);
}

TEST_CASE("lease record: a record that states more than an hour, and more than the reader's own duration, expires",
          "[election]")
{
    CHECK(validity({.duration_seconds = 2147483647}, 15s) == 1h);
    CHECK(validity({.duration_seconds = 2147483647}, 2h) == 2h);
    CHECK(validity({.duration_seconds = 5400}, 2h) == 90min);
}

TEST_CASE("leader election: LeaderElectionConfigValidation: options that contradict each other are refused",
          "[election]")
{
    const auto with = [](const std::function<void(leader_election_options&)>& change) {
        leader_election_options o{.lease = "l", .identity = "i"};
        change(o);
        const auto checked = check_election(o);
        return checked ? std::string() : checked.error().message();
    };
    CHECK(with([](auto&) {}).empty());
    CHECK(with([](auto& o) { o.lease.clear(); }).find("lease") != std::string::npos);
    CHECK(with([](auto& o) { o.identity.clear(); }).find("identity") != std::string::npos);
    CHECK(with([](auto& o) { o.lease_duration = 10s; }).find("lease_duration must be more than renew") !=
          std::string::npos);
    CHECK(with([](auto& o) { o.renew_deadline = 2400ms; }).find("1.2 times") != std::string::npos);
    CHECK(with([](auto& o) { o.renew_deadline = 2401ms; }).empty());
    CHECK(with([](auto& o) { o.renew_deadline = 0s; }).find("renew_deadline") != std::string::npos);
    CHECK(with([](auto& o) { o.retry_period = 0s; }).find("retry_period") != std::string::npos);
    CHECK(with([](auto& o) { o.lease_duration = 999ms; }).find("at least 1 s") != std::string::npos);
    CHECK(with([](auto& o) { o.lease_duration = duration::max(); }).find("2^31") != std::string::npos);
    CHECK(with([](auto& o) { o.grace = -1s; }).find("grace") != std::string::npos);
}

TEST_CASE("leader election: a request takes at most half of the renew deadline, but may take a second", "[election]")
{
    leader_election_options o{.lease = "l", .identity = "i"};
    CHECK(settings_of(o).request_limit == 5s);
    o.renew_deadline = 1500ms;
    CHECK(settings_of(o).request_limit == 1s);
}

TEST_CASE("leader election: an identity names the host and is never the same", "[election]")
{
    const auto first = new_identity();
    const auto second = new_identity();
    CHECK(first != second);
    CHECK(first.size() - first.rfind('_') == 37);
    CHECK(first.substr(0, first.rfind('_')) == second.substr(0, second.rfind('_')));
}
