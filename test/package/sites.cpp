// A user's program with types that the build generates from a definition and from an OpenAPI document.
#include <kubecoro/api/structs.hpp>
#include <lamps/example_v1/lamp.hpp>
#include <sites/example_v1/site.hpp>

#include <iostream>

int main()
{
    using kubecoro::example_v1::site;
    const site wanted{.metadata = {.name = "blog"}, .spec = {.host = "blog.example.com", .replicas = 2}};
    const auto made = kubecoro::to_object(wanted);
    if (!made || made->untyped().kind() != "Site") return 1;
    const auto read = kubecoro::read_struct(*made);
    if (!read || !(*read == wanted)) return 2;
    const kubecoro::example_v1::lamp lamp{.metadata = {.name = "desk"}, .spec = {.watts = 7}};
    if (lamp.resource().plural != "lamps" || lamp.spec.watts != 7) return 3;
    std::cout << (*made)->spec().host().value_or("no host") << '\n';
}
