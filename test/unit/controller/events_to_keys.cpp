// Predicates, and the mapping of events to keys.
#include "controller/event_mapper.hpp"

#include <kubecoro/api/selector.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/controller/enqueue.hpp>
#include <kubecoro/controller/predicate.hpp>
#include <kubecoro/controller/workqueue.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/objects.hpp>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace kt = kubecoro::testing;
using keys = std::vector<std::string>;

namespace {

object pod(std::string version, std::string metadata = {}, std::string name = "a")
{
    const std::string text = R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"web","uid":"u-)" + name +
                             R"(","name":")" + name + R"(","resourceVersion":")" + version + "\"" +
                             (metadata.empty() ? "" : "," + metadata) + "}}";
    return object::parse(text).value();
}

updated<object> change(std::string before, std::string after) { return {pod("1", before), pod("2", after)}; }
const notification<object> resync = updated<object>{pod("1"), pod("1")};
const notification<object> born = added<object>{pod("1"), false};
const notification<object> gone = deleted<object>{pod("1"), false};

keys of(const key_batch& batch)
{
    keys out;
    for (const auto& p : batch.places()) out.push_back(to_string(batch.key(p)));
    return out;
}

keys keys_of(const enqueue& map, const notification<object>& n)
{
    key_batch out;
    map(n, key_sink(out));
    return of(out);
}

std::string owner(std::string_view api_version, std::string_view kind, std::string_view name, bool controls = true)
{
    return R"({"apiVersion":")" + std::string(api_version) + R"(","kind":")" + std::string(kind) + R"(","name":")" +
           std::string(name) + R"(","uid":"x","controller":)" + (controls ? "true" : "false") + "}";
}
/// A reference without `controller`.
std::string plain_owner(std::string_view api_version, std::string_view kind, std::string_view name)
{
    return R"({"apiVersion":")" + std::string(api_version) + R"(","kind":")" + std::string(kind) + R"(","name":")" +
           std::string(name) + R"(","uid":"x"})";
}
std::string owners(std::string list) { return R"("ownerReferences":[)" + list + "]"; }

} // namespace

TEST_CASE("predicates: those about changes compare old and new, and pass additions and deletions", "[predicate]")
{
    const auto all = {predicates::generation_changed(), predicates::labels_changed(), predicates::annotations_changed(),
                      predicates::resource_version_changed()};
    for (const auto& p : all) {
        CHECK(p(born));
        CHECK(p(gone));
        CHECK_FALSE(p(resync));
    }
    CHECK(predicates::resource_version_changed()(change({}, {})));
    CHECK(predicates::labels_changed()(change(R"("labels":{"a":"1"})", R"("labels":{"a":"2"})")));
    CHECK(predicates::labels_changed()(change(R"("labels":{"a":"1"})", {})));
    CHECK_FALSE(
        predicates::labels_changed()(change(R"("labels":{"a":"1"})", R"("annotations":{},"labels":{"a":"1"})")));
    CHECK(predicates::annotations_changed()(change({}, R"("annotations":{"a":"2"})")));
    CHECK_FALSE(predicates::annotations_changed()(change({}, R"("labels":{"a":"2"})")));
}

TEST_CASE("predicates: an equal generation is no change, and kinds without one use their version", "[predicate]")
{
    const auto p = predicates::generation_changed();
    CHECK(p(change(R"("generation":1)", R"("generation":2)")));
    CHECK_FALSE(p(change(R"("generation":2)", R"("generation":2)")));
    CHECK(p(change({}, {})));
}

TEST_CASE("predicates: the beginning of a deletion is a change, whatever the generation is", "[predicate]")
{
    const auto p = predicates::generation_changed();
    const std::string here = R"("generation":2)";
    const std::string leaving = here + R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
    CHECK(p(change(here, leaving)));
    CHECK_FALSE(p(change(leaving, leaving)));
    CHECK_FALSE(p(change(leaving, leaving + R"(,"labels":{"a":"1"})")));
    CHECK(p(added<object>{pod("1", leaving), false}));
}

