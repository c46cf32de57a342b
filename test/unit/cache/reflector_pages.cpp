// Tests of the reflector's decisions when it delivers lists page by page.

#include "reflector_script.hpp"

using namespace reflector_test;

namespace {

struct paged : script
{
    explicit paged(reflector_policy policy = {}) : script(policy)
    {
        c = core(policy, {"Pod", "v1", ""}, 3, {}, list_delivery::pages);
    }
    core::do_page delivers() { return as<core::do_page>(); }
};

list_page of_one(const std::string& name, const std::string& version, std::string token = {})
{
    return kt::make_page({kt::make_pod("web", name, "1")}, version, std::move(token));
}

} // namespace

TEST_CASE("paged reflector: each page is delivered before the next is requested", "[cache][reflector][pages]")
{
    paged s;
    s.start();
    s.page(of_one("a", "5", "t1"));
    CHECK(s.delivers().first);
    CHECK_FALSE(s.delivers().last);
    CHECK(s.delivers().items.size() == 1);
    CHECK(s.c.state() == informer_state::listing);
    CHECK(s.c.stats().pages == 1);
    s.applied();
    CHECK(s.lists().continue_token == "t1");
    CHECK(s.lists().resource_version.empty());
    s.page(of_one("b", "6", "t2"));
    CHECK_FALSE(s.delivers().first);
    CHECK(s.delivers().items.size() == 1); // not collected
    CHECK(s.c.resource_version().empty());
    s.applied();
    s.page(of_one("c", "7"));
    CHECK_FALSE(s.delivers().first);
    CHECK(s.delivers().last);
    CHECK(s.delivers().resource_version == "5");
    s.applied();
    CHECK(s.c.resource_version() == "5");
    CHECK(s.watches().resource_version == "5");
    CHECK(s.c.stats().lists == 1);
    CHECK(s.c.stats().pages == 3);
    CHECK(s.c.stats().relists_total() == 0);
}

TEST_CASE("paged reflector: an empty list is one page that begins and ends it", "[cache][reflector][pages]")
{
    paged s;
    s.start();
    s.page(kt::make_page({}, "5"));
    CHECK(s.delivers().first);
    CHECK(s.delivers().last);
    CHECK(s.delivers().items.empty());
}

TEST_CASE("paged reflector: every list requests the newest version with a limit", "[cache][reflector][pages]")
{
    paged s;
    const auto first = s.start();
    CHECK(first.resource_version.empty());
    CHECK(first.limit == 500);
    s.page(of_one("a", "5"));
    s.applied();
    s.opened();
    s.events({kt::error_event(410, "Expired")});
    s.waits();
    CHECK(s.lists().resource_version.empty());
    CHECK(s.lists().limit == 500);
    CHECK(paged({.page_size = 7}).start().limit == 7);
}

TEST_CASE("paged reflector: a list that fails in the middle begins again after a delay", "[cache][reflector][pages]")
{
    paged s;
    s.start();
    s.page(of_one("a", "5", "t1"));
    s.applied();
    SECTION("whatever the reason") { s.list_fails(refused_connection()); }
    SECTION("also for an expired page: one without pages would not be bounded") { s.list_fails(gone()); }
    SECTION("also when the page could not be delivered")
    {
        s.page(of_one("b", "5", "t2"));
        s.next = s.c.on_applied(failure(cond::internal, "no memory"), s.now);
        CHECK(s.c.take_incidents().back().what == "the list could not be applied");
    }
    SECTION("also when the sink lost it") { s.next = s.c.on_lost(failure(cond::internal, "no memory")); }
    CHECK(s.c.stats().failures == 1);
    CHECK(s.waits() >= 800ms);
    CHECK(s.lists().continue_token.empty());
    CHECK(s.lists().limit == 500);
    CHECK(s.c.resource_version().empty());
    s.page(of_one("a", "9"));
    CHECK(s.delivers().first);
    CHECK(s.delivers().last);
    CHECK(s.delivers().items.size() == 1);
    CHECK(s.delivers().resource_version == "9");
}

