#include "operations.hpp"

#include <kubecoro/api/untyped.hpp>

#include <utility>

namespace kubecoro::simulation {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t names = 5;

constexpr auto definition = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"widgets.sim.example.com"},
"spec":{"group":"sim.example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";

/// Whether the failure is an expected result of a random choice.
bool part_of_the_game(const failure& f)
{
    if (f == cond::not_found || f == cond::already_exists || f == cond::conflict) return true;
    // An object that is being deleted accepts no finalizer.
    return f == cond::invalid && f.status() != nullptr && f.status()->message.find("finalizers") != std::string::npos;
}

} // namespace

resource_type widgets() { return {"sim.example.com", "v1", "widgets", "Widget", true}; }

operations::operations(apiserver::embedded_server& server, journal& notes, std::uint64_t seed)
    : server_(&server),
      notes_(&notes),
      random_(seed),
      resources_{untyped::pod::resource(), untyped::config_map::resource(), widgets()}
{
}

const std::vector<std::string>& operations::namespaces()
{
    static const std::vector<std::string> all{"a", "b", "c"};
    return all;
}

asio::awaitable<result<>> operations::prepare()
{
    for (const auto& ns : namespaces()) {
        co_await execute("POST", "/api/v1/namespaces",
                         R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + ns + "\"}}");
    }
    co_await execute("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    co_return result<>{};
}

asio::awaitable<result<>> operations::fill(std::size_t n)
{
    for (std::size_t i = 0; i < n * resources_.size(); ++i) {
        const auto p = somewhere();
        co_await execute("POST", collection(p), new_object(p));
    }
    co_return result<>{};
}

asio::awaitable<result<>> operations::one()
{
    const auto p = somewhere();
    switch (below(random_, 12)) {
    case 0:
    case 1:
    case 2:
        co_await execute("POST", collection(p), new_object(p));
        break;
    case 3:
        co_await remove(p);
        break;
    case 4:
        // Deleted and recreated at once: a new uid under the old name.
        co_await execute("DELETE", target(p) + "?gracePeriodSeconds=0");
        co_await execute("POST", collection(p), new_object(p));
        break;
    case 5:
        co_await burst();
        break;
    default:
        co_await change(p);
    }
    co_return result<>{};
}

asio::awaitable<void> operations::change(const place& p)
{
    switch (below(random_, 8)) {
    case 0:
        co_await execute("PATCH", target(p), R"({"metadata":{"labels":)" + new_labels() + "}}");
        break;
    case 1:
        co_await execute("PATCH", target(p), R"({"metadata":{"labels":null}})");
        break;
    case 2:
        co_await execute("PATCH", target(p), R"({"metadata":{"finalizers":["sim.example.com/hold"]}})");
        break;
    case 3:
        co_await execute("PATCH", target(p), R"({"metadata":{"finalizers":null}})");
        break;
    case 4:
        if (p.resource->plural != "configmaps") {
            co_await execute("PATCH", target(p, "status"), R"({"status":{"message":")" + number() + "\"}}");
            break;
        }
        [[fallthrough]];
    default:
        co_await execute("PATCH", target(p), new_content(p));
    }
}

asio::awaitable<void> operations::remove(const place& p)
{
    // Without a grace period of 0 a pod on a node stays terminating for a while.
    const bool at_once = one_in(random_, 2);
    co_await execute("DELETE", target(p) + (at_once ? "?gracePeriodSeconds=0" : ""));
    if (one_in(random_, 2)) co_await execute("PATCH", target(p), R"({"metadata":{"finalizers":null}})");
}

asio::awaitable<void> operations::burst()
{
    const auto n = 5 + below(random_, 25);
    const bool one_object = one_in(random_, 2);
    auto p = somewhere();
    for (std::uint64_t i = 0; i < n; ++i) {
        if (!one_object) p = somewhere();
        switch (below(random_, 5)) {
        case 0:
            co_await execute("POST", collection(p), new_object(p));
            break;
        case 1:
            co_await execute("DELETE", target(p) + "?gracePeriodSeconds=0");
            break;
        default:
            co_await execute("PATCH", target(p), new_content(p));
        }
    }
}

asio::awaitable<void> operations::execute(std::string method, std::string at, std::string body)
{
    notes_->note("user", method + " " + at);
    const auto done = co_await server_->execute(std::move(method), std::move(at), std::move(body));
    if (!done && !part_of_the_game(done.error())) notes_->broken("user", done.error().describe());
}

operations::place operations::somewhere()
{
    place p{&resources_[below(random_, resources_.size())], namespaces()[below(random_, namespaces().size())], "o"};
    p.name += std::to_string(below(random_, names));
    return p;
}

std::string operations::collection(const place& p) const
{
    return p.resource->path_prefix() + "/namespaces/" + p.ns + "/" + p.resource->plural;
}

std::string operations::target(const place& p, std::string_view subresource) const
{
    auto out = collection(p) + "/" + p.name;
    if (!subresource.empty()) out.append("/").append(subresource);
    return out;
}

std::string operations::number() { return std::to_string(random_() % 1'000'000); }

std::string operations::new_labels()
{
    // One draw per statement: the order inside an expression depends on the compiler.
    std::string out = one_in(random_, 2) ? R"({"app":"shop")" : R"({"app":"web")";
    out += R"(,"tier":")" + number() + "\"}";
    return out;
}

std::string operations::new_object(const place& p)
{
    std::string out = R"({"apiVersion":")" + p.resource->api_version() + R"(","kind":")" + p.resource->kind +
                      R"(","metadata":{"name":")" + p.name + R"(","labels":)" + new_labels();
    if (one_in(random_, 8)) out += R"(,"finalizers":["sim.example.com/hold"])";
    out += "},";
    if (p.resource->plural == "pods") {
        out += R"("spec":{"nodeName":"n)" + std::to_string(below(random_, 4)) +
               R"(","containers":[{"name":"main","image":"example.com/app:)" + number() + R"("}]}})";
    } else if (p.resource->plural == "configmaps") {
        out += R"("data":{"k":")" + number() + "\"}}";
    } else {
        out += R"("spec":{"size":)" + number() + R"(,"list":[1,2.5,null,{"deep":true}]}})";
    }
    return out;
}

std::string operations::new_content(const place& p)
{
    if (p.resource->plural == "configmaps") return R"({"data":{"k":")" + number() + R"( é\n\u00fc"}})";
    if (p.resource->plural == "pods") return R"({"metadata":{"annotations":{"note":")" + number() + "\"}}}";
    return R"({"spec":{"size":)" + number() + "}}";
}

} // namespace kubecoro::simulation
