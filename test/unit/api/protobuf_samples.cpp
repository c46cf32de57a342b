// Checks that there are samples of everything.
#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/protobuf_samples.hpp>

#include <boost/json/parse.hpp>

#include <set>

using namespace kubecoro;

TEST_CASE("there are protobuf samples of every kind", "[protobuf]")
{
    namespace schemas = detail::builtin_schemas;
    test::protobuf_samples samples;
    std::set<std::string, std::less<>> kinds;
    std::size_t frames = 0;
    while (const auto sample = samples.next()) {
        INFO(sample->name);
        const bool frame = sample->name.starts_with("watch ");
        frames += frame;
        const auto envelope = sample->protobuf.find(std::string_view("k8s\0", 4));
        REQUIRE((frame ? envelope > 4 && envelope < 30 : envelope == 0));
        REQUIRE(boost::json::parse(sample->json).is_object());
        kinds.emplace(sample->name.substr(0, sample->name.rfind(' ')));
    }
    CHECK(frames > 100);
    for (const auto& kind : schemas::kinds()) {
        const auto name = std::string(schemas::text(kind.api_version)) + ' ' + std::string(schemas::text(kind.kind));
        INFO(name);
        CHECK((kinds.contains("object " + name) || kinds.contains("list " + name)) == (name != "v1 WatchEvent"));
    }
}
