// The writes that a coroutine makes through one client.
#include "rest_fixture.hpp"

#include <kubecoro/base/timeout.hpp>
#include <kubecoro/client/detail/request_scope.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

using texts = std::vector<std::string>;

/// A pod as the server answers with it.
reply answer_with(const std::string& name, const std::string& version, const std::string& more = {})
{
    return {.status = 200,
            .body = {R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"web","name":")" + name +
                     R"(","uid":"uid-of-)" + name + R"(","resourceVersion":")" + version + "\"" + more + "}}"}};
}

const std::string marked = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";

struct noting : world
{
    client cluster = make();
    std::shared_ptr<write_notes> notes = std::make_shared<write_notes>(cluster);
    asio::any_io_executor executor =
        in_scope(asio::make_strand(run.executor()), std::make_shared<request_scope>(notes));

    template<class T>
    void drive(asio::awaitable<T> work)
    {
        bool done = false;
        asio::co_spawn(executor, std::move(work), [&done](const std::exception_ptr& e, auto&&...) { done = !e; });
        run.run_until_idle();
        CHECK(done);
    }
    /// "Kind namespace/name version", or "-Kind namespace/name uid" with "!" when it was being deleted before.
    texts take()
    {
        texts out;
        for (const auto& w : notes->take())
            out.push_back((w.removed_uid.empty() ? "" : "-") + w.kind + " " + to_string(w.key) + " " + w.version +
                          w.removed_uid + (w.was_marked ? "!" : ""));
        return out;
    }
    /// The notes of one removal with that answer.
    texts removed(reply answer)
    {
        net->replies.push_back(std::move(answer));
        drive(cluster.remove(pods, "web", "a"));
        return take();
    }
};

} // namespace

TEST_CASE("write notes: of a namespace and kind the newest version is kept", "[client][notes]")
{
    noting t;
    t.net->replies = {answer_with("a", "9"), answer_with("b", "12"), answer_with("c", "11"), answer_with("d", "10")};
    t.drive(t.cluster.create(pods, "web", "{}"));
    t.drive(t.cluster.update(pods, "web", "b", "{}"));
    t.drive(t.cluster.patch(pods, "web", "c", patch_kind::merge, "{}"));
    t.drive(t.cluster.update(pods, "web", "d", "{}", {}, "status"));
    CHECK(t.take() == texts{"Pod web/b 12"});
    CHECK(t.take().empty());
}

TEST_CASE("write notes: subresources count as their resource, and answers without a version do not", "[client][notes]")
{
    noting t;
    t.net->replies.push_back({.status = 200,
                              .body = {R"({"kind":"Scale","apiVersion":"autoscaling/v1",)"
                                       R"("metadata":{"namespace":"web","name":"a","resourceVersion":"7"}})"}});
    t.drive(t.cluster.update(pods, "web", "a", "{}", {}, "scale"));
    CHECK(t.take() == texts{"Pod web/a 7"});
    t.net->replies.push_back({.status = 201, .body = {R"({"kind":"Status","apiVersion":"v1","status":"Success"})"}});
    t.drive(t.cluster.create_subresource(pods, "web", "a", "eviction", "{}"));
    CHECK(t.take().empty());
}

TEST_CASE("write notes: reads, refusals and trials are not noted", "[client][notes]")
{
    noting t;
    t.net->replies = {
        answer_with("a", "9"), answer_with("a", "9"), {.status = 409, .body = {"{}"}}, answer_with("a", "9")};
    t.drive(t.cluster.get(pods, "web", "a"));
    t.drive(t.cluster.create(pods, "web", "{}", {.dry_run = true}));
    t.drive(t.cluster.update(pods, "web", "a", "{}"));
    t.drive(t.cluster.remove(pods, "web", "a", {.dry_run = true}));
    CHECK(t.net->replies.empty());
    CHECK(t.take().empty());
}

TEST_CASE("write notes: a removal is noted with the uid, unless something delays it", "[client][notes]")
{
    noting t;
    CHECK(t.removed({.status = 200,
                     .body = {R"({"kind":"Status","apiVersion":"v1","status":"Success",)"
                              R"("details":{"name":"a","kind":"pods","uid":"u1"}})"}}) == texts{"-Pod web/a u1"});
    CHECK(t.removed(answer_with("a", "9")) == texts{"-Pod web/a uid-of-a"});
    CHECK(t.removed(answer_with("a", "9", marked)) == texts{"-Pod web/a uid-of-a!"});
    // These stay for a while, at a version that the watch brings.
    CHECK(t.removed(answer_with("a", "9", marked + R"(,"finalizers":["x/y"])")) == texts{"Pod web/a 9"});
    CHECK(t.removed(answer_with("a", "9", marked + R"(,"deletionGracePeriodSeconds":30)")) == texts{"Pod web/a 9"});
    CHECK(t.removed(answer_with("a", "9", marked + R"(,"deletionGracePeriodSeconds":0)")) ==
          texts{"-Pod web/a uid-of-a!"});
}

TEST_CASE("write notes: the update that takes the last finalizer is a removal", "[client][notes]")
{
    noting t;
    t.net->replies = {answer_with("a", "9", marked)};
    t.drive(t.cluster.update(pods, "web", "a", "{}"));
    CHECK(t.take() == texts{"-Pod web/a uid-of-a!"});
}

TEST_CASE("write notes: the last removals of each kind and namespace are kept", "[client][notes]")
{
    noting t;
    const auto other = write_target{.counts = true, .removes = true, .group = "", .kind = "Secret", .ns = "web"};
    t.notes->add(other, decode_object(R"({"kind":"Status","details":{"name":"s","uid":"only"}})", {}).value());
    const auto what = write_target{.counts = true, .removes = true, .group = "", .kind = "Pod", .ns = "web"};
    const int more = static_cast<int>(write_notes::most_removals) + 2;
    for (int n = 0; n < more; ++n) {
        const auto text = R"({"kind":"Status","details":{"name":"a","uid":"u)" + std::to_string(n) + "\"}}";
        t.notes->add(what, decode_object(text, {}).value());
    }
    const auto kept = t.take();
    REQUIRE(kept.size() == write_notes::most_removals + 1);
    CHECK(kept.front() == "-Pod web/a u2");
    CHECK(kept.at(write_notes::most_removals - 1) == "-Pod web/a u" + std::to_string(more - 1));
    CHECK(kept.back() == "-Secret web/s only"); // whatever number of others follow
}

TEST_CASE("write notes: coroutines that the executor's coroutines start count, others and other clients do not",
          "[client][notes]")
{
    noting t;
    const auto write = [&t](client c, const std::string& version) {
        t.net->replies.push_back(answer_with("a", version));
        return c.create(pods, "web", "{}");
    };
    t.drive(with_timeout(t.run.clock(), 5s, "create", write(t.cluster, "1")));
    CHECK(t.take().size() == 1);
    t.drive([](auto create, client c) -> asio::awaitable<void> {
        const auto own = co_await asio::this_coro::executor;
        co_await asio::co_spawn(asio::make_strand(own), create(c, "2"), asio::use_awaitable);
    }(write, t.cluster));
    CHECK(t.take().size() == 1);
    t.drive(write(t.make(), "3"));
    CHECK(t.run.run(write(t.cluster, "4")));
    CHECK(t.take().empty());
}
