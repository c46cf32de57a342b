// Snippets of docs/guide/validation.md.
#include <kubecoro/api/validation.hpp>
#include <kubecoro/kubecoro.hpp>

#include <boost/json.hpp>

#include <iostream>

namespace asio = boost::asio;

//[write
asio::awaitable<kubecoro::result<>> add_site(kubecoro::client cluster, boost::json::value site)
{
    const kubecoro::resource_type sites{"example.com", "v1", "sites", "Site"};
    auto made = co_await cluster.create(sites, "web", site, {.validation = kubecoro::field_validation::client});
    if (!made && made.error().status())
        for (const auto& cause : made.error().status()->causes)
            std::cerr << cause.field << ": " << cause.message << '\n';
    if (!made)
        co_return made.error(); // spec.replicas: Invalid value: 10: spec.replicas in body should be less than ...
    co_return kubecoro::result<>();
}
//]

//[options
kubecoro::result<kubecoro::client> connect(asio::any_io_executor executor, kubecoro::object_schema own)
{
    kubecoro::client_options options;
    options.checks = {.always = true,        // all writes, also those of helpers and controllers
                      .fill_defaults = true, // objects are sent with the defaults of their schema
                      .schemas = {own}};     // of this kind, no schema is read
    return kubecoro::client::connect(executor, options);
}
//]

//[check
kubecoro::result<> check(const boost::json::value& definition, boost::json::value& object)
{
    auto schema = kubecoro::object_schema::of_crd(definition, "v1");
    if (!schema) return schema.error(); // spec.host.pattern must be a valid regular expression, but isn't: ...
    if (auto filled = schema->fill_defaults(object); !filled) return filled;
    for (const auto& path : schema->unknown_fields(object)) std::cerr << "unknown field " << path << '\n';
    for (const auto& e : schema->errors(object)) std::cerr << e.field << ": " << e.message() << '\n';
    for (const auto& rule : schema->rules()) std::cerr << "not evaluated: " << rule.field << ": " << rule.rule << '\n';
    return schema->check(object); // cond::invalid; its status() has the causes
}
//]
