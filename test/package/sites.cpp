// A user's program with types that the build generates from a definition.
#include <kubecoro/api/structs.hpp>
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
    std::cout << (*made)->spec().host().value_or("no host") << '\n';
}
