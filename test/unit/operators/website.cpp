// The operator of websites against a server that plays a cluster.
#include "website_fixture.hpp"

using namespace website_test;

TEST_CASE("website: a site gets its pages, its pods and its address, and is ready when they serve", "[website]")
{
    fixture f;
    f.begin();
    f.put("blog", 2);
    f.settle();
    CHECK(f.ready("blog") == "True Serving 2 of 2 pods are ready");
    CHECK(f.read<config_map>("blog-pages")->data.at("index.html") == "hello");
    const auto d = f.read<deployment>("blog");
    REQUIRE(d);
    CHECK(d->spec.replicas == 2);
    CHECK(d->spec.template_.spec.containers.at(0).image == std::string(default_image));
    CHECK(f.read<service>("blog")->spec.ports.at(0).port == 80);
    const auto site = f.read<website>("blog");
    CHECK(site->status.replicas == 2);
    CHECK(site->status.url == "http://blog.default.svc");
    CHECK(site->status.conditions.at(0).observedGeneration == site->metadata.generation);
    CHECK(f.read<config_map>("websites")->data.at("blog") == "http://blog.default.svc");
}

TEST_CASE("website: changes of a site reach its objects, and changes of these are undone", "[website]")
{
    fixture f;
    f.begin();
    f.put("blog");
    f.settle();
    f.edit("blog", [](website& s) {
        s.spec.pages["index.html"] = "bye";
        s.spec.pages["about.html"] = "us";
        s.spec.image = "example.com/other:1";
    });
    f.settle();
    CHECK(f.read<config_map>("blog-pages")->data ==
          std::map<std::string, std::string>{{"about.html", "us"}, {"index.html", "bye"}});
    CHECK(f.read<deployment>("blog")->spec.template_.spec.containers.at(0).image == "example.com/other:1");
    CHECK(f.run.run(f.users.remove(service::resource(), "default", "blog")));
    const auto grow = [](deployment& d) { d.spec.replicas = 9; };
    CHECK(f.run.run(retry_on_conflict<deployment>(f.users, {"default", "blog"}, grow)));
    f.settle();
    CHECK(f.read<service>("blog"));
    CHECK(f.read<deployment>("blog")->spec.replicas == 1);
    CHECK(f.ready("blog").find("True Serving") == 0);
}

TEST_CASE("website: the scale subresource scales it, down to none", "[website]")
{
    fixture f;
    f.begin();
    f.put("blog");
    f.settle();
    REQUIRE(f.run.run(set_scale(f.users, website::resource(), "default", "blog", 3)));
    f.settle();
    CHECK(f.ready("blog") == "True Serving 3 of 3 pods are ready");
    const auto scale = f.run.run(get_scale(f.users, website::resource(), "default", "blog"));
    REQUIRE(scale);
    CHECK(scale->actual == 3);
    REQUIRE(f.run.run(set_scale(f.users, website::resource(), "default", "blog", 0)));
    f.settle();
    CHECK(f.ready("blog") == "True Off 0 of 0 pods are ready");
}

TEST_CASE("website: an unchanged site causes no writes", "[website]")
{
    fixture f;
    f.begin();
    f.put("blog");
    f.settle();
    const auto before = f.read<website>("blog")->metadata.resourceVersion;
    const auto deployed = f.read<deployment>("blog")->metadata.resourceVersion;
    f.end();
    f.begin(2);
    f.run.advance(1h);
    CHECK(f.read<website>("blog")->metadata.resourceVersion == before);
    CHECK(f.read<deployment>("blog")->metadata.resourceVersion == deployed);
}

TEST_CASE("website: a site that goes takes its objects along, and leaves the catalogue", "[website]")
{
    fixture f;
    f.begin();
    f.put("blog");
    f.put("shop");
    f.settle();
    f.remove("blog");
    f.settle();
    CHECK_FALSE(f.read<website>("blog"));
    CHECK_FALSE(f.read<deployment>("blog"));
    CHECK_FALSE(f.read<service>("blog"));
    CHECK_FALSE(f.read<config_map>("blog-pages"));
    const auto listed = f.read<config_map>("websites")->data;
    CHECK(listed.size() == 1);
    CHECK(listed.contains("shop"));
}

