// Containers that many objects have are stored in the vocabulary: this must affect only the memory used.
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/read_everything.hpp>

#include "json_samples.hpp"

#include "storage/encoding.hpp"
#include "storage/object_block.hpp"

#include <kubecoro/api/decode.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

using encoding_ptr = std::shared_ptr<object_encoding>;

const detail::vocabulary& words_of(const encoding_ptr& e) { return *detail::encoding::words_of(e); }

object decoded(const std::string& text, const encoding_ptr& e)
{
    const auto o = decode_object(text, {}, e);
    INFO(text);
    REQUIRE(o);
    REQUIRE(o->to_text() == object::parse(text).value().to_text());
    return *o;
}

const std::string labels =
    R"({"app":"shop of all","tier":"front of it","track":"stable","zone":"eu-1","team":"core","part":"web","of":"shop",)"
    R"("region":"eu","version":"v12","by":"operator"})";
const std::string owner =
    R"({"kind":"ReplicaSet","name":"shop-1","apiVersion":"apps/v1","controller":true,"blockOwnerDeletion":true})";
const std::string owners = "[" + owner + "," + owner + "]";
const std::string probe =
    R"({"failureThreshold":3,"periodSeconds":10,"http":{"path":"/health","port":8080,"scheme":"HTTP"},"timeout":1000})";

/// A distinct object, with containers that all objects have.
std::string document(int i, const std::string& more = "")
{
    const auto n = std::to_string(i);
    return R"({"kind":"Thing","apiVersion":"x/v1","metadata":{"name":"a-)" + n + R"(","uid":"uid-of-)" + n +
           R"(","labels":)" + labels + R"(,"ownerReferences":)" + owners + R"(},"spec":{"own":"only )" + n +
           R"(","probes":[)" + probe + "," + probe + R"(],"outer":{"inner":)" + probe + R"(,"text":"track"}})" + more +
           "}";
}

encoding_ptr taught(storage_options options = {})
{
    auto e = make_object_encoding({.storage = std::move(options)});
    for (int i = 0; i < 40; ++i) (void)decoded(document(i), e);
    return e;
}

value_view container(const encoding_ptr& e, detail::vocabulary::number n)
{
    const std::string_view tape = words_of(e).container(n);
    const auto* const at = reinterpret_cast<const unsigned char*>(tape.data());
    return tape_access::view(at, at + tape.size(), &words_of(e));
}

std::string all_containers(const encoding_ptr& e)
{
    std::string all;
    for (detail::vocabulary::number n = 0; n < words_of(e).containers().size(); ++n) all += container(e, n).to_text();
    return all;
}

} // namespace

TEST_CASE("shared containers: learnt from several objects, and much smaller", "[api][vocabulary]")
{
    const auto e = taught();
    const std::string known = all_containers(e);
    CHECK(known.find(labels) != std::string::npos);
    CHECK(known.find(owners) != std::string::npos);
    CHECK(known.find(probe) != std::string::npos);
    CHECK(known.find("uid-of") == std::string::npos);
    CHECK(known.find("only") == std::string::npos);
    const std::size_t size = object_builder::tape_of(decoded(document(100), e)).size();
    CHECK(size < object_builder::tape_of(decoded(document(0), make_object_encoding())).size() / 5);
    // The next objects are written with the learnt containers, and add no more.
    const std::size_t learnt = words_of(e).containers().size();
    CHECK(object_builder::tape_of(decoded(document(101), e)).size() == size);
    CHECK(words_of(e).containers().size() == learnt);
}

TEST_CASE("shared containers: those of a single object are not learnt, however often it is updated",
          "[api][vocabulary]")
{
    const auto e = taught();
    const std::size_t before = words_of(e).containers().size();
    // All texts are known, only the container is new.
    const std::string own = R"(,"status":{"app":"track","x":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]})";
    for (int version = 0; version < 300; ++version) (void)decoded(document(50, own), e);
    CHECK(words_of(e).containers().size() == before);
    for (int i = 50; i < 60; ++i) (void)decoded(document(i, own), e);
    CHECK(words_of(e).containers().size() > before);
}