TEST_CASE("predicates: labels and annotations change by a value, an addition and a removal, and by nothing else",
          "[predicate]")
{
    const auto check = [](const predicate& p, const std::string& member) {
        const auto with = [&](const std::string& pairs) { return '"' + member + "\":{" + pairs + "}"; };
        const auto two = with(R"("a":"1","b":"2")");
        CHECK_FALSE(p(change(with(""), with(""))));
        CHECK_FALSE(p(change({}, {})));
        CHECK_FALSE(p(change(two, two)));
        CHECK_FALSE(p(change(two, with(R"("b":"2","a":"1")"))));
        CHECK(p(change(two, with(R"("a":"1","b":"3")"))));
        CHECK(p(change(two, with(R"("a":"1","b":"2","c":"3")"))));
        CHECK(p(change(two, with(R"("a":"1")"))));
    };
    check(predicates::labels_changed(), "labels");
    check(predicates::annotations_changed(), "annotations");
}

TEST_CASE("predicates: a namespace or a label selector chooses every kind of event", "[predicate]")
{
    const auto of = [](std::string_view ns) {
        return predicates::matches([ns](const object& o) { return o.ns() == ns; });
    };
    const auto with = [](std::string_view text) {
        return predicates::matches(
            [s = label_selector::parse(text).value()](const object& o) { return s.matches(o.labels()); });
    };
    const std::string labels = R"("labels":{"foo":"bar"})";
    const notification<object> events[] = {added<object>{pod("1", labels), false}, change(labels, labels),
                                           updated<object>{pod("1", labels), pod("1", labels)},
                                           deleted<object>{pod("1", labels), false}};
    for (const auto& n : events) {
        CHECK(of("web")(n));
        CHECK_FALSE(of("jobs")(n));
        CHECK(with("foo=bar")(n));
        CHECK_FALSE(with("foo=baz")(n));
    }
}

TEST_CASE("predicates: an update matches by the old or the new object, so that leaving is noticed", "[predicate]")
{
    const auto p = predicates::matches([](const object& o) { return o.labels()["app"].as_string() == "shop"; });
    const std::string in = R"("labels":{"app":"shop"})";
    CHECK(p(change(in, in)));
    CHECK(p(change(in, {})));
    CHECK(p(change({}, in)));
    CHECK_FALSE(p(change({}, {})));
    CHECK_FALSE(p(born));
    CHECK(p(added<object>{pod("1", in), true}));
}

TEST_CASE("predicates: all of, any of, not", "[predicate]")
{
    using namespace kubecoro::predicates;
    const predicate yes = [](const notification<object>&) { return true; };
    const predicate no = not_(yes);
    CHECK_FALSE(no(born));
    CHECK(not_(no)(born));
    CHECK_FALSE(not_(predicate())(born));
    CHECK(all_of({})(born));
    CHECK(all_of({yes, yes, predicate()})(born));
    CHECK_FALSE(all_of({yes, no})(born));
    CHECK_FALSE(any_of({})(born));
    CHECK(any_of({no, yes})(born));
    CHECK_FALSE(any_of({no, no})(born));
    int asked = 0;
    const predicate counting = [&asked](const notification<object>&) { return ++asked != 0; };
    CHECK_FALSE(all_of({no, counting})(born));
    CHECK(any_of({yes, counting})(born));
    CHECK(asked == 0);
}

TEST_CASE("enqueue: the object itself", "[enqueue]")
{
    CHECK(keys_of(enqueue_object(), born) == keys{"web/a"});
    CHECK(keys_of(enqueue_object(), change({}, {})) == keys{"web/a"});
    CHECK(keys_of(enqueue_object(), gone) == keys{"web/a"});
}

