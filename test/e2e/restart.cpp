// End-to-end tests of many requests in parallel while the API server ends and comes back.

#include "churn.hpp"
#include "cluster.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::e2e;
using untyped::config_map;

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr int requests = 1000;

/// A config map without a name: each repetition of its creation makes another one. The label says which request made it.
std::string nameless(int number)
{
    const json::object meta{{"generateName", "r-"}, {"labels", json::object{{"request", std::to_string(number)}}}};
    return json::serialize(json::object{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", meta}});
}

/// Three requests in four are creations; the others read and patch one object.
asio::awaitable<result<>> one_request(client c, std::string ns, int number, std::atomic<int>* ended)
{
    const auto maps = config_map::resource();
    failure why;
    bool good = false;
    if (number % 8 == 3) {
        const auto got = co_await c.get(maps, ns, "shared");
        good = got.has_value();
        if (!got) why = got.error();
    } else if (number % 8 == 7) {
        const auto name = "r" + std::to_string(number);
        std::string patch = json::serialize(json::object{{"data", json::object{{name, "1"}}}});
        const auto got = co_await c.patch(maps, ns, "shared", patch_kind::merge, patch);
        good = got.has_value();
        if (!got) why = got.error();
    } else {
        std::string body = nameless(number);
        const auto got = co_await c.create(maps, ns, body);
        good = got.has_value();
        if (!got) why = got.error();
    }
    ++*ended;
    if (!good) co_return why;
    co_return result<>{};
}

bool creates(int number) { return number % 8 != 3 && number % 8 != 7; }

/// A failure that the end of a server explains, and that names the request.
bool is_clear(const failure& f)
{
    if (f.method().empty() || f.target().empty()) return false;
    // While it starts or ends, a kube-apiserver answers 429, 503 and, before it has read its policies, 403.
    return f == cond::unreachable || f == cond::timed_out || f == cond::retry_later || f == cond::forbidden ||
           (f.status() && f.status()->code >= 500);
}

} // namespace

TEST_CASE("restart: of 1,000 requests each succeeds or fails clearly, and no object is created twice", "[disturbance]")
{
    if (!cluster::disturbable()) return;
    for (const std::string verb : {"kill-apiserver", "restart-apiserver"}) {
        INFO(verb);
        std::atomic<int> ended = 0; // until the requests have ended, with the cluster's threads
        cluster c;
        const auto ns = c.make_namespace("restart");
        c.run(c.api().create(config_map::resource(), ns, manifest(config_map::resource(), "shared"))).value();
        std::vector<std::future<result<>>> outcomes;
        for (int i = 0; i < requests; ++i) outcomes.push_back(c.start(one_request(c.api(), ns, i, &ended)));
        REQUIRE(c.eventually([&] { return ended >= requests / 4; }));
        c.disturb(verb);
        if (verb == "kill-apiserver") c.disturb("start-apiserver");

        std::vector<int> succeeded;
        for (int i = 0; i < requests; ++i) {
            auto& outcome = outcomes[static_cast<std::size_t>(i)];
            REQUIRE(outcome.wait_for(std::chrono::seconds{90}) == std::future_status::ready);
            const auto done = outcome.get();
            if (done && creates(i)) succeeded.push_back(i);
            if (done) continue;
            INFO("request " << i << ": " << done.error().describe());
            CHECK(is_clear(done.error()));
        }
        std::map<std::string, int> created;
        const auto all = c.run(c.api().list_all(config_map::resource(), ns));
        REQUIRE(all);
        for (const auto& o : all->items) ++created[std::string(o.metadata()["labels"]["request"].as_string())];
        created.erase("");
        const auto twice = std::count_if(created.begin(), created.end(), [](const auto& n) { return n.second > 1; });
        CHECK(twice == 0);
        const auto lost =
            std::count_if(succeeded.begin(), succeeded.end(), [&](int i) { return created[std::to_string(i)] != 1; });
        CHECK(lost == 0);
        CHECK(succeeded.size() > 100);
    }
}
