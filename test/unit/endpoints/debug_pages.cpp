#include <kubecoro/endpoints/debug_pages.hpp>

#include <kubecoro/collections/live_queries.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/parse.hpp>

#include <stdexcept>

using namespace kubecoro;

namespace {

debug_page page(std::string text)
{
    return {.text = [text] { return text; }, .json = [text] { return "1"; }};
}

boost::json::value parsed(const debug_page& p) { return boost::json::parse(p.json()); }

} // namespace

TEST_CASE("debug_pages: pages are added, rendered and removed by name", "[endpoints]")
{
    const debug_pages pages;
    REQUIRE(pages.add("b", page("B")));
    REQUIRE(pages.add("a-1", page("A")));
    CHECK(pages.names() == std::vector<std::string>{"b", "a-1"});
    CHECK(pages.text("a-1") == "A");
    CHECK(pages.json("b") == "1");
    CHECK_FALSE(pages.text("c"));
    CHECK(pages.add("b", page("")).error() == cond::already_exists);
    CHECK(pages.remove("b"));
    CHECK_FALSE(pages.remove("b"));
    CHECK_FALSE(pages.text("b"));
    CHECK(pages.add("b", page("again")));
}

TEST_CASE("debug_pages: names are plain, and both forms are needed", "[endpoints]")
{
    const debug_pages pages;
    for (const std::string bad : {"", "a/b", "A", "..", "a b", "a_b"})
        CHECK(pages.add(bad, page("")).error() == cond::invalid);
    CHECK(pages.add(std::string(65, 'a'), page("")).error() == cond::invalid);
    CHECK(pages.add("a", {.text = [] { return std::string(); }, .json = {}}).error() == cond::invalid);
}

TEST_CASE("debug_pages: a page that throws says so in its form", "[endpoints]")
{
    const debug_pages pages;
    const auto fails = []() -> std::string { throw std::runtime_error("no \"luck\""); };
    REQUIRE(pages.add("x", {.text = fails, .json = fails}));
    CHECK(pages.text("x") == "this page failed: no \"luck\"\n");
    CHECK(pages.json("x") == R"({"error":"no \"luck\""})");
}

TEST_CASE("debug_pages: queues and controllers show what tenants named, made harmless", "[endpoints]")
{
    workqueue_stats queue;
    queue.name = "pods";
    queue.ready = 3;
    queue.in_work = {"web/a\x1b[2J\n</script>"};
    const auto queues = queues_page([queue] { return std::vector{queue}; });
    CHECK(queues.text().find('\x1b') == std::string::npos);
    const auto json = parsed(queues);
    CHECK(json.at(0).at("ready") == 3);
    CHECK(json.at(0).at("in_work").at(0) == "web/a [2J </script>");

    controller_stats controller;
    controller.phase = controller_phase::running;
    controller.queue = queue;
    controller.failed = 2;
    controller.sources = {{.name = "pods", .state = source_state::synced, .trouble = failure{cond::forbidden, "no"}}};
    const auto controllers = controllers_page([controller] { return std::vector{controller}; });
    CHECK(controllers.text().starts_with("controller pods: running"));
    const auto c = parsed(controllers).at(0);
    CHECK(c.at("name") == "pods");
    CHECK(c.at("phase") == "running");
    CHECK(c.at("failed") == 2);
    CHECK(c.at("sources").at(0).at("state") == "synced");
    CHECK(c.at("sources").at(0).at("trouble") == "forbidden: no");
}

TEST_CASE("debug_pages: collections show what they are computed from", "[endpoints]")
{
    const auto page = collections_page([] {
        return std::vector<collection_stats>{
            {.name = "nodes", .synced = true, .elements = 3},
            {.name = "loads", .inputs = {"nodes", "pods"}, .waiting = 2, .computed = 9, .equal = 4}};
    });
    CHECK(page.text() == "nodes: 3 elements\n"
                         "loads (not synced): 0 elements from nodes pods, 9 computations in 0 ms, 4 without a change, "
                         "2 waiting\n");
    const auto json = parsed(page);
    CHECK(json.at(0).at("elements") == 3);
    CHECK(json.at(1).at("inputs").at(1) == "pods");
    CHECK(json.at(1).at("synced") == false);
}