TEST_CASE("website: a site that was deleted while the operator was down leaves the catalogue when it is back",
          "[website]")
{
    fixture f;
    f.begin();
    f.put("blog");
    f.settle();
    f.end();
    f.remove("blog");
    f.settle();
    CHECK(f.read<website>("blog")); // its finalizer holds it
    f.begin(2);
    CHECK_FALSE(f.read<website>("blog"));
    CHECK(f.read<config_map>("websites")->data.empty());
}

TEST_CASE("website: objects of others are left alone, whatever a site is called", "[website]")
{
    fixture f;
    config_map other{.metadata = {.name = "blog-pages"}, .data = {{"secret", "plan"}}};
    REQUIRE(f.run.run(f.users.resource<config_map>("default").create(other)));
    f.begin();
    f.put("blog");
    f.settle();
    CHECK(f.ready("blog") == "False NameTaken ConfigMap blog-pages is not the website's: rename one of them");
    CHECK(f.read<config_map>("blog-pages")->data == other.data);
    CHECK_FALSE(f.read<deployment>("blog"));
    CHECK(f.m->events().stats().recorded >= 1);
    REQUIRE(f.run.run(f.users.remove(config_map::resource(), "default", "blog-pages")));
    f.run.advance(2min);
    CHECK(f.ready("blog").find("True Serving") == 0);
}

TEST_CASE("website: a catalogue of somebody else is neither changed nor cleaned", "[website]")
{
    fixture f;
    config_map other{.metadata = {.name = "websites"}, .data = {{"blog", "mine"}}};
    REQUIRE(f.run.run(f.users.resource<config_map>("default").create(other)));
    f.begin();
    f.put("blog");
    f.settle();
    CHECK(f.ready("blog") == "False NameTaken ConfigMap websites is not the operator's: rename or delete it");
    f.remove("blog");
    f.settle();
    CHECK_FALSE(f.read<website>("blog"));
    const auto left = f.read<config_map>("websites");
    CHECK(left->data == other.data);
    CHECK(left->metadata.labels.empty());
}

TEST_CASE("website: entries of the catalogue that others change or remove come back", "[website]")
{
    fixture f;
    f.begin();
    f.put("blog");
    f.put("shop");
    f.settle();
    const auto listed = f.read<config_map>("websites")->data;
    CHECK(listed.size() == 2);
    const auto spoil = [](config_map& m) {
        m.data["blog"] = "http://elsewhere.example";
        m.data.erase("shop");
    };
    REQUIRE(f.run.run(retry_on_conflict<config_map>(f.users, {"default", "websites"}, spoil)));
    f.settle();
    CHECK(f.read<config_map>("websites")->data == listed);
    REQUIRE(f.run.run(f.users.remove(config_map::resource(), "default", "websites")));
    f.settle();
    REQUIRE(f.read<config_map>("websites"));
    CHECK(f.read<config_map>("websites")->data == listed);
}

TEST_CASE("website: a name that no Service can have is reported, and nothing is made of it", "[website]")
{
    fixture f;
    f.begin();
    for (const auto& name : std::vector<std::string>{"example.com", "1st", std::string(64, 'a')}) {
        INFO(name);
        f.put(name);
        f.settle();
        CHECK(f.ready(name).find("False Invalid the name must have") == 0);
        CHECK_FALSE(f.read<deployment>(name));
        CHECK_FALSE(f.read<config_map>(name + "-pages"));
    }
    f.put(std::string(63, 'a'));
    f.settle();
    CHECK(f.ready(std::string(63, 'a')).find("True Serving") == 0);
}

TEST_CASE("website: a site called as the catalogue's pages does not get at it", "[website]")
{
    fixture f;
    f.begin();
    f.put("websites"); // its pages are in websites-pages
    f.settle();
    CHECK(f.ready("websites").find("True Serving") == 0);
    CHECK(f.read<config_map>("websites")->data.size() == 1);
}

TEST_CASE("website: invalid sites are refused by the definition", "[website]")
{
    fixture f;
    const auto sites = f.users.resource(website::resource(), "default");
    const auto none = f.run.run(sites.create(R"({"metadata":{"name":"a"},"spec":{"replicas":1}})"));
    REQUIRE_FALSE(none);
    CHECK(none.error() == cond::invalid);
    const auto many = f.run.run(sites.create(R"({"metadata":{"name":"a"},"spec":{"pages":{"a":"b"},"replicas":101}})"));
    REQUIRE_FALSE(many);
    CHECK(many.error() == cond::invalid);
}