TEST_CASE("paged reflector: an expired page is a relist for that reason", "[cache][reflector][pages]")
{
    paged s;
    s.start();
    s.page(of_one("a", "5"));
    s.applied();
    s.opened();
    s.events({kt::error_event(410, "Expired")});
    s.waits();
    s.page(of_one("a", "6", "t1"));
    s.applied();
    s.list_fails(gone());
    s.waits();
    CHECK(s.relists(relist_reason::expired) == 2);
    CHECK(s.c.resource_version() == "5");
}

TEST_CASE("paged reflector: an endless chain is retried with backoff", "[cache][reflector][pages]")
{
    paged s;
    s.start();
    s.page(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5", "t1"));
    s.applied();
    SECTION("the same token again") { s.page(of_one("c", "5", "t1")); }
    SECTION("the first page again")
    {
        s.page(kt::make_page({}, "5", "t2"));
        s.applied();
        s.page(of_one("a", "5", "t3"));
    }
    SECTION("no end")
    {
        for (int n = 0; n < 30'000 && !std::holds_alternative<core::do_wait>(s.next); ++n) {
            s.page(kt::make_page({}, "5", "n" + std::to_string(n)));
            if (std::holds_alternative<core::do_page>(s.next)) s.applied();
        }
    }
    CHECK(s.waits() > 0s);
    CHECK(s.lists().continue_token.empty());
    REQUIRE(s.c.stats().last_failure);
    CHECK(*s.c.stats().last_failure == cond::corrupt);
}

TEST_CASE("paged reflector: a list of nothing but another kind fails before its end", "[cache][reflector][pages]")
{
    paged s;
    const auto node = kt::make_object({.kind = "Node", .name = "n1"});
    s.start();
    SECTION("on its only page") { s.page(kt::make_page({node}, "5")); }
    SECTION("on several pages")
    {
        s.page(kt::make_page({node}, "5", "t1"));
        CHECK(s.delivers().items.empty());
        s.applied();
        s.page(kt::make_page({}, "5"));
    }
    CHECK(s.waits() > 0s);
    REQUIRE(s.c.stats().last_failure);
    CHECK(*s.c.stats().last_failure == cond::misconfigured);
}

TEST_CASE("paged reflector: objects of another kind are skipped beside an earlier page that fits",
          "[cache][reflector][pages]")
{
    paged s;
    list_page first = of_one("a", "5", "t1");
    s.start();
    SECTION("with an object") {}
    SECTION("with one that is too large")
    {
        first.items.clear();
        first.left_out.push_back({.key = {"web", "big"}, .resource_version = "4", .why = "too large"});
    }
    s.page(std::move(first));
    s.applied();
    s.page(kt::make_page({kt::make_object({.kind = "Node", .name = "n1"})}, "5"));
    CHECK(s.delivers().last);
    CHECK(s.delivers().items.empty());
    CHECK(s.c.stats().skipped >= 1);
}

TEST_CASE("paged reflector: objects that are too large are named with their page, and count until the next list",
          "[cache][reflector][pages]")
{
    paged s;
    const auto with_large = [](const std::string& name, std::string token) {
        auto p = kt::make_page({}, "5", std::move(token));
        p.left_out.push_back({.key = {"web", name}, .resource_version = "4", .why = "too large"});
        return p;
    };
    s.start();
    s.page(with_large("x", "t1"));
    REQUIRE(s.delivers().left_out.size() == 1);
    CHECK(s.delivers().left_out.front().key.name == "x");
    s.applied();
    s.page(with_large("y", ""));
    REQUIRE(s.delivers().left_out.size() == 1);
    CHECK(s.delivers().left_out.front().key.name == "y");
    CHECK(s.c.stats().outdated == 2);
    s.applied();
    s.opened();
    s.events({kt::error_event(410, "Expired")});
    s.waits();
    s.page(with_large("x", ""));
    CHECK(s.c.stats().outdated == 1);
}

TEST_CASE("paged reflector: a cancellation stops it while a page is delivered", "[cache][reflector][pages]")
{
    paged s;
    s.start();
    s.page(of_one("a", "5", "t1"));
    s.next = s.c.on_cancel();
    s.applied();
    CHECK(std::holds_alternative<core::do_stop>(s.next));
    CHECK(s.c.state() == informer_state::stopped);
}
