// Rules of custom resources, which the guide shows.
#include <kubecoro/api/object.hpp>
#include <kubecoro/cel/program.hpp>
#include <kubecoro/cel/validation_rules.hpp>

#include <boost/json/value.hpp>

#include <iostream>

//[rules
bool keeps_rules(const boost::json::value& schema, const boost::json::value& object, const boost::json::value& before)
{
    const auto rules = kubecoro::cel::validation_rules::of_schema(schema);
    for (const auto& e : rules.problems("schema")) std::cerr << e.field << ": " << e.message() << '\n';
    const auto found = rules.check(object, &before); // the second one is null for a new object
    for (const auto& e : found.errors)
        std::cerr << e.field << ": " << e.message() << '\n'; // spec: Invalid value: failed rule: ...
    return found.errors.empty();
}
//]

//[program
kubecoro::result<bool> is_large(const kubecoro::object& pod)
{
    auto program = kubecoro::cel::program::compile("size(pod.spec.containers) > 3", {{"pod", "dyn"}});
    if (!program) return program.error(); // cond::invalid, with the place of each mistake
    const auto run = program->evaluate({{"pod", kubecoro::cel::value::of_view(pod.root())}});
    if (!run.outcome) return run.outcome.error();
    return run.outcome->as_bool();
}
//]
