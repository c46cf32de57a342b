#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/core_v1/secret.hpp>
#include <kubecoro/core_v1/service.hpp>
#include <kubecoro/test/allocations.hpp>

#include <kubecoro/test/catch.hpp>

#include <concepts>
#include <string>
#include <vector>

using namespace kubecoro;

namespace {

template<class T>
typed_object<T> typed(std::string_view text)
{
    return typed_object<T>(object::parse(text).value());
}

const auto* const pod_text =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","labels":{"app":"web","tier":"front"},)"
    R"("creationTimestamp":"2026-01-02T03:04:05Z"},"spec":{"nodeName":"n1","priority":7,"hostNetwork":true,)"
    R"("containers":[{"name":"a","image":"i:1","ports":[{"containerPort":80}],"resources":{"limits":{"memory":"64Mi"}}},{"name":"b"}]}})";

template<class T>
concept reads_a_temporary = requires(T&& o) { std::forward<T>(o).name(); };

} // namespace

TEST_CASE("a typed view reads fields in place by their own names", "[views]")
{
    const auto pod = typed<core_v1::pod>(pod_text);
    CHECK(pod.key() == object_key_view{"shop", "web"});
    CHECK(pod->metadata().name() == "web");
    CHECK(pod->metadata().labels()["tier"] == "front");
    CHECK(pod->metadata().creationTimestamp()->text() == "2026-01-02T03:04:05Z");
    CHECK(pod->spec().nodeName() == "n1");
    CHECK(pod->spec().priority() == 7);
    CHECK(pod->spec().hostNetwork());
    CHECK(pod->spec().containers().size() == 2);
    CHECK(pod->spec().containers()[0].ports()[0].containerPort() == 80);
    CHECK(pod->spec().containers()[0].resources().limits()["memory"] == quantity::of(64 * 1024 * 1024));
    std::vector<std::string> names;
    for (const auto container : pod->spec().containers()) names.emplace_back(container.name());
    CHECK(names == std::vector<std::string>{"a", "b"});
    std::string labels;
    for (const auto [key, value] : pod->metadata().labels())
        labels += std::string(key) + '=' + std::string(value) + ' ';
    CHECK(labels == "app=web tier=front ");
}

TEST_CASE("missing parts read as missing, at any depth", "[views]")
{
    const auto pod = typed<core_v1::pod>(R"({"apiVersion":"v1","kind":"Pod"})");
    CHECK(pod->spec().nodeName().empty());
    CHECK_FALSE(pod->spec());
    CHECK_FALSE(pod->spec().priority().has_value());
    CHECK_FALSE(pod->spec().securityContext().seLinuxOptions());
    CHECK(pod->spec().containers().empty());
    CHECK(pod->spec().containers()[3].image().empty());
    CHECK_FALSE(pod->metadata().creationTimestamp().has_value());
    const typed_object<core_v1::pod> null;
    CHECK_FALSE(null);
    CHECK(null->spec().containers().empty());
}

TEST_CASE("values of another type read as missing", "[views]")
{
    const auto pod = typed<core_v1::pod>(
        R"({"spec":{"nodeName":1,"priority":"7","containers":{"a":1},"nodeSelector":[1],"hostNetwork":"yes","overhead":{"cpu":"x"}}})");
    CHECK(pod->spec().nodeName().empty());
    CHECK_FALSE(pod->spec().priority().has_value());
    CHECK(pod->spec().containers().empty());
    CHECK(pod->spec().containers().begin() == pod->spec().containers().end());
    CHECK(pod->spec().nodeSelector().empty());
    CHECK_FALSE(pod->spec().hostNetwork());
    CHECK_FALSE(pod->spec().overhead()["cpu"].has_value());
    // A number beyond 32 bits is not read as another one.
    const auto big = typed<core_v1::pod>(R"({"spec":{"priority":4294967297}})");
    CHECK_FALSE(big->spec().priority().has_value());
}

TEST_CASE("binary data is decoded on demand", "[views]")
{
    const auto secret = typed<core_v1::secret>(R"({"data":{"a":"YWJj","b":"!"}})");
    CHECK(secret->data()["a"].base64() == "YWJj");
    CHECK(secret->data()["a"].decode().value().data == "abc");
    CHECK(secret->data()["b"].decode().error() == cond::invalid);
}

TEST_CASE("a number or a text is read in place", "[views]")
{
    const auto service =
        typed<core_v1::service>(R"({"spec":{"ports":[{"targetPort":8080},{"targetPort":"http"},{}]}})");
    const auto ports = service->spec().ports();
    CHECK(ports[0].targetPort().number() == 8080);
    CHECK(ports[1].targetPort().text() == "http");
    CHECK(ports[1].targetPort().value() == int_or_string("http"));
    CHECK_FALSE(ports[2].targetPort());
}

TEST_CASE("reading through a view allocates nothing", "[views]")
{
    const auto pod = typed<core_v1::pod>(pod_text);
    const auto created = timestamp::parse("2026-01-02T03:04:05Z").value();
    const auto memory = "64Mi"_quantity;
    std::size_t seen = 0;
    const auto before = test::allocations_so_far().calls;
    for (const auto container : pod->spec().containers()) seen += container.image().size() + container.ports().size();
    seen += pod->metadata().labels()["app"].size() + pod->spec().containers()[0].resources().limits().size();
    seen += static_cast<std::size_t>(pod->spec().priority().value_or(0));
    seen += pod->metadata().creationTimestamp() == created ? 1 : 0;
    seen += pod->spec().containers()[0].resources().limits()["memory"] == memory ? 1 : 0;
    const auto after = test::allocations_so_far().calls;
    CHECK(after == before);
    CHECK(seen == 3 + 1 + 3 + 1 + 7 + 2);
}

TEST_CASE("a temporary object gives no text that would outlive it", "[views]")
{
    static_assert(reads_a_temporary<const typed_object<core_v1::pod>&>);
    static_assert(!reads_a_temporary<typed_object<core_v1::pod>>);
}
