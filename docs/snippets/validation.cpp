// Snippets of docs/guide/validation.md.
#include <kubecoro/cel/object_validator.hpp>

#include <boost/json.hpp>

#include <iostream>

//[check
kubecoro::result<> check(const boost::json::value& definition, boost::json::value& object)
{
    auto schema = kubecoro::object_schema::of_crd(definition, "v1");
    if (!schema) return schema.error(); // spec.host.pattern must be a valid regular expression, but isn't: ...
    if (auto filled = schema->fill_defaults(object); !filled) return filled;
    for (const auto& path : schema->unknown_fields(object)) std::cerr << "unknown field " << path << '\n';
    for (const auto& e : schema->structural_errors(object)) std::cerr << e.field << ": " << e.message() << '\n';
    auto valid = kubecoro::cel::object_validator::of(*schema); // its CEL rules, too
    if (!valid) return valid.error();
    return valid->check(object); // cond::invalid; its status() has the causes
}
//]
