#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/faulty_transport.hpp>

namespace asio = boost::asio;
using kubecoro::answer;
using kubecoro::answer_head;
using kubecoro::cond;
using kubecoro::failure;
using kubecoro::latch;
using kubecoro::request;
using kubecoro::result;
using kubecoro::transport;
using namespace kubecoro::testing;
using namespace std::chrono_literals;

namespace {

/// Answers 200 with the target as the body, in pieces of four bytes; "/hang" stalls after the first piece.
class echo_answer final : public answer
{
public:
    explicit echo_answer(std::string body) : body_(std::move(body)) { head_.status = 200; }
    [[nodiscard]] const answer_head& head() const noexcept override { return head_; }
    asio::awaitable<result<std::string_view>> read_some() override
    {
        if (body_ == "/hang" && at_ > 0) {
            const auto ended = co_await latch{}.wait();
            co_return ended.error();
        }
        const auto piece = std::string_view(body_).substr(at_, 4);
        at_ += piece.size();
        co_return piece;
    }

private:
    answer_head head_;
    std::string body_;
    std::size_t at_ = 0;
};

class echo_transport final : public transport
{
public:
    int requests = 0;
    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        ++requests;
        if (r.target == "/silent") {
            const auto ended = co_await latch{}.wait();
            co_return ended.error();
        }
        std::unique_ptr<answer> a = std::make_unique<echo_answer>(r.target);
        co_return a;
    }
};

struct outcome
{
    int status = 0;
    std::string body;
    std::size_t pieces = 0;
    std::optional<failure> ended_by;
};

asio::awaitable<result<outcome>> fetch(transport& t, std::string target)
{
    request r;
    r.method = "GET";
    r.target = std::move(target);
    auto a = co_await t.send(std::move(r));
    if (!a) co_return a.error();
    outcome out;
    out.status = (*a)->head().status;
    for (;;) {
        const auto piece = co_await (*a)->read_some();
        if (!piece) {
            out.ended_by = piece.error();
            co_return out;
        }
        if (piece->empty()) co_return out;
        out.body += *piece;
        ++out.pieces;
    }
}

struct bench
{
    runner r;
    std::shared_ptr<fault_plan> plan = std::make_shared<fault_plan>();
    std::shared_ptr<echo_transport> server = std::make_shared<echo_transport>();
    faulty_transport wire{server, plan, r.shared_clock()};

    void next(fault f)
    {
        fault_plan::rule rule;
        rule.what = std::move(f);
        plan->add(rule);
    }
};

} // namespace

TEST_CASE("faulty transport: without a fault nothing changes", "[testing][faults]")
{
    bench b;
    const auto got = b.r.run(fetch(b.wire, "/api/v1/pods"));
    REQUIRE(got.has_value());
    CHECK(got->status == 200);
    CHECK(got->body == "/api/v1/pods");
    CHECK_FALSE(got->ended_by);
}

TEST_CASE("faulty transport: refused, answered by the plan, delayed", "[testing][faults]")
{
    bench b;
    SECTION("refused")
    {
        b.next(fault::refuse());
        CHECK(b.r.run(fetch(b.wire, "/x")).error() == cond::unreachable);
        CHECK(b.server->requests == 0);
    }
    SECTION("answered")
    {
        b.next(fault::status_answer(429, "TooManyRequests", 7s));
        const auto got = b.r.run(fetch(b.wire, "/x"));
        CHECK(got->status == 429);
        CHECK(got->body.find("TooManyRequests") != std::string::npos);
        CHECK(b.server->requests == 0);
    }
    SECTION("delayed")
    {
        b.next(fault::delay(9s));
        const auto before = b.r.clock().now();
        CHECK(b.r.run(fetch(b.wire, "/x"))->body == "/x");
        CHECK(b.r.clock().now() - before == 9s);
    }
    CHECK(b.r.run(fetch(b.wire, "/after")).value().body == "/after");
}

TEST_CASE("faulty transport: the body is cut after exactly the given number of bytes", "[testing][faults]")
{
    for (std::size_t n = 0; n <= 12; ++n) {
        bench b;
        b.next(fault::cut(n));
        const auto got = b.r.run(fetch(b.wire, "/api/v1/pods"));
        REQUIRE(got.has_value());
        CHECK(got->body == std::string("/api/v1/pods").substr(0, n));
        REQUIRE(got->ended_by);
        CHECK(*got->ended_by == cond::unreachable);
    }
    bench b;
    b.next(fault::cut(13)); // beyond the end: nothing happens
    CHECK_FALSE(b.r.run(fetch(b.wire, "/api/v1/pods"))->ended_by);
}

TEST_CASE("faulty transport: a stall lasts until it is cancelled or cut", "[testing][faults]")
{
    bench b;
    const bool head = GENERATE(true, false);
    b.next(head ? fault::no_answer() : fault::stall(3));
    const auto reading = b.r.spawn(fetch(b.wire, "/api"));
    b.r.advance(24h);
    REQUIRE_FALSE(reading.done());
    SECTION("cancelled")
    {
        reading.cancel();
        b.r.run_until_idle();
        REQUIRE(reading.done());
        const auto why = reading.outcome() ? *reading.outcome()->ended_by : reading.outcome().error();
        CHECK(why == cond::cancelled);
    }
    SECTION("cut")
    {
        b.plan->cut_open();
        b.r.run_until_idle();
        REQUIRE(reading.done());
        const auto why = reading.outcome() ? *reading.outcome()->ended_by : reading.outcome().error();
        CHECK(why == cond::unreachable);
    }
}

TEST_CASE("faulty transport: a cut reaches requests and bodies that wait for the server", "[testing][faults]")
{
    bench b;
    const auto head = b.r.spawn(fetch(b.wire, "/silent"));
    const auto body = b.r.spawn(fetch(b.wire, "/hang"));
    b.r.run_until_idle();
    REQUIRE_FALSE(head.done());
    REQUIRE_FALSE(body.done());
    SECTION("cut")
    {
        b.plan->cut_open();
        b.r.run_until_idle();
        REQUIRE(head.done());
        REQUIRE(body.done());
        CHECK(head.outcome().error() == cond::unreachable);
        CHECK(*body.outcome()->ended_by == cond::unreachable);
        CHECK(body.outcome()->body == "/han");
    }
    SECTION("cancelled")
    {
        head.cancel();
        body.cancel();
        b.r.run_until_idle();
        REQUIRE(head.done());
        REQUIRE(body.done());
        CHECK(head.outcome().error() == cond::cancelled);
    }
    SECTION("down")
    {
        b.plan->set_down(true);
        b.r.run_until_idle();
        CHECK(head.done());
        CHECK(b.r.run(fetch(b.wire, "/x")).error() == cond::unreachable);
    }
}

TEST_CASE("faulty transport: bodies arrive in small pieces when configured", "[testing][faults]")
{
    bench b;
    fault_plan::chances chances;
    chances.max_piece = 1;
    b.plan->set_chances(chances);
    const auto got = b.r.run(fetch(b.wire, "/api/v1/pods"));
    CHECK(got->body == "/api/v1/pods");
    CHECK(got->pieces == 12);
}