TEST_CASE("enqueue: owners by group and kind, in any version, only the controlling one by default", "[enqueue]")
{
    const auto sets = untyped::replica_set::resource();
    const auto list = owner("apps/v1", "ReplicaSet", "main") + "," + owner("apps/v1beta2", "ReplicaSet", "old", false) +
                      "," + owner("example.com/v1", "ReplicaSet", "foreign") + "," +
                      owner("apps/v1", "Deployment", "other") + "," + owner("v1", "ReplicaSet", "core");
    const notification<object> n = added<object>{pod("1", owners(list)), false};
    CHECK(keys_of(enqueue_owner(sets), n) == keys{"web/main"});
    CHECK(keys_of(enqueue_owner<untyped::replica_set>(), n) == keys{"web/main"});
    CHECK(keys_of(enqueue_owners(sets), n) == keys{"web/main", "web/old"});
    CHECK(keys_of(enqueue_owner(sets),
                  added<object>{pod("1", owners(owner("apps/v1alpha9", "ReplicaSet", "x"))), false}) == keys{"web/x"});
    CHECK(keys_of(enqueue_owner(sets), born).empty());
}

TEST_CASE("enqueue: a cluster-scoped owner gets no namespace, and a change of owner enqueues both", "[enqueue]")
{
    const auto nodes = enqueue_owner<untyped::node>();
    CHECK(keys_of(nodes, added<object>{pod("1", owners(owner("v1", "Node", "n1"))), false}) == keys{"n1"});
    CHECK(keys_of(nodes, change(owners(owner("v1", "Node", "n1")), owners(owner("v1", "Node", "n2")))) ==
          keys{"n1", "n2"});
    CHECK(keys_of(nodes, deleted<object>{pod("1", owners(owner("v1", "Node", "n1"))), true}) == keys{"n1"});
}

TEST_CASE("enqueue: all owners on demand; without a controlling one, by default none", "[enqueue]")
{
    const auto list = plain_owner("apps/v1", "ReplicaSet", "one") + "," + plain_owner("apps/v1", "ReplicaSet", "two") +
                      "," + owner("apps/v1", "ReplicaSet", "three", false);
    const notification<object> n = added<object>{pod("1", owners(list)), false};
    CHECK(keys_of(enqueue_owner<untyped::replica_set>(), n).empty());
    CHECK(keys_of(enqueue_owners<untyped::replica_set>(), n) == keys{"web/one", "web/two", "web/three"});
}

TEST_CASE("enqueue: of several controlling owners, which no server permits, the first counts", "[enqueue]")
{
    const auto list = plain_owner("apps/v1", "ReplicaSet", "one") + "," + owner("apps/v1", "ReplicaSet", "two") + "," +
                      owner("apps/v1", "ReplicaSet", "three");
    CHECK(keys_of(enqueue_owner<untyped::replica_set>(), added<object>{pod("1", owners(list)), false}) ==
          keys{"web/two"});
    CHECK(keys_of(enqueue_owner<untyped::replica_set>(),
                  added<object>{pod("1", owners(owner("apps/v1", "Deployment", "d") + "," + list)), false})
              .empty());
}

TEST_CASE("enqueue: an apiVersion that is none belongs to no group", "[enqueue]")
{
    const auto named_by = [](std::string_view api_version) {
        return keys_of(enqueue_owner<untyped::replica_set>(),
                       added<object>{pod("1", owners(owner(api_version, "ReplicaSet", "x"))), false});
    };
    CHECK(named_by("apps/v1") == keys{"web/x"});
    CHECK(named_by("apps/v1/fail").empty());
    CHECK(named_by("apps").empty());
    CHECK(named_by("").empty());
    CHECK(keys_of(enqueue_owner<untyped::node>(), added<object>{pod("1", owners(owner("/v1", "Node", "x"))), false}) ==
          keys{"x"});
}

TEST_CASE("enqueue: an owner that stays is queued once", "[enqueue]")
{
    const auto same = owners(owner("apps/v1", "ReplicaSet", "x"));
    kt::runner run;
    workqueue<object_key> queue(run.executor());
    key_batch batch;
    enqueue_owner<untyped::replica_set>()(change(same, same), key_sink(batch));
    queue.add_batch(batch.places(), 0, [&batch](const key_batch::place& p) { return batch.key(p); });
    CHECK(queue.len() == 1);
}

