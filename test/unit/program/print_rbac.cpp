// The manifest of rights that --print-rbac prints.
#include "operator/print_rbac.hpp"

#include <kubecoro/test/catch.hpp>

#include <string>

using namespace kubecoro;

namespace {

std::string rbac(manager_options managing)
{
    operator_options o;
    o.name = "janitor";
    o.managing = std::move(managing);
    const auto nothing = [](manager&) { return result<>(); };
    return detail::rbac_of(std::move(o), nothing, "ops").value();
}

} // namespace

TEST_CASE("print rbac: Leases are in the namespace of the command line", "[program]")
{
    std::string text;
    SECTION("those of an election") { text = rbac({.leader_election = {.lease = "janitor"}}); }
    SECTION("those of shards") { text = rbac({.shards = {.group = "janitor"}}); }
    CHECK(text.find("leases") != std::string::npos);
    CHECK(text.find("namespace: ops\n") != std::string::npos);
    CHECK(text.find("default") == std::string::npos);
}

TEST_CASE("print rbac: a namespace of Leases in the options stays", "[program]")
{
    std::string text;
    SECTION("of an election") { text = rbac({.leader_election = {.lease = "janitor", .ns = "locks"}}); }
    SECTION("of shards") { text = rbac({.shards = {.group = "janitor", .ns = "locks"}}); }
    CHECK(text.find("namespace: locks\n") != std::string::npos);
}
