// Compares the fast paths of path() with a plain walk from the root.
#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/test/catch.hpp>

#include "json_samples.hpp"

#include <memory>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

constexpr storage policies[] = {storage::plain, storage::compressed};

std::shared_ptr<object_encoding> encoding_with(storage policy, std::vector<std::string> hot)
{
    return make_object_encoding({.storage = {.policy = policy, .hot_fields = std::move(hot), .learn_from = 8}});
}

void check_path(const object& o, const std::string& path)
{
    CAPTURE(path);
    CHECK(o.path(path) == o.root().path(path));
    CHECK(o.path(path).as_string() == o.root().path(path).as_string());
}

/// Paths of all members of nested objects, and of an absent member in each.
void collect_paths(const value_view& v, const std::string& to, std::vector<std::string>& out)
{
    for (const auto& [key, value] : v.members()) {
        out.push_back(to + std::string(key));
        collect_paths(value, out.back() + ".", out);
    }
    out.push_back(to + "none");
}

std::string with_spec(const std::string& value, std::size_t padding)
{
    return R"({"padding":")" + std::string(padding, 'p') + R"(","metadata":{"name":"n"},"spec":{"f":)" + value + "}}";
}

} // namespace

TEST_CASE("hot fields: values of every size and kind, in small and large tapes", "[api][storage]")
{
    for (const auto policy : policies)
        for (const std::size_t padding : {0, 70'000}) {
            const auto encoding = encoding_with(policy, {"spec.f", "spec.f.deep", "spec", "metadata.name", "none"});
            for (int round = 0; round < 12; ++round) // values get numbers over the rounds
                for (const auto* value : {R"("")",
                                          R"("a")",
                                          R"("ab")",
                                          R"("abc")",
                                          R"("abcd")",
                                          R"("abcde")",
                                          R"("abcdef")",
                                          "0",
                                          "31",
                                          "32",
                                          "-200",
                                          "70000",
                                          "1.5",
                                          "1234567890123",
                                          "null",
                                          "true",
                                          "false",
                                          "{}",
                                          "[]",
                                          "[1]",
                                          "[1,2,3,4]",
                                          R"({"deep":1})",
                                          R"({"deep":"a longer text"})"}) {
                    const auto o = decode_object(with_spec(value, padding), {}, encoding);
                    REQUIRE(o);
                    for (const auto* path : {"spec.f", "spec.f.deep", "spec", "metadata.name", "none"})
                        check_path(*o, path);
                }
        }
}

TEST_CASE("hot fields: duplicates, unexpected kinds and absent values", "[api][storage]")
{
    for (const auto policy : policies) {
        const auto encoding = encoding_with(policy, {"spec.nodeName", "metadata.labels.app", "metadata"});
        for (int round = 0; round < 12; ++round)
            for (
                const auto* text :
                {R"({})", R"({"spec":1,"metadata":2})", R"({"spec":{"nodeName":"a"},"spec":{"nodeName":"b"}})",
                 R"({"spec":{"nodeName":"a","nodeName":{"x":1}},"metadata":{"name":"n","labels":{"app":"a","app":"b"}}})",
                 R"({"spec":{"nodeName":"a"},"spec":null,"metadata":{"labels":[]},"metadata":[]})"}) {
                const auto o = decode_object(text, {}, encoding);
                REQUIRE(o);
                for (const auto* path : {"spec.nodeName", "metadata.labels.app", "metadata", "spec.nodeName.x", ""})
                    check_path(*o, path);
            }
    }
}

TEST_CASE("hot fields: every path of random documents", "[api][storage]")
{
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    testing_samples::generator random(seed);
    for (const auto policy : policies)
        for (int i = 0; i < 50; ++i) {
            const auto text = R"({"metadata":)" + random.document() + R"(,"spec":)" + random.document() + "}";
            std::vector<std::string> paths;
            const object alone = object::parse(text).value();
            collect_paths(alone.root(), "", paths);
            std::vector<std::string> hot;
            for (const auto& path : paths)
                if (random.below(8) == 0) hot.push_back(path);
            const auto encoding = encoding_with(policy, hot);
            for (int round = 0; round < 12; ++round) {
                const auto o = decode_object(text, {}, encoding);
                REQUIRE(o);
                if (round % 6 == 5)
                    for (const auto& path : paths) check_path(*o, path);
            }
        }
}

TEST_CASE("hot fields: excess ones are ignored, and metadata-only objects store none", "[api][storage]")
{
    std::vector<std::string> many;
    for (int i = 0; i < 40; ++i) many.push_back("spec.f" + std::to_string(i));
    const auto size = [&](storage policy, std::size_t count) {
        const auto encoding = encoding_with(policy, {many.begin(), many.begin() + static_cast<std::ptrdiff_t>(count)});
        return decode_object(R"({"metadata":{"name":"n"},"spec":{"f39":"x"}})", {}, encoding).value().bytes();
    };
    CHECK(size(storage::plain, 2) == size(storage::plain, 0) + 6);
    CHECK(size(storage::plain, 40) == size(storage::plain, 32));
    CHECK(size(storage::metadata_only, 2) == size(storage::metadata_only, 0));
}
