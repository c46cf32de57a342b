#pragma once
// The operator and an embedded server in virtual time, with direct access to the server, bypassing every cache.

#include "marks.hpp"
#include "reloader.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/recording.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace reloader_test {

using namespace kubecoro;
using namespace std::chrono_literals;
namespace asio = boost::asio;
using config_reloader::adoption;
using config_reloader::outcome;

inline const resource_type config_maps = untyped::config_map::resource();
inline const resource_type secrets = untyped::secret::resource();
inline const resource_type deployments = untyped::deployment::resource();
inline const resource_type stateful_sets = untyped::stateful_set::resource();
inline const std::array<resource_type, 3> workload_kinds{deployments, stateful_sets, untyped::daemon_set::resource()};

/// Counts the requests for single config maps and secrets.
class counting_transport final : public transport
{
public:
    counting_transport(std::shared_ptr<transport> inner, std::shared_ptr<std::size_t> reads)
        : inner_(std::move(inner)), reads_(std::move(reads))
    {
    }
    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        for (const std::string_view of : {"/configmaps/", "/secrets/"}) {
            if (r.target.find(of) != std::string::npos) ++*reads_;
        }
        return inner_->send(std::move(r));
    }

private:
    std::shared_ptr<transport> inner_;
    std::shared_ptr<std::size_t> reads_;
};

/// A running instance of the operator.
struct instance
{
    explicit instance(client cluster, manager_options options, config_reloader::reloader_options how)
        : m(std::move(cluster), std::move(options)), counts(config_reloader::add_reloader(m, how))
    {
        m.start();
    }
    [[nodiscard]] std::uint64_t count(outcome o) const { return counts->of(o); }

    manager m;
    std::shared_ptr<const config_reloader::reload_counts> counts;
};

/// Uses only the namespace "web".
struct fixture
{
    testing::runner run;
    testing::recording_logger log;
    apiserver::embedded_server server;
    adoption first_sight = adoption::roll;
    std::unique_ptr<instance> operating;
    /// Requests for single config maps and secrets by all operators.
    std::shared_ptr<std::size_t> reads = std::make_shared<std::size_t>(0);

    fixture() : server(run.executor(), server_options())
    {
        must("POST", "/api/v1/namespaces", R"({"metadata":{"name":"web"}})");
    }
    ~fixture()
    {
        end();
        CHECK(run.run(server.stop()).has_value());
    }
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;

    [[nodiscard]] std::unique_ptr<instance> another(manager_options options = {})
    {
        client_options how;
        how.time = run.shared_clock();
        how.log = log.handle();
        how.seed = 1;
        auto direct = std::make_shared<apiserver::in_process_transport>(server);
        auto counted = std::make_shared<counting_transport>(std::move(direct), reads);
        client cluster(run.executor(), std::move(counted), std::move(how));
        options.name = "config-reloader";
        options.seed = 1;
        return std::make_unique<instance>(std::move(cluster), std::move(options),
                                          config_reloader::reloader_options{.first_sight = first_sight});
    }
    void begin()
    {
        operating = another();
        REQUIRE(run.run(operating->m.ready()).has_value());
        settle();
    }
    void end() { end(operating); }
    void end(std::unique_ptr<instance>& which)
    {
        if (which) CHECK(run.run(which->m.stop()).has_value());
        which.reset();
    }
    /// Longer than any retry after a conflict.
    void settle() { run.advance(10s); }

    void put(const resource_type& kind, const std::string& name, const std::string& members)
    {
        const auto body = R"({"metadata":{"name":")" + name + "\"}," + members + "}";
        if (!run.run(server.execute("GET", path(kind, name)))) return must("POST", path(kind), body);
        must("PUT", path(kind, name), body);
    }
    /// Creates the contents that a workload of make() reads.
    void put_contents()
    {
        put(config_maps, "settings", R"("data":{"a":"1"})");
        put(secrets, "password", R"("data":{"p":"MQ=="})");
    }
    void patch(const resource_type& kind, const std::string& name, const std::string& body)
    {
        must("PATCH", path(kind, name), body);
    }
    void remove(const resource_type& kind, const std::string& name) { must("DELETE", path(kind, name)); }

    /// Creates a workload that reads the config map "settings" and the secret "password", or the objects that
    /// `container` refers to.
    void make(const resource_type& kind, const std::string& name, std::optional<std::string> reload = "true",
              const std::string& container =
                  R"("envFrom":[{"configMapRef":{"name":"settings"}}],)"
                  R"("env":[{"name":"P","valueFrom":{"secretKeyRef":{"name":"password","key":"p"}}}])")
    {
        const auto annotations =
            reload ? R"(,"annotations":{"config-reloader.kubecoro.dev/reload":")" + *reload + "\"}" : std::string();
        must(
            "POST", path(kind),
            R"({"apiVersion":"apps/v1","kind":")" + kind.kind + R"(","metadata":{"name":")" + name + "\"" +
                annotations +
                R"(},"spec":{"selector":{"matchLabels":{"app":"a"}},"serviceName":"a","template":{"metadata":{"labels":{"app":"a"}},)"
                R"("spec":{"containers":[{"name":"main","image":"example.com/image",)" +
                container + "}]}}}}");
    }
    [[nodiscard]] object read(const resource_type& kind, const std::string& name)
    {
        return object::parse(run.run(server.execute("GET", path(kind, name))).value()).value();
    }
    /// The number of changes of the template. For a Deployment, changes of annotations count as well.
    [[nodiscard]] std::int64_t rolls(const resource_type& kind, const std::string& name)
    {
        return read(kind, name).generation() - 1;
    }
    [[nodiscard]] std::string checksum_of(const resource_type& kind, const std::string& name)
    {
        const auto o = read(kind, name);
        return std::string(
            o["spec"]["template"]["metadata"]["annotations"][config_reloader::marks::checksum].as_string());
    }

private:
    [[nodiscard]] apiserver::server_options server_options() const
    {
        apiserver::server_options out;
        out.time = run.shared_clock();
        return out;
    }
    static std::string path(const resource_type& kind, const std::string& name = {})
    {
        return kind.path_prefix() + "/namespaces/web/" + kind.plural + (name.empty() ? "" : "/" + name);
    }
    void must(const std::string& method, const std::string& at, const std::string& body = {})
    {
        INFO(method << ' ' << at << ' ' << body);
        const auto done = run.run(server.execute(method, at, body));
        if (!done) FAIL(done.error().describe());
    }
};

} // namespace reloader_test
