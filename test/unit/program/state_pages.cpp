// The debug pages of a manager and of its clusters.
#include "operator/state_pages.hpp"

#include <kubecoro/base/log.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/parse.hpp>

#include <string>
#include <vector>

namespace json = boost::json;
using namespace kubecoro;
using detail::clusters_page;
using detail::manager_page;

namespace {

constexpr std::size_t room_for_the_last_line = 200;

std::vector<cluster_stats> many_clusters()
{
    std::vector<cluster_stats> out(2000);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = {.name = "c" + std::to_string(i), .trouble = failure(cond::forbidden, std::string(5000, 'x'))};
    return out;
}

} // namespace

TEST_CASE("debug pages: that of a manager has a limit, whatever it runs", "[program]")
{
    manager_stats many;
    std::string text;
    for (int i = 0; i < 50'000; ++i) {
        many.parts.push_back(
            {.name = "cluster " + std::to_string(i), .last_failure = failure(cond::unreachable, "away")});
        text += "  cluster " + std::to_string(i) + ": running\n";
    }
    const auto page = manager_page([&] { return text; }, [&] { return many; });
    const auto shown = page.text();
    CHECK(shown.size() <= most_debug_page_bytes + room_for_the_last_line);
    CHECK(shown.find("more are not shown") != std::string::npos);
    const auto as_json = page.json();
    CHECK(as_json.size() <= most_debug_page_bytes + room_for_the_last_line);
    const auto parsed = json::parse(as_json).as_object();
    CHECK(parsed.at("phase") == "created");
    const auto& parts = parsed.at("parts").as_array();
    CHECK(parts.back().at("left_out").to_number<std::size_t>() + parts.size() - 1 == many.parts.size());
    CHECK(parts.front().at("lastFailure").as_string().find("away") != json::string::npos);
}

TEST_CASE("debug pages: that of a manager is safe for a terminal", "[program]")
{
    const auto page =
        manager_page([] { return std::string("part: \x1b[2Jfailed\n  next\n"); }, [] { return manager_stats(); });
    CHECK(page.text().find('\x1b') == std::string::npos);
    CHECK(page.text().find("\n  next\n") != std::string::npos);
    CHECK(page.json() == R"({"phase":"created","parts":[]})");
}

TEST_CASE("debug pages: that of clusters has a limit, and shows one on request", "[program]")
{
    const auto page = clusters_page(many_clusters);
    CHECK(page.text().size() <= most_debug_page_bytes + room_for_the_last_line);
    CHECK(json::parse(page.json()).as_array().back().at("left_out").to_number<std::size_t>() > 1000);
    const auto one = page.of_cluster("c1999");
    CHECK(one.text().starts_with("c1999: "));
    CHECK(json::parse(one.json()).as_array().size() == 1);
    CHECK(page.of_cluster("none").text() == "no clusters\n");
}

TEST_CASE("debug pages: that of the settings shows the level of the log as it is now", "[program]")
{
    const log_control level(log_level::info);
    operator_options o{.name = "janitor", .metrics = ":8080", .protect = true};
    o.metrics_tls.certificate_file = "/tls/tls.crt";
    o.managing.leader_election = {.lease = "janitor", .ns = "ops"};
    const auto page =
        detail::settings_page(o, "https://10.0.0.1", {"web", "jobs"}, level.make([](const log_record&) {}));
    const auto shown = json::parse(page.json());
    CHECK(shown.at("namespaces") == "web,jobs");
    CHECK(shown.at("lease") == "janitor");
    CHECK(shown.at("leaseNamespace") == "ops");
    CHECK(shown.at("metricsCertificate") == "/tls/tls.crt");
    CHECK(shown.at("protect") == "true");
    CHECK(shown.at("traces") == "off");
    CHECK(shown.at("logLevel") == "info");
    level.set(log_level::trace);
    CHECK(json::parse(page.json()).at("logLevel") == "trace");
    CHECK(page.text().find("logLevel: trace\n") != std::string::npos);
}