TEST_CASE("enqueue: a map function is called for old and new, and once for a resync", "[enqueue]")
{
    const auto map = enqueue_mapped([](const object& o, key_sink out) {
        if (const auto app = o.labels()["app"].as_string(); !app.empty()) out("apps", app);
        out({"", "always"});
    });
    CHECK(keys_of(map, change(R"("labels":{"app":"x"})", R"("labels":{"app":"y"})")) ==
          keys{"apps/x", "always", "apps/y", "always"});
    CHECK(keys_of(map, resync) == keys{"always"});
    CHECK(keys_of(map, born) == keys{"always"});
    CHECK(keys_of(map, gone) == keys{"always"});
}

TEST_CASE("enqueue: a function of one's own decides by the kind of event", "[enqueue]")
{
    const enqueue only_deletions = [](const notification<object>& n, key_sink out) {
        if (const auto* d = std::get_if<deleted<object>>(&n)) out("gone", d->obj.name());
    };
    CHECK(keys_of(only_deletions, gone) == keys{"gone/a"});
    for (const auto& n : {born, resync, notification<object>(change({}, {}))})
        CHECK(keys_of(only_deletions, n).empty());
}

TEST_CASE("event mapper: initial and unchanged objects are kept apart from changed ones", "[enqueue]")
{
    event_mapper mapper(enqueue_object(), {});
    const std::vector<notification<object>> events{
        added<object>{pod("1", {}, "listed"), true}, added<object>{pod("1", {}, "new"), false},
        updated<object>{pod("1", {}, "same"), pod("1", {}, "same")},
        updated<object>{pod("1", {}, "other"), pod("2", {}, "other")}, deleted<object>{pod("1", {}, "gone"), false}};
    mapper.map(events);
    CHECK(of(mapper.changed()) == keys{"web/new", "web/other", "web/gone"});
    CHECK(of(mapper.unchanged()) == keys{"web/listed", "web/same"});
    mapper.map({});
    CHECK(mapper.changed().size() == 0);
    CHECK(mapper.unchanged().size() == 0);
}

TEST_CASE("event mapper: what is initial or unchanged is so for owners and map functions, too", "[enqueue]")
{
    const auto owned = owners(owner("v1", "Pod", "p"));
    const std::vector<notification<object>> events{added<object>{pod("1", owned), true},
                                                   updated<object>{pod("1", owned), pod("1", owned)},
                                                   added<object>{pod("1", owned), false}, change(owned, owned)};
    const auto mapped = enqueue_mapped([](const object& o, key_sink out) { out(o.key()); });
    for (const auto& map : {enqueue_object(), enqueue_owner<untyped::pod>(), mapped}) {
        event_mapper mapper(map, {});
        mapper.map(std::span(events).first(2));
        CHECK(mapper.changed().size() == 0);
        CHECK(mapper.unchanged().size() == 2);
        mapper.map(std::span(events).subspan(2));
        CHECK(mapper.changed().size() >= 2);
        CHECK(mapper.unchanged().size() == 0);
    }
}

TEST_CASE("event mapper: an exception loses only its own event", "[enqueue]")
{
    const auto fails = [](const object& o) { return o.name() == "bad"; };
    event_mapper mapping(enqueue_mapped([fails](const object& o, key_sink out) {
                             out("first", o.name());
                             if (fails(o)) throw std::runtime_error("no key");
                             out("second", o.name());
                         }),
                         {});
    const std::vector<notification<object>> events{added<object>{pod("1", {}, "a"), false},
                                                   added<object>{pod("1", {}, "bad"), false},
                                                   added<object>{pod("1", {}, "b"), false}};
    mapping.map(events);
    CHECK(of(mapping.changed()) == keys{"first/a", "second/a", "first/bad", "first/b", "second/b"});
    REQUIRE(mapping.failed().size() == 1);
    CHECK(to_string(mapping.failed().front().key) == "web/bad");
    CHECK(mapping.failed().front().why.message() == "no key");

    event_mapper filtering(enqueue_object(), predicates::matches([fails](const object& o) -> bool {
                               if (fails(o)) throw 7;
                               return o.name() == "b";
                           }));
    filtering.map(events);
    CHECK(of(filtering.changed()) == keys{"web/b"});
    CHECK(filtering.failed().size() == 1);
    filtering.map({});
    CHECK(filtering.failed().empty());
}
