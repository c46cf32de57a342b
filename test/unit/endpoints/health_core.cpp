#include "health/health_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <functional>
#include <stdexcept>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

const std::vector<std::string> existing{"ping", "informers", "database"};

health_checks::verdict well(std::string name) { return {std::move(name), {}, {}}; }
health_checks::verdict ill(std::string name)
{
    return {std::move(name), failure{cond::timed_out, "password is hunter2"}, {}};
}

} // namespace

TEST_CASE("health_core: without a subpath every check runs, in its order", "[endpoints]")
{
    CHECK(checks_of({}, existing) == existing);
    health_query some;
    some.excluded = {"informers", "unknown"};
    CHECK(checks_of(some, existing) == std::vector<std::string>{"ping", "database"});
}

TEST_CASE("health_core: a subpath selects its check alone, whatever is excluded", "[endpoints]")
{
    health_query one;
    one.check = "database";
    one.excluded = {"database"};
    CHECK(checks_of(one, existing) == std::vector<std::string>{"database"});
    one.check = "data";
    CHECK_FALSE(checks_of(one, existing));
}

TEST_CASE("health_core: a success is one word unless details are asked for", "[endpoints]")
{
    health_query query;
    query.title = "readyz";
    const std::vector<health_checks::verdict> outcomes{well("ping"), well("informers"), well("database")};
    CHECK(answer_of(query, existing, outcomes).body == "ok");
    query.verbose = true;
    const auto verbose = answer_of(query, existing, outcomes);
    CHECK(verbose.status == 200);
    CHECK(verbose.body == "[+]ping ok\n[+]informers ok\n[+]database ok\nreadyz check passed\n");
}

TEST_CASE("health_core: details are one harmless line of limited length, for those who ask", "[endpoints]")
{
    health_query query;
    query.title = "readyz";
    query.verbose = true;
    const auto line = [&](std::function<std::string()> detail) {
        return answer_of(query, {"clusters"}, {{"clusters", {}, std::move(detail)}}).body;
    };
    CHECK(line([] { return std::string("1 of 2 ready: eu resting"); }) ==
          "[+]clusters 1 of 2 ready: eu resting\nreadyz check passed\n");
    CHECK(line([] { return std::string(); }) == "[+]clusters ok\nreadyz check passed\n");
    CHECK(line([] { return std::string("a\n[+]b"); }).find("\n[+]b") == std::string::npos);
    CHECK(line([] { return std::string(100000, 'x'); }).size() < 1200);
    CHECK(line([]() -> std::string { throw std::runtime_error("no"); }).find("readyz check passed") !=
          std::string::npos);
    query.verbose = false;
    CHECK(line([]() -> std::string {
              FAIL("nobody asks for it");
              return {};
          }) == "ok");
}

TEST_CASE("health_core: a failure names the checks and withholds the reasons", "[endpoints]")
{
    health_query query;
    query.title = "livez";
    const auto failed = answer_of(query, existing, {well("ping"), ill("informers"), well("database")});
    CHECK(failed.status == 500);
    CHECK(failed.body == "[+]ping ok\n[-]informers failed: reason withheld\n[+]database ok\nlivez check failed\n");
}

TEST_CASE("health_core: excluded checks are shown, and exclusions in vain are pointed out", "[endpoints]")
{
    health_query query;
    query.verbose = true;
    query.excluded = {"informers", "databse", "x\ny"};
    const auto said = answer_of(query, existing, {well("ping"), well("database")});
    CHECK(said.body == "[+]ping ok\n[+]informers excluded: ok\n[+]database ok\n"
                       "warn: some health checks cannot be excluded: no matches for \"databse\",\"x y\"\n"
                       "livez check passed\n");
}

TEST_CASE("health_core: one check answers for itself", "[endpoints]")
{
    health_query one;
    one.check = "database";
    CHECK(answer_of(one, existing, {well("database")}).body == "ok");
    const auto failed = answer_of(one, existing, {ill("database")});
    CHECK(failed.status == 500);
    CHECK(failed.body == "database failed: reason withheld\n");
}

TEST_CASE("health_core: a check that was removed meanwhile is left out", "[endpoints]")
{
    health_query query;
    query.verbose = true;
    const auto said = answer_of(query, existing, {well("ping"), well("database")});
    CHECK(said.body == "[+]ping ok\n[+]database ok\nlivez check passed\n");
}
