// A user's program: reads an object, asks a question about it, prints the answer.
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/request.hpp>
#include <kubecoro/api/selector.hpp>

#include <iostream>

int main()
{
    const auto pod = kubecoro::object::parse(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"web","name":"a","labels":{"app":"shop"}},)"
        R"("spec":{"nodeName":"n1"}})");
    const auto shop = kubecoro::label_selector::parse("app in (shop,cart)");
    if (!pod || !shop || !shop->matches(pod->labels())) return 1;
    kubecoro::resource_type pods;
    pods.version = "v1";
    pods.plural = "pods";
    pods.kind = "Pod";
    const auto request = kubecoro::request_builder(pods, "web").get(pod->name());
    if (!request || request->target != "/api/v1/namespaces/web/pods/a") return 2;
    std::cout << to_string(pod->key()) << " runs on " << (*pod)["spec"]["nodeName"].as_string() << '\n';
}
