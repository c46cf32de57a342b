// Counts memory allocations, a guarantee that no timing could verify.
#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>

#include "json_samples.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
using testing_samples::numbered_pod;

namespace {

constexpr int count = 400;

std::shared_ptr<object_encoding> taught(storage policy)
{
    auto encoding = make_object_encoding({.storage = {.policy = policy, .learn_from = 8}});
    for (int i = 0; i < count; ++i) REQUIRE(decode_object(numbered_pod(i), {}, encoding));
    return encoding;
}

/// Number of allocations made by `f`.
template<class F>
std::uint64_t allocations_of(F f)
{
    const auto before = test::allocations_so_far().calls;
    f();
    return test::allocations_so_far().calls - before;
}

/// Reads every value of the object, as a program would.
std::size_t look_through(const value_view& v)
{
    std::size_t seen = 1 + v.as_string().size() + static_cast<std::size_t>(v.as_int64());
    for (const auto item : v.items()) seen += look_through(item);
    for (const auto& [key, value] : v.members()) seen += key.size() + look_through(value);
    return seen;
}

/// Reads the values in the front of a compressed object.
std::size_t look_at_front(const object& o)
{
    return o.name().size() + o.ns().size() + o.resource_version().size() + o.kind().size() + o.labels().size() +
           o.owner_references()[0]["name"].as_string().size() + o.path("spec.nodeName").as_string().size() +
           o.path("metadata.labels.app").as_string().size() + static_cast<std::size_t>(o.generation()) +
           (o.being_deleted() ? 1u : 0u) + (o.uuid() ? 1u : 0u);
}

} // namespace

TEST_CASE("allocations: one per object in a list or a watch", "[api][allocations]")
{
    const auto encoding = taught(storage::plain);
    std::string list = R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)" + numbered_pod(0);
    std::string watch;
    for (int i = 1; i < count; ++i) list += "," + numbered_pod(i);
    for (int i = 0; i < count; ++i) watch += R"({"type":"MODIFIED","object":)" + numbered_pod(i) + "}\n";
    list += "]}";

    list_decoder of_lists({}, encoding);
    const auto by_list = allocations_of([&] { REQUIRE(of_lists.feed(list)); });
    CHECK(by_list >= count);
    CHECK(by_list < count + 64); // growth of the page and the decoder

    std::vector<watch_event> events;
    events.reserve(count);
    watch_decoder of_watches({}, encoding);
    const auto by_watch = allocations_of([&] { REQUIRE(of_watches.feed(watch, events)); });
    REQUIRE(events.size() == count);
    CHECK(by_watch < count + 64);
}

TEST_CASE("allocations: none for reading, comparing and keeping", "[api][allocations]")
{
    const auto encoding = taught(storage::plain);
    const object a = decode_object(numbered_pod(1), {}, encoding).value();
    const object b = decode_object(numbered_pod(1), {}, encoding).value();
    std::size_t seen = 0;
    bool equal = false;
    CHECK(allocations_of([&] { seen = look_through(a.root()) + look_at_front(a); }) == 0);
    CHECK(allocations_of([&] { equal = a.root() == b.root() && a.same_uid(b); }) == 0);
    CHECK(allocations_of([&] {
              const auto again = kept_object(object(a)).get();
              seen += again.name().size();
          }) == 0);
    CHECK(seen > 100);
    CHECK(equal);
}

TEST_CASE("allocations: the front of a compressed object is read without expanding it", "[api][allocations]")
{
    const auto encoding = taught(storage::compressed);
    const kept_object kept(decode_object(numbered_pod(1), {}, encoding).value());
    REQUIRE(encoding->stats().stage != dictionary_stage::none);
    std::size_t seen = 0;
    CHECK(allocations_of([&] { seen = look_at_front(kept.get()); }) == 0);
    CHECK(seen > 20);
    CHECK(allocations_of([&] {
              const auto o = kept.get();
              seen += look_through(o.root());
          }) > 0);
}
