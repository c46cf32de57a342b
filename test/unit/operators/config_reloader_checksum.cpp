// Equality of checksums.
#include "checksum.hpp"

#include <kubecoro/test/catch.hpp>

#include <set>
#include <string>

using namespace kubecoro;
using namespace kubecoro::config_reloader;

namespace {

const reference map_a{content_kind::config_map, "a", false};

object content(const std::string& members, const std::string& version = "1")
{
    return object::parse(R"({"metadata":{"name":"a","namespace":"web","resourceVersion":")" + version + "\"}" +
                         (members.empty() ? "" : "," + members) + "}")
        .value();
}

std::string sum_of(const object& o, const reference& r = map_a)
{
    checksum sum;
    sum.add(r, digest_of(o));
    return sum.finish();
}

std::string sum_of(const std::string& members) { return sum_of(content(members)); }

} // namespace

TEST_CASE("config-reloader: the checksum depends on the content, not on its order or metadata", "[checksum]")
{
    const auto once = sum_of(R"("data":{"a":"1","b":"2"},"binaryData":{"c":"AA=="})");
    CHECK(once.size() == 32);
    CHECK(once.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(once == sum_of(R"("binaryData":{"c":"AA=="},"data":{"b":"2","a":"1"})"));
    CHECK(once == sum_of(content(R"("data":{"a":"1","b":"2"},"binaryData":{"c":"AA=="})", "2")));
    CHECK(sum_of("") == sum_of(R"("data":{})"));
    CHECK(sum_of("") == sum_of(R"("data":null,"binaryData":{},"immutable":true)"));
    // Pinned: a different value would roll every managed workload at the next update of the operator.
    CHECK(sum_of(R"("data":{"k":"v"})") == "ef70d973bb0d12a7d19442363ef2ff71");
}

TEST_CASE("config-reloader: different contents have different checksums", "[checksum]")
{
    std::set<std::string> all;
    std::size_t n = 0;
    const auto differs = [&](const std::string& sum) {
        ++n;
        all.insert(sum);
        CHECK(all.size() == n);
    };
    differs(sum_of(object()));
    differs(sum_of(object(), {content_kind::secret, "a", false}));
    differs(sum_of(object(), {content_kind::config_map, "b", false}));
    differs(sum_of(""));
    differs(sum_of(R"("data":{"":""})"));
    differs(sum_of(R"("data":{"a":""})"));
    differs(sum_of(R"("data":{"a":"b"})"));
    differs(sum_of(R"("binaryData":{"a":"b"})"));
    differs(sum_of(R"("data":{"ab":""})"));
    differs(sum_of(R"("data":{"a":"","b":""})"));
    differs(sum_of(R"("data":{"a":"b","c":"d"})"));
    differs(sum_of(R"("data":{"a":"bcd"})"));
    differs(sum_of(R"("data":{"a":"b\u0000"})"));
    differs(sum_of(R"("data":{"a":1})"));
    differs(sum_of(R"("data":{"a":"1"})"));
    differs(sum_of(R"("data":{"a":null})"));

    checksum both;
    both.add(map_a, digest_of(content("")));
    both.add({content_kind::config_map, "b", false}, digest_of(object()));
    differs(both.finish());
    checksum other_way;
    other_way.add(map_a, digest_of(object()));
    other_way.add({content_kind::config_map, "b", false}, digest_of(content("")));
    differs(other_way.finish());
}

TEST_CASE("config-reloader: whether a reference is optional does not change the checksum", "[checksum]")
{
    CHECK(sum_of(content(""), {content_kind::config_map, "a", true}) == sum_of(content("")));
}
