// Snippets of docs/guide/validation.md.
#include <kubecoro/api/validation.hpp>

#include <boost/json.hpp>

#include <iostream>

//[check
kubecoro::result<> check(const boost::json::value& definition, boost::json::value& object)
{
    auto schema = kubecoro::object_schema::of_crd(definition, "v1");
    if (!schema) return schema.error(); // spec.host.pattern must be a valid regular expression, but isn't: ...
    if (auto filled = schema->fill_defaults(object); !filled) return filled;
    for (const auto& path : schema->unknown_fields(object)) std::cerr << "unknown field " << path << '\n';
    for (const auto& e : schema->errors(object)) std::cerr << e.field << ": " << e.message() << '\n';
    for (const auto& rule : schema->rules()) std::cerr << "not evaluated: " << rule.field << ": " << rule.text << '\n';
    return schema->check(object); // cond::invalid; its status() has the causes
}
//]