TEST_CASE("shared containers: views behave as in the object's own tape", "[api][vocabulary]")
{
    const auto e = taught();
    const object o = decoded(document(7), e);
    const value_view probes = o["spec"]["probes"];
    CHECK(probes.size() == 2);
    CHECK(probes[std::size_t{0}] == probes[std::size_t{1}]);
    CHECK_FALSE(probes[std::size_t{2}]);
    // Both items are the same container, but the iterators differ.
    auto first = probes.items().begin();
    auto second = first;
    ++second;
    CHECK_FALSE(first == second);
    ++first;
    CHECK(first == second);
    CHECK(o["spec"]["outer"]["inner"]["http"]["port"].as_int64() == 8080);
    CHECK(o.path("spec.outer.inner.http.path").as_string() == "/health");
    CHECK(o.labels()["track"].as_string() == "stable");
    CHECK(o.labels().is_object());
    CHECK(o.owner_references().is_array());
    CHECK(o.owner_references()[std::size_t{0}]["controller"].as_bool());
    CHECK(o.metadata()["labels"].size() == 10);
    std::size_t members = 0;
    for (const auto& [key, value] : o["spec"].members()) members += !key.empty() && value ? 1 : 0;
    CHECK(members == 3);
}

TEST_CASE("shared containers: equal to equal inline containers, and unequal to others", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    std::vector<object> all;
    for (int i = 0; i < 40; ++i) all.push_back(decoded(document(3), e));
    const object alone = object::parse(document(3)).value();
    std::string changed = document(3);
    changed.replace(changed.rfind("HTTP"), 4, "HTML");
    const object other = decoded(changed, e);
    for (int i = 0; i < 40; ++i) (void)decoded(document(i), e);
    all.push_back(decoded(document(3), e));
    REQUIRE(object_builder::tape_of(all.back()).size() < object_builder::tape_of(all.front()).size());
    for (const object& o : all) {
        CHECK(o.root() == all.back().root());
        CHECK(all.back()["spec"] == o["spec"]);
        CHECK(o.root() == alone.root());
        CHECK_FALSE(o["spec"] == other["spec"]);
        CHECK_FALSE(other.root() == o.root());
        CHECK(o["metadata"] == other["metadata"]);
    }
}

TEST_CASE("shared containers: contain no secrets", "[api][vocabulary]")
{
    const std::string map = R"({"one":"the secret text","two":["the secret text",123456789],"three":987654321012})";
    const std::string more = R"(,"data":)" + map + R"(,"stringData":)" + map + R"(,"binaryData":)" + map +
                             R"(,"rest":{"env":[{"name":"stable","value":"the secret text"}],"deep":{"value":)" + map +
                             R"(,"app":"stable"},"f:spec":{"f:data":)" + map + R"(},"long":{"app":")" +
                             std::string(200, 's') + R"(","zone":"eu-1"}})";
    for (const bool values : {true, false}) {
        const auto e = make_object_encoding({.values = values});
        for (int i = 0; i < 40; ++i) (void)decoded(document(i, more), e);
        const std::string known = all_containers(e);
        CHECK(known.empty() == !values);
        for (const char* text : {"secret", "123456789", "987654321012", "sss", "value", "f:data"})
            CHECK(known.find(text) == std::string::npos);
    }
}

TEST_CASE("shared containers: hot and front fields inside them, under every policy", "[api][storage]")
{
    for (const auto policy : {storage::plain, storage::compressed}) {
        const auto e =
            taught({.policy = policy,
                    .hot_fields = {"spec.outer.inner.http.path", "spec.outer.inner", "spec.outer.none",
                                   "metadata.labels", "metadata.labels.app", "spec.outer.inner.periodSeconds"},
                    .learn_from = 8});
        const object o = e->at_rest(decoded(document(77), e));
        CHECK(o.path("spec.outer.inner.http.path").as_string() == "/health");
        CHECK(o.path("spec.outer.inner.periodSeconds").as_int64() == 10);
        CHECK(o.path("spec.outer.inner").to_text() == probe);
        CHECK(o.path("metadata.labels.app").as_string() == "shop of all");
        CHECK(o.path("metadata.labels") == o.labels());
        CHECK_FALSE(o.path("spec.outer.none"));
        CHECK(o.labels().to_text() == labels);
        CHECK(o.owner_references().to_text() == owners);
        CHECK(o.to_text() == document(77));
    }
}

