#include "informer/namespaces_core.hpp"

#include <kubecoro/test/catch.hpp>

using kubecoro::detail::namespaces_core;
using names = std::vector<std::string>;

TEST_CASE("namespaces: none named at the beginning means all; none named later means none", "[cache][namespaces]")
{
    namespaces_core n({});
    CHECK(n.watched() == std::set<std::string>{""});
    CHECK(n.covers("web"));
    CHECK(n.covers(""));
    n.set({});
    CHECK(n.watched().empty());
    CHECK_FALSE(n.covers("web"));
}

TEST_CASE("namespaces: the empty name hides the others for as long as it is there", "[cache][namespaces]")
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

TEST_CASE("namespaces: a change names what leaves and what joins, and nothing that stays", "[cache][namespaces]")
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
