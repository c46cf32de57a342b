// The snippet of docs/guide/proving.md.
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/proof/check_operator.hpp>

#include <iostream>

namespace testing = kubecoro::testing;

namespace {

/// Stands for the operator of the page.
void add_operator(kubecoro::manager& m)
{
    m.needs({.resource = "configmaps", .verbs = {"get"}});
}

//[check
testing::operator_report prove()
{
    return testing::check_operator(add_operator, {.definitions = "crd.yaml", .objects = "example.yaml", .seeds = 500});
}
//]

} // namespace

int main()
{
    const auto report = prove();
    std::cout << report;
    return report ? 0 : 1;
}
