// Tests of what an exception on the strand of the server ends: a call, or a watch, and never the program.
#include "http/server_engine.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/recording.hpp>

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace kubecoro::apiserver;
using kubecoro::testing::recording_logger;
using kubecoro::testing::runner;

namespace {

struct engine_under_test
{
    runner run;
    recording_logger log;
    std::shared_ptr<server_engine> engine = make();

    std::shared_ptr<server_engine> make()
    {
        server_options options;
        options.time = run.shared_clock();
        options.log = log.handle();
        return std::make_shared<server_engine>(run.executor(), std::move(options));
    }
    ~engine_under_test() { CHECK(run.run(engine->stop())); }

    engine_answer ask(std::string method, std::string target, std::string body = {}, std::string accept = {})
    {
        http_request request{std::move(method), std::move(target)};
        request.user = user_info{"admin", {"system:masters"}};
        request.headers.emplace_back("accept", std::move(accept));
        request.body = std::move(body);
        auto answered = run.run(engine->perform(std::move(request), {}));
        REQUIRE(answered);
        return std::move(*answered);
    }
    /// Damages the text of an object, as no request can. @return the object as it was.
    stored damage(std::string_view resource, std::string_view key)
    {
        const auto store = engine->state().find(resource);
        auto whole = store->find(key);
        auto broken = std::make_shared<stored_object>(*whole);
        broken->text = "{";
        store->put(std::move(broken));
        return whole;
    }
};

asio::awaitable<result<>> failing(std::shared_ptr<server_engine> engine)
{
    co_await engine->on_strand([] { throw std::runtime_error("no luck"); });
    co_return result<>{};
}

asio::awaitable<result<bool>> is_cut(watch_handle& watch)
{
    const auto piece = co_await watch.next();
    co_return piece.cut;
}

const std::string maps = "/api/v1/namespaces/default/configmaps";

} // namespace

TEST_CASE("server_engine: an exception on the strand is thrown to the caller", "[apiserver][engine]")
{
    engine_under_test e;
    const auto failed = e.run.run(failing(e.engine));
    REQUIRE_FALSE(failed);
    CHECK(failed.error().describe().find("no luck") != std::string::npos);
    CHECK(e.ask("GET", maps).response.status == 200);
}

TEST_CASE("server_engine: an exception of a watch breaks off this watch alone", "[apiserver][engine]")
{
    engine_under_test e;
    CHECK(e.ask("POST", maps, R"({"metadata":{"name":"a"}})").response.status == 201);
    e.damage("configmaps", "/default/a");
    auto broken = e.ask("GET", maps + "?watch=1", {}, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
    auto other = e.ask("GET", "/api/v1/namespaces?watch=1");
    REQUIRE(broken.watch);
    REQUIRE(other.watch);
    CHECK(e.run.run(is_cut(*broken.watch)).value());
    CHECK(e.run.run(is_cut(*broken.watch)).value());
    CHECK(e.log.count("a watch threw an exception") == 1);
    CHECK_FALSE(e.run.run(is_cut(*other.watch)).value());
    CHECK(e.ask("GET", maps + "/b").response.status == 404);
}

TEST_CASE("server_engine: an exception of the cluster's own work does not end the work", "[apiserver][engine]")
{
    engine_under_test e;
    const std::string pods = "/api/v1/namespaces/default/pods";
    const auto pod = [](const std::string& name) {
        return R"({"metadata":{"name":")" + name +
               R"("},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})";
    };
    for (const char* name : {"a", "b"}) CHECK(e.ask("POST", pods, pod(name)).response.status == 201);
    CHECK(e.ask("DELETE", pods + "/a").response.status == 200);
    const auto whole = e.damage("pods", "/default/a");
    e.run.advance(std::chrono::seconds{5});
    e.run.run_until_idle();
    CHECK(e.log.count("the work of the cluster threw an exception") > 0);
    CHECK(e.ask("DELETE", pods + "/b").response.status == 200);
    e.run.advance(std::chrono::minutes{1});
    e.run.run_until_idle();
    CHECK(e.ask("GET", pods + "/b").response.status == 404);
    CHECK(e.log.count("the work of the cluster threw an exception") < 20);
    // It is tried again though nothing changes.
    e.engine->state().find("pods")->put(whole);
    e.run.advance(std::chrono::minutes{3});
    e.run.run_until_idle();
    CHECK(e.ask("GET", pods + "/a").response.status == 404);
}

TEST_CASE("server_engine: an object that the garbage collector failed on is deleted later", "[apiserver][engine]")
{
    engine_under_test e;
    const auto made = boost::json::parse(e.ask("POST", maps, R"({"metadata":{"name":"owner"}})").response.body);
    const auto uid = std::string(made.at_pointer("/metadata/uid").as_string());
    for (const std::string name : {"a", "b"})
        CHECK(e.ask("POST", maps,
                    R"({"metadata":{"name":")" + name +
                        R"(","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")" + uid +
                        R"("}]}})")
                  .response.status == 201);
    const auto whole = e.damage("configmaps", "/default/a");
    CHECK(e.ask("DELETE", maps + "/owner").response.status == 200);
    CHECK(e.log.count("the work of the cluster threw an exception") == 1);
    e.engine->state().find("configmaps")->put(whole);
    e.run.advance(std::chrono::seconds{2});
    e.run.run_until_idle();
    for (const std::string name : {"/a", "/b"}) CHECK(e.ask("GET", maps + name).response.status == 404);
}

TEST_CASE("server_engine: bodies in YAML are read, and those of requests that are refused are not",
          "[apiserver][engine]")
{
    engine_under_test e;
    const auto post = [&](std::optional<user_info> user, std::string body) {
        http_request request{"POST", maps};
        request.headers.emplace_back("content-type", "application/yaml");
        request.user = std::move(user);
        request.body = std::move(body);
        auto answered = e.run.run(e.engine->perform(std::move(request), {}));
        REQUIRE(answered);
        return answered->response.status;
    };
    const user_info admin{"admin", {"system:masters"}};
    CHECK(post(admin, "metadata:\n  name: a\n") == 201);
    CHECK(post(admin, "{metadata: {name: b}}") == 201);
    CHECK(post(admin, "a: [") == 400);
    CHECK(post(user_info{"bob", {}}, "a: [") == 403);
    CHECK(e.engine->counters().requests == 4);
}
