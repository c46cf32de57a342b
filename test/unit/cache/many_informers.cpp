// Costs of many informers and many namespaces, as numbers of allocations: twice as many cost about twice as much.

#include "informer_fixture.hpp"

#include "informer/informer_names.hpp"

#include <kubecoro/test/allocations.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>

using namespace informer_test;
using kubecoro::detail::informer_names;
using kubecoro::test::allocations_so_far;

namespace {

constexpr std::size_t many = 400;

std::string numbered(const std::string& text, std::size_t n) { return text + std::to_string(n); }

/// Allocations of `action` for twice as many, divided by those for `many`.
double growth(const std::function<std::uint64_t(std::size_t)>& action)
{
    const auto few = static_cast<double>(action(many));
    return static_cast<double>(action(2 * many)) / few;
}

std::uint64_t allocations_of(const std::function<void()>& action)
{
    const auto before = allocations_so_far().calls;
    action();
    return allocations_so_far().calls - before;
}

kubecoro::informer_options of_one_object(std::size_t n)
{
    return {.namespaces = {"web"}, .name = numbered("an-object-with-a-long-name-", n)};
}

} // namespace

TEST_CASE("costs: twice as many informers of one kind cost twice as much", "[cache][factory][costs]")
{
    CHECK(growth([](std::size_t n) {
              fixture f;
              return allocations_of([&] {
                  for (std::size_t i = 0; i != n; ++i) (void)f.informers->get<pod>(of_one_object(i));
              });
          }) < 2.2);
}

TEST_CASE("costs: an informer for each namespace, each requested twice", "[cache][factory][costs]")
{
    CHECK(growth([](std::size_t n) {
              fixture f;
              return allocations_of([&] {
                  for (std::size_t i = 0; i != 2 * n; ++i)
                      (void)f.informers->get<pod>({.namespaces = {numbered("a-namespace-with-a-long-name-", i % n)}});
                  CHECK(f.informers->informers().size() == n);
              });
          }) < 2.2);
}

TEST_CASE("costs: informers that are released", "[cache][factory][costs]")
{
    CHECK(growth([](std::size_t n) {
              fixture f;
              std::vector<kubecoro::shared_informer<>> all;
              for (std::size_t i = 0; i != n; ++i) all.push_back(f.informers->get<pod>(of_one_object(i)));
              return allocations_of([&] {
                  for (const auto& informer : all) REQUIRE(f.run.run(f.informers->release(informer)));
                  CHECK(f.informers->informers().empty());
              });
          }) < 2.2);
}

TEST_CASE("costs: namespaces that are added one by one, and removed", "[cache][namespaces][costs]")
{
    const auto change = [](std::size_t n, bool removes) {
        fixture f;
        auto pods = f.informers->get<pod>({.namespaces = {"first"}});
        const auto each = [&](const auto& call) {
            return allocations_of([&] {
                for (std::size_t i = 0; i != n; ++i) {
                    (void)call(numbered("a-namespace-with-a-long-name-", i));
                    f.settle();
                }
            });
        };
        const auto added = each([&](const std::string& ns) { return pods.add_namespace(ns); });
        CHECK(pods.namespaces().size() == n + 1);
        if (!removes) return added;
        const auto removed = each([&](const std::string& ns) { return pods.remove_namespace(ns); });
        CHECK(pods.namespaces() == std::vector<std::string>{"first"});
        return removed;
    };
    CHECK(growth([&](std::size_t n) { return change(n, false); }) < 2.2);
    CHECK(growth([&](std::size_t n) { return change(n, true); }) < 2.2);
}

TEST_CASE("factory: an informer is shared by the namespaces that it covers now", "[cache][factory]")
{
    fixture f;
    auto one = f.informers->get<pod>({.namespaces = {"a"}});
    auto two = f.informers->get<pod>({.namespaces = {"b"}});
    (void)one.add_namespace("b");
    (void)two.set_namespaces({"a"});
    CHECK(f.informers->get<pod>({.namespaces = {"b", "a"}}) == one);
    CHECK(f.informers->get<pod>({.namespaces = {"a"}}) == two);
    auto three = f.informers->get<pod>({.namespaces = {"b"}});
    CHECK_FALSE((three == one || three == two));
    (void)one.remove_namespace("a"); // now both cover the same
    CHECK(f.informers->get<pod>({.namespaces = {"b"}}) == one);
    (void)one.add_namespace("");
    CHECK(f.informers->get<pod>() == one);
    CHECK(f.informers->get<pod>({.namespaces = {"b"}}) == three);
    (void)two.set_namespaces({});
    CHECK_FALSE(f.informers->get<pod>({.namespaces = {"a"}}) == two);
    CHECK(f.informers->informers().size() == 4);
}

TEST_CASE("factory: an informer of another factory is not released", "[cache][factory]")
{
    fixture f;
    fixture other;
    auto own = f.informers->get<pod>();
    auto foreign = other.informers->get<pod>();
    REQUIRE(f.run.run(f.informers->release(foreign)));
    CHECK(f.informers->informers().size() == 1);
    CHECK(foreign.state() == kubecoro::informer_state::created);
}

TEST_CASE("informer names: unique, and used again", "[cache][factory]")
{
    informer_names names;
    CHECK(names.take("pods") == "pods");
    CHECK(names.take("pods-3") == "pods-3"); // a wish
    CHECK(names.take("pods") == "pods-2");
    CHECK(names.take("pods") == "pods-4");
    names.give_back("pods-2");
    CHECK(names.take("pods") == "pods-2");
    names.give_back("pods");
    CHECK(names.take("pods") == "pods");
    names.give_back("unknown");
    CHECK(names.take("pods") == "pods-5");

    // Names come and go: always the lowest free number, so that few are ever used.
    std::set<std::string> taken;
    for (int i = 0; i != 1000; ++i) {
        const auto name = names.take("nodes");
        CHECK(taken.insert(name).second);
        if (taken.size() == 10) {
            names.give_back(*taken.begin());
            taken.erase(taken.begin());
        }
        CHECK((name == "nodes" || name.size() <= std::string("nodes-10").size()));
    }
}