TEST_CASE("debug_pages: tasks by name, and settings without secrets", "[endpoints]")
{
    const auto tasks = tasks_page([] { return std::vector<std::string>{"watch pods", "accept"}; });
    CHECK(tasks.text() == "watch pods\naccept\n");
    CHECK(parsed(tasks).as_array().size() == 2);
    const auto config = config_page([] {
        return std::vector<std::pair<std::string, std::string>>{
            {"workers", "4"}, {"Api-Token", "abc"}, {"db.PASSWORD", "x"}, {"tls key", "y"}};
    });
    CHECK(config.text() == "workers: 4\nApi-Token: (withheld)\ndb.PASSWORD: (withheld)\ntls key: (withheld)\n");
    CHECK(parsed(config).at("Api-Token") == "(withheld)");
    CHECK(parsed(config).at("workers") == "4");
}

TEST_CASE("debug_pages: controllers and queues of several clusters name theirs", "[endpoints]")
{
    const std::vector<std::string> clusters{"", "eu", "u\ns"};
    const auto controllers = controllers_page([&] {
        std::vector<in_cluster<controller_stats>> out;
        for (const auto& c : clusters) out.push_back({.cluster = c, .value = {}});
        for (auto& c : out) c.value.queue.name = "shops";
        return out;
    });
    CHECK(controllers.text().find("controller shops: ") == 0);
    CHECK(controllers.text().find("\ncluster eu: controller shops: ") != std::string::npos);
    const auto json = parsed(controllers).as_array();
    REQUIRE(json.size() == 3);
    CHECK(json[0].at("cluster") == "");
    CHECK(json[1].at("cluster") == "eu");
    CHECK(json[1].at("name") == "shops");
    CHECK(json[2].at("cluster").as_string().find('\n') == boost::json::string::npos);
    const auto queues = queues_page([] {
        std::vector<in_cluster<workqueue_stats>> out{{.cluster = "eu", .value = {}}};
        out[0].value.name = "shops";
        return out;
    });
    CHECK(queues.text().find("cluster eu: ") == 0);
    CHECK(parsed(queues).at(0).at("cluster") == "eu");
    const auto informers = informers_page([] { return std::vector<in_cluster<shared_informer<object>>>(); });
    CHECK(informers.json() == "[]");
}

TEST_CASE("debug_pages: a page of many clusters has a limit, and says how much is left out", "[endpoints]")
{
    constexpr std::size_t clusters = 5'000;
    const auto controllers = controllers_page([] {
        std::vector<in_cluster<controller_stats>> out;
        for (std::size_t n = 0; n < clusters; ++n)
            out.push_back({.cluster = "cluster-" + std::to_string(n), .value = {}});
        for (auto& c : out) c.value.queue.name = "shops";
        return out;
    });
    const auto json_text = controllers.json();
    CHECK(json_text.size() < most_debug_page_bytes + 100);
    const auto json = boost::json::parse(json_text).as_array();
    REQUIRE(json.size() > 100);
    CHECK(json.back().at("left_out") == clusters - (json.size() - 1));
    CHECK(json.at(json.size() - 2).at("cluster").as_string() == "cluster-" + std::to_string(json.size() - 2));
    const auto text = controllers.text();
    CHECK(text.size() < most_debug_page_bytes + 200);
    CHECK(text.find(" more are not shown, because a page has 512 KiB at most") != std::string::npos);

    const debug_pages pages;
    REQUIRE(pages.add("controllers", controllers));
    REQUIRE(pages.add("plain", page("text")));
    const auto last = boost::json::parse(pages.json("controllers", "cluster-4999").value()).as_array();
    REQUIRE(last.size() == 1);
    CHECK(last[0].at("cluster") == "cluster-4999");
    CHECK(pages.text("controllers", "cluster-4999").value().find("cluster cluster-4999: controller shops: ") == 0);
    CHECK(pages.json("controllers", "none") == "[]");
    CHECK_FALSE(pages.text("plain", "cluster-1"));
    CHECK(pages.text("plain") == "text");
}

TEST_CASE("debug_pages: an element that is longer than a page is left out", "[endpoints]")
{
    const auto tasks = tasks_page([] {
        return std::vector<std::string>{std::string(most_debug_page_bytes, 'x'), "y"};
    });
    CHECK(tasks.json() == R"([{"left_out":2}])");
    CHECK(tasks.text().find("2 more are not shown") == 0);
}

TEST_CASE("debug_pages: no informers are an empty list", "[endpoints]")
{
    const auto informers = informers_page([] { return std::vector<shared_informer<object>>(); });
    CHECK(informers.text().empty());
    CHECK(informers.json() == "[]");
}
