#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/fault_plan.hpp>

using kubecoro::request;
using namespace kubecoro::testing;

namespace {

request get(std::string target)
{
    request r;
    r.method = "GET";
    r.target = std::move(target);
    return r;
}

fault_plan::rule rule(fault f, std::string target = {}, std::size_t nth = 1, std::size_t times = 1)
{
    fault_plan::rule out;
    out.what = std::move(f);
    out.target = std::move(target);
    out.nth = nth;
    out.times = times;
    return out;
}

} // namespace

TEST_CASE("fault plan: rules select by method, target and count", "[testing][faults]")
{
    fault_plan plan;
    plan.add(rule(fault::cut(10), "pods", 2));
    auto posts = rule(fault::refuse(), {}, 1, 0);
    posts.method = "POST";
    plan.add(posts);
    CHECK_FALSE(plan.decide(get("/api/v1/pods")));
    CHECK_FALSE(plan.decide(get("/api/v1/nodes")));
    const auto f = plan.decide(get("/api/v1/pods"));
    REQUIRE(f);
    CHECK(f->kind == fault::what::cut);
    CHECK(f->after_bytes == 10);
    CHECK_FALSE(plan.decide(get("/api/v1/pods")));
    request post = get("/x");
    post.method = "POST";
    for (int i = 0; i < 3; ++i) CHECK(plan.decide(post)->kind == fault::what::refuse);
    CHECK(plan.so_far().requests == 7);
    CHECK(plan.so_far().faults == 4);
    CHECK(plan.so_far().refused == 3);
    plan.clear();
    CHECK_FALSE(plan.decide(post));
}

TEST_CASE("fault plan: can be disabled, and can take the server down", "[testing][faults]")
{
    fault_plan plan;
    plan.add(rule(fault::no_answer(), {}, 1, 0));
    plan.enable(false);
    CHECK_FALSE(plan.decide(get("/")));
    const auto cut = plan.next_cut();
    plan.set_down(true);
    CHECK(cut.settled());
    CHECK(plan.decide(get("/"))->kind == fault::what::refuse);
    plan.set_down(false);
    CHECK_FALSE(plan.decide(get("/")));
    plan.enable(true);
    CHECK(plan.decide(get("/"))->kind == fault::what::no_answer);
    CHECK_FALSE(plan.next_cut().settled());
}

TEST_CASE("fault plan: random faults follow their probabilities and repeat with the seed", "[testing][faults]")
{
    fault_plan::chances chances;
    chances.refuse = 0.1;
    chances.expired = 0.1;
    chances.cut = 0.2;
    chances.delay = 0.1;
    chances.max_bytes = 50;
    fault_plan a(11);
    fault_plan b(11);
    a.set_chances(chances);
    b.set_chances(chances);
    for (int i = 0; i < 2000; ++i) {
        const auto f = a.decide(get("/api/v1/pods?watch=1"));
        const auto g = b.decide(get("/api/v1/pods?watch=1"));
        REQUIRE(f.has_value() == g.has_value());
        if (!f) continue;
        CHECK(f->kind == g->kind);
        CHECK(f->after_bytes == g->after_bytes);
        CHECK(f->wait == g->wait);
        CHECK(f->after_bytes <= 50);
        CHECK(f->wait <= chances.max_delay);
    }
    const auto n = a.so_far();
    CHECK(n.refused > 120);
    CHECK(n.refused < 280);
    CHECK(n.answered > 120);
    CHECK(n.cut > 300);
    CHECK(n.cut < 500);
    CHECK(n.stalled == 0);
    CHECK(a.piece(100) == 100);
}

TEST_CASE("fault plan: random 410s affect collections only", "[testing][faults]")
{
    fault_plan::chances chances;
    chances.expired = 1;
    fault_plan plan;
    plan.set_chances(chances);
    CHECK_FALSE(plan.decide(get("/api/v1/namespaces/web/pods/a")));
    const auto f = plan.decide(get("/api/v1/pods?limit=5"));
    REQUIRE(f);
    CHECK(f->status == 410);
    CHECK(f->body.find("\"reason\":\"Expired\"") != std::string::npos);
}
