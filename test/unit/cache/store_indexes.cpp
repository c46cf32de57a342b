// Tests of user indexes, whose functions are user code.
#include "object_names.hpp"

#include "store/store.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace kt = kubecoro::testing;

namespace {

using cache_test::names;
using lines = std::vector<std::string>;

object pod(const std::string& name, int version, const std::string& node = "n1")
{
    return kt::make_pod("web", name, std::to_string(version), node);
}

void put(store& s, object o) { s.apply(std::vector<delta>{{delta_type::updated, std::move(o)}}); }

/// Enough objects for label indexes to be built.
std::vector<object> many_pods(int version)
{
    std::vector<object> out;
    for (int i = 0; i < 300; ++i) out.push_back(pod("p" + std::to_string(i), version));
    return out;
}

void by_node(const object& o, index_sink out) { out(o["spec"]["nodeName"].as_string()); }

} // namespace

TEST_CASE("store: an index function may list by a label that is not indexed yet", "[cache][store][index]")
{
    const auto s = std::make_shared<store>();
    const lister<object> l(s);
    int asked = 0;
    const auto by_question = [&](const object& o, index_sink out) {
        const auto selector = label_selector::parse("label-" + std::to_string(asked++ % 3) + "=x").value();
        out(std::to_string(l.list(selector).size()) + std::string(o["spec"]["nodeName"].as_string()));
    };
    s->replace("", many_pods(1), true);
    REQUIRE(s->add_index("question", by_question)); // when it is built
    CHECK(s->indexed_labels().size() == 3);
    CHECK(s->by_index("question", "0n1").size() == 300);

    const auto t = std::make_shared<store>();
    const lister<object> of_t(t);
    REQUIRE(t->add_index("question", [&](const object& o, index_sink out) {
        const std::string label = o.resource_version() == "1" ? "list=x" : "change=x";
        out(std::to_string(of_t.list(label_selector::parse(label).value()).size()));
    }));
    t->replace("", many_pods(1), true); // in a list: the store is still empty, so no label index exists
    t->replace("", many_pods(1), true);
    put(*t, pod("p1", 2)); // in a change
    CHECK(t->indexed_labels() == lines{"change"});
    CHECK(t->by_index("question", "0").size() == 300);
}

TEST_CASE("store: an index that is built while objects change includes every change", "[cache][store][index]")
{
    store s;
    s.replace("", {pod("a", 1, "n1"), pod("b", 2, "n1"), pod("c", 3, "n1")}, true);
    int calls = 0;
    // The writer runs in between: changes, a deletion, an addition, a whole list.
    const auto meanwhile = [&](const object& o, index_sink out) {
        by_node(o, out);
        switch (++calls) {
        case 2:
            put(s, pod("a", 4, "n2"));
            s.apply(std::vector<delta>{{delta_type::deleted, pod("b", 5, "n1")}});
            put(s, pod("d", 6, "n1"));
            break;
        case 4:
            s.replace("", {pod("a", 7, "n3"), pod("c", 3, "n1"), pod("d", 6, "n1"), pod("e", 8, "n3")}, false);
            break;
        default:
            break;
        }
    };
    REQUIRE(s.add_index("node", meanwhile));
    CHECK(names(s.by_index("node", "n1")) == lines{"web/c@3", "web/d@6"});
    CHECK(s.by_index("node", "n2").empty());
    CHECK(names(s.by_index("node", "n3")) == lines{"web/a@7", "web/e@8"});
    CHECK(calls <= 8); // no version is indexed twice
    put(s, pod("a", 9, "n1"));
    CHECK(names(s.by_index("node", "n1")) == lines{"web/a@9", "web/c@3", "web/d@6"});
}

TEST_CASE("store: an index that is added during a change includes the change", "[cache][store][index]")
{
    store s;
    s.replace("", {pod("a", 1)}, true);
    bool join = false;
    REQUIRE(s.add_index("first", [&](const object& o, index_sink out) {
        by_node(o, out);
        if (std::exchange(join, false)) {
            const std::string name = "joined at " + std::string(o.resource_version());
            REQUIRE(s.add_index(name, by_node));
            CHECK(s.add_index(name, by_node).error() == cond::already_exists);
        }
    }));
    join = true;
    put(s, pod("a", 2, "n2"));
    CHECK(names(s.by_index("joined at 2", "n2")) == lines{"web/a@2"});
    CHECK(s.by_index("joined at 2", "n1").empty());
    join = true;
    s.replace("", {pod("a", 3, "n3"), pod("b", 3, "n3")}, false);
    CHECK(names(s.by_index("joined at 3", "n3")) == lines{"web/a@3", "web/b@3"});
    CHECK(names(s.by_index("joined at 2", "n3")) == lines{"web/a@3", "web/b@3"});
}

TEST_CASE("store: an index function that is slower than the changes fails", "[cache][store][index]")
{
    store s;
    put(s, pod("a", 1));
    int version = 1;
    const auto ever_changing = [&](const object& o, index_sink out) {
        by_node(o, out);
        CHECK(s.add_index("node", by_node).error() == cond::already_exists); // the name is reserved
        put(s, pod("a", ++version));
    };
    CHECK(s.add_index("node", ever_changing).error() == cond::timed_out);
    CHECK_FALSE(s.has_index("node"));
    REQUIRE(s.add_index("node", by_node)); // the name is free again
    CHECK(s.by_index("node", "n1").size() == 1);
}