TEST_CASE("shared containers: a full vocabulary keeps working", "[api][vocabulary]")
{
    const auto e = taught();
    auto& containers = detail::encoding::words_of(e)->containers();
    for (std::uint32_t i = 0; containers.size() < detail::container_numbers; ++i) {
        std::string tape{static_cast<char>(detail::tag::tight_array + 4), static_cast<char>(detail::tag::int_32)};
        tape.resize(6);
        detail::store(reinterpret_cast<unsigned char*>(tape.data()) + 2, i, 4);
        containers.admit(tape + std::string(detail::container_trailer, '\0'));
    }
    CHECK(container(e, detail::container_numbers - 1).is_array());
    CHECK_FALSE(container(e, detail::container_numbers));
    const std::string own = R"(,"status":{"app":"track","x":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]})";
    for (int i = 0; i < 20; ++i) {
        const object o = decoded(document(i, own), e);
        CHECK(o["status"]["x"].size() == 20);
        CHECK(o.root() == object::parse(document(i, own))->root());
    }
    CHECK(e->bytes() < 16u << 20);
}

TEST_CASE("shared containers: one-byte and two-byte numbers", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    std::string text = "{";
    for (int i = 0; i < 400; ++i)
        text += (i != 0 ? "," : "") + ("\"m" + std::to_string(i)) + R"(":{"a":"text","b":[)" +
                std::to_string(100000 + i) + ",200000,300000,400000]}";
    text += "}";
    object o;
    for (int i = 0; i < 30; ++i) o = decoded(text, e);
    CHECK(words_of(e).containers().size() > detail::short_containers + 100);
    CHECK(o["m399"]["b"][std::size_t{0}].as_int64() == 100399);
    CHECK(object_builder::tape_of(o).size() < 400 * 9);
}

TEST_CASE("shared containers: live as long as their objects", "[api][vocabulary]")
{
    object o;
    {
        const auto e = taught();
        o = decoded(document(5), e);
    }
    const object copy = o;
    o = {};
    CHECK(copy.to_text() == document(5));
}

TEST_CASE("shared containers: nested ones stay within a bound", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    std::string doubled = R"({"a":"text","b":1000,"c":"text","d":2000,"e":3000})";
    for (int level = 0; level < 9; ++level) doubled = R"({"left":)" + doubled + R"(,"right":)" + doubled + "}";
    object o;
    for (int i = 0; i < 60; ++i) o = decoded(R"({"x":)" + doubled + "}", e);
    const auto& containers = words_of(e).containers();
    REQUIRE(containers.size() > 3);
    std::size_t longest = 0;
    for (detail::vocabulary::number n = 0; n < containers.size(); ++n)
        longest = std::max(longest, container(e, n).to_text().size());
    CHECK(longest > 500);
    CHECK(longest < 4 * detail::longest_shared_container);
    CHECK(object_builder::tape_of(o).size() < 1000);
    // A broken tape yields no more than a bounded number of them.
    const auto whole = object_builder::tape_of(o);
    testing_samples::generator random(7);
    for (int round = 0; round < 2000; ++round) {
        const auto broken = std::make_unique<unsigned char[]>(whole.size());
        std::copy(whole.begin(), whole.end(), broken.get());
        for (int i = 0; i < 3; ++i) broken[random.below(whole.size())] = static_cast<unsigned char>(random.below(256));
        const value_view v = tape_access::view(broken.get(), broken.get() + whole.size(), &words_of(e));
        REQUIRE(v.to_text().size() < whole.size() * longest);
        if (round % 20 == 0) (void)test::read_everything(v);
    }
}

TEST_CASE("shared containers: a tape with any byte changed is read within bounds", "[api][vocabulary]")
{
    const auto e = taught();
    const object o = decoded(document(7), e);
    const auto whole = object_builder::tape_of(o);
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (unsigned value = 0; value < 256; ++value) {
            const auto copy = std::make_unique<unsigned char[]>(whole.size());
            std::copy(whole.begin(), whole.end(), copy.get());
            copy[at] = static_cast<unsigned char>(value);
            const value_view v = tape_access::view(copy.get(), copy.get() + whole.size(), &words_of(e));
            REQUIRE(test::read_everything(v) < 3000 * whole.size());
            REQUIRE((v == o.root()) == (o.root() == v));
        }
    // Without a vocabulary, no number is known, neither of a key nor of a container.
    const value_view orphan = tape_access::view(whole.data(), whole.data() + whole.size(), nullptr);
    CHECK(orphan.size() == 0);
    for (const unsigned char tag : {detail::tag::shared_8, detail::tag::shared_16}) {
        const unsigned char number[]{tag, 0xff, 0xff};
        CHECK_FALSE(tape_access::view(number, number + 3, nullptr));
        CHECK_FALSE(tape_access::view(number, number + 3, &words_of(e)));
        CHECK_FALSE(tape_access::view(number, number + 1, &words_of(e)));
    }
}
