// The webhooks of websites, asked by an embedded server in the same process, and what comes back of conversions.
#include "website_fixture.hpp"

#include <kubecoro/testing/round_trips.hpp>

using namespace website_test;

namespace {

website site_with(std::map<std::string, std::string> pages)
{
    website out{.metadata = {}, .spec = {}, .status = {}};
    out.metadata.name = "blog";
    out.spec.pages = std::move(pages);
    return out;
}

} // namespace

TEST_CASE("website webhooks: a site without an index gets one, which follows its pages", "[website][webhooks]")
{
    fixture f;
    f.begin();
    f.ask();
    REQUIRE(f.run.run(f.users.resource<website>("default").create(site_with({{"about.html", "us"}}))));
    const auto index = [&] { return f.read<website>("blog")->spec.pages.at("index.html"); };
    CHECK(index().ends_with("<a href=\"about.html\">about.html</a>\n"));
    f.edit("blog", [](website& s) { s.spec.pages["new.html"] = "new"; });
    CHECK(index().ends_with("<a href=\"new.html\">new.html</a>\n"));
    f.edit("blog", [](website& s) { s.spec.pages["index.html"] = "mine"; });
    f.edit("blog", [](website& s) { s.spec.pages["more.html"] = "more"; });
    CHECK(index() == "mine");
    f.settle();
    CHECK(f.read<config_map>("blog-pages")->data.size() == 4);
}

TEST_CASE("website webhooks: what cannot be served is refused, with the reason", "[website][webhooks]")
{
    fixture f;
    f.begin();
    f.put("1old"); // before there are rules
    f.settle();
    f.ask();
    const auto refused = [&](website site) {
        const auto outcome = f.run.run(f.users.resource<website>("default").create(site));
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error() == cond::invalid);
        return outcome.error().describe();
    };
    auto named = site_with({{"index.html", ""}});
    named.metadata.name = "2.blog";
    CHECK(refused(named).find("the name must have small letters") != std::string::npos);
    CHECK(refused(site_with({{"a b", ""}})).find("a b is no file name") != std::string::npos);
    CHECK(refused(site_with({{"a", std::string(std::size_t{1} << 20, 'x')}})).find("1 MiB") != std::string::npos);
    // Its status and its finalizer are written, and it can be deleted.
    CHECK(f.ready("1old").starts_with("False Invalid"));
    f.remove("1old");
    f.settle();
    CHECK_FALSE(f.read<website>("1old"));
}

TEST_CASE("website webhooks: the first version is converted, and loses nothing", "[website][webhooks]")
{
    fixture f;
    f.begin();
    CHECK(kt::lost_in_round_trips<website_v1alpha1, website>(*f.hooks) == "");
    f.ask();
    website_v1alpha1 old{.metadata = {}, .spec = {}, .status = {}};
    old.metadata.name = "blog";
    old.spec.files["index.html"] = "hello";
    old.spec.size = 2;
    REQUIRE(f.run.run(f.users.resource<website_v1alpha1>("default").create(old)));
    f.settle();
    CHECK(f.ready("blog") == "True Serving 2 of 2 pods are ready");
    CHECK(f.read<website>("blog")->spec.pages.at("index.html") == "hello");
    f.edit("blog", [](website& s) { s.spec.pages["about.html"] = "us"; });
    CHECK(f.read<website_v1alpha1>("blog")->spec.files.at("about.html") == "us");
    CHECK(f.read<website_v1alpha1>("blog")->status.url == "http://blog.default.svc");
}
