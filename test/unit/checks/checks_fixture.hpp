#pragma once
// An embedded server with a custom kind, and clients of it whose requests are recorded and can be refused.

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace checks_test {

using namespace kubecoro;
using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace json = boost::json;

inline const resource_type sites{"example.com", "v1", "sites", "Site"};

inline const char* const site_definition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: sites.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: sites, singular: site, kind: Site}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [host, tier]
            properties:
              host: {type: string, pattern: '^[a-z.]+$'}
              tier: {type: string, enum: [gold, silver], default: silver}
              replicas: {type: integer, minimum: 1, maximum: 9}
              note: {type: string, nullable: true}
              meta: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
              ports:
                type: array
                maxItems: 3
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name, port]
                  properties: {name: {type: string}, port: {type: integer, maximum: 65535}}
          status:
            type: object
            required: [ready]
            properties: {ready: {type: boolean}, hosts: {type: integer, minimum: 0}}
)";

/// A refusal of a server that lets the program do less.
class forbidding_answer final : public answer
{
public:
    const answer_head& head() const noexcept override { return head_; }
    asio::awaitable<result<std::string_view>> read_some() override
    {
        co_return std::exchange(read_, true) ? std::string_view() : std::string_view(text_);
    }

private:
    answer_head head_{403, {{"Content-Type", "application/json"}}};
    std::string text_ =
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"no","code":403})";
    bool read_ = false;
};

/// Records requests, and refuses those whose target begins with `forbidden`.
class recording_transport final : public transport
{
public:
    explicit recording_transport(std::shared_ptr<transport> to) : to_(std::move(to)) {}

    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        seen.push_back(r.method + ' ' + r.target);
        bodies.push_back(r.body);
        if (!forbidden.empty() && r.target.starts_with(forbidden)) co_return std::make_unique<forbidding_answer>();
        co_return co_await to_->send(std::move(r));
    }

    std::vector<std::string> seen;
    std::vector<std::string> bodies;
    std::string forbidden;

private:
    std::shared_ptr<transport> to_;
};

struct world
{
    testing::runner run;
    apiserver::embedded_server server;
    std::shared_ptr<recording_transport> net;
    std::vector<std::string> lines;
    client cluster;

    explicit world(write_checks checks = {})
        : server(run.executor(), apiserver::server_options()),
          net(std::make_shared<recording_transport>(std::make_shared<apiserver::in_process_transport>(server))),
          cluster(make(std::move(checks)))
    {
        define(site_definition);
        net->seen.clear();
    }
    ~world() { CHECK(run.run(server.stop()).has_value()); }
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    [[nodiscard]] client make(write_checks checks)
    {
        client_options how;
        how.time = run.shared_clock();
        how.checks = std::move(checks);
        how.log = logger([this](const log_record& r) { lines.push_back(format(r)); }, log_level::warning);
        return client(run.executor(), net, std::move(how));
    }

    void define(std::string_view definition)
    {
        write_options how{.field_manager = "test", .force = true};
        const auto done = run.run(apply_all(cluster, load_manifests(definition, "sites").value(), how));
        INFO((done ? std::string() : done.error().describe()));
        REQUIRE(done);
    }
};

/// A site. @param spec  Members of its spec, in YAML.
inline json::value site(std::string_view spec, std::string_view more = {})
{
    const auto text = "{apiVersion: example.com/v1, kind: Site, metadata: {name: web}, spec: {" + std::string(spec) +
                      '}' + std::string(more) + '}';
    return load_manifests(text, "site").value().front();
}

/// The message of the status, and each cause.
inline std::vector<std::string> words_of(const failure& f)
{
    std::vector<std::string> out;
    if (f.status() == nullptr) return {f.describe()};
    out.push_back(f.status()->message);
    for (const auto& c : f.status()->causes) out.push_back(c.reason + " | " + c.field + " | " + c.message);
    return out;
}

} // namespace checks_test
