#include "informer/namespaces_core.hpp"

#include <kubecoro/test/catch.hpp>

using kubecoro::detail::namespaces_core;
using names = std::vector<std::string>;

TEST_CASE("namespaces: an empty list means all in the constructor, and none in set()", "[cache][namespaces]")
{
    namespaces_core n({});
    CHECK(n.watched() == std::set<std::string>{""});
    CHECK(n.covers("web"));
    CHECK(n.covers(""));
    n.set({});
    CHECK(n.watched().empty());
    CHECK_FALSE(n.covers("web"));
}

TEST_CASE("namespaces: the empty name hides the others while it is in the set", "[cache][namespaces]")
{
    namespaces_core n({"web", "jobs", "web"});
    CHECK(n.watched() == std::set<std::string>{"jobs", "web"});
    n.add("");
    CHECK(n.watched() == std::set<std::string>{""});
    CHECK(n == namespaces_core({}));
    n.remove("web");
    n.remove("");
    CHECK(n.watched() == std::set<std::string>{"jobs"});
}

TEST_CASE("namespaces: a change has the removed and the added ones only", "[cache][namespaces]")
{
    namespaces_core n({"a", "b"});
    n.set({"b", "c"});
    auto change = n.from({"a", "b"});
    CHECK(change.leave == names{"a"});
    CHECK(change.join == names{"c"});
    change = n.from({"b", "c"});
    CHECK(change.leave.empty());
    CHECK(change.join.empty());
    n.set({""});
    change = n.from({"b", "c"});
    CHECK(change.leave == names{"b", "c"});
    CHECK(change.join == names{""});
}
