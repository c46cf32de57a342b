#include <kubecoro/api/described.hpp>
#include <kubecoro/meta_v1/object_meta.hpp>
#include <kubecoro/test/catch.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace kubecoro;

namespace shop {

struct route
{
    std::string path;
    int port = 0;
};
BOOST_DESCRIBE_STRUCT(route, (), (path, port))

struct site_spec
{
    std::string host;
    std::optional<int> replicas;
    std::vector<route> routes;
    std::map<std::string, quantity> limits;
    boxed<route> fallback;
    std::string default_;
    bool paused = false;
};
BOOST_DESCRIBE_STRUCT(site_spec, (), (host, replicas, routes, limits, fallback, default_, paused))

struct site
{
    static resource_type resource() { return {"example.com", "v1", "sites", "Site"}; }
    meta_v1::object_meta metadata;
    site_spec spec;
    kubecoro::other_fields other_fields;
};
BOOST_DESCRIBE_STRUCT(site, (), (metadata, spec))

} // namespace shop

namespace {

object parsed(std::string_view text) { return object::parse(text).value(); }

} // namespace

TEST_CASE("a described struct is written like a generated one", "[structs][described]")
{
    shop::site site;
    site.metadata.name = "blog";
    site.spec.host = "blog.example.com";
    site.spec.routes.push_back({"/", 80});
    site.spec.limits["cpu"] = quantity::milli(500);
    site.spec.default_ = "yes";
    CHECK(to_text(site) == R"({"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"blog"},)"
                           R"("spec":{"host":"blog.example.com","routes":[{"path":"/","port":80}],)"
                           R"("limits":{"cpu":"500m"},"default":"yes","paused":false}})");
}

TEST_CASE("a described struct is read like a generated one", "[structs][described]")
{
    const auto o = parsed(R"({"apiVersion":"example.com/v1","kind":"Site","spec":{"host":"h","replicas":3,)"
                          R"("fallback":{"path":"/old","port":8080},"paused":true},"status":{"ready":true}})");
    const auto site = read_struct<shop::site>(o).value();
    CHECK(site.spec.host == "h");
    CHECK(site.spec.replicas == 3);
    CHECK(site.spec.fallback->port == 8080);
    CHECK(site.spec.paused);
    // It has a place for unknown fields.
    CHECK(site.other_fields.text("status") == R"({"ready":true})");
    const auto written = parsed(to_text(site));
    CHECK(written["status"]["ready"].as_bool());
    CHECK(read_struct<shop::site>(o, struct_rules::strict).error().message() == R"(unknown field "status")");
    const auto other = read_struct<shop::site>(parsed(R"({"apiVersion":"example.com/v2","kind":"Site"})"));
    CHECK(other.error().message() == "expected example.com/v1 Site, not example.com/v2 Site");
}

TEST_CASE("a described struct without a place for unknown fields drops them", "[structs][described]")
{
    const auto route = read_struct<shop::route>(parsed(R"({"path":"/","port":1,"colour":"red"})")).value();
    CHECK(to_text(route) == R"({"path":"/","port":1})");
}

TEST_CASE("a value that does not fit a described struct leaves the member as it was made", "[structs][described]")
{
    const auto route = read_struct<shop::route>(parsed(R"({"path":7,"port":"x"})")).value();
    CHECK(route.path.empty());
    CHECK(route.port == 0);
}
