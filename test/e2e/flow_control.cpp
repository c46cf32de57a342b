// End-to-end tests of requests that the server's priority and fairness refuses; the embedded server has none.

#include "churn.hpp"
#include "cluster.hpp"
#include "identity.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/client/transport.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::e2e;
using untyped::config_map;

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

const std::string group = "flowcontrol.apiserver.k8s.io";
const resource_type levels{group, "v1", "prioritylevelconfigurations", "PriorityLevelConfiguration", false};
const resource_type schemas{group, "v1", "flowschemas", "FlowSchema", false};

/// No seats and no queue: a request is executed while no other one is, and refused otherwise.
json::object spec_of_level()
{
    const json::object limited{{"nominalConcurrencyShares", 0},
                               {"lendablePercent", 0},
                               {"borrowingLimitPercent", 0},
                               {"limitResponse", json::object{{"type", "Reject"}}}};
    return {{"type", "Limited"}, {"limited", limited}};
}

/// All requests of a service account belong to the level.
json::object spec_of_schema(const std::string& level, const std::string& ns, const std::string& account)
{
    const json::object subject{{"kind", "ServiceAccount"},
                               {"serviceAccount", json::object{{"namespace", ns}, {"name", account}}}};
    const json::array all{"*"};
    const json::object resources{
        {"verbs", all}, {"apiGroups", all}, {"resources", all}, {"namespaces", all}, {"clusterScope", true}};
    const json::object rule{{"subjects", json::array{subject}}, {"resourceRules", json::array{resources}}};
    return {{"priorityLevelConfiguration", json::object{{"name", level}}},
            {"matchingPrecedence", 100},
            {"distinguisherMethod", json::object{{"type", "ByUser"}}},
            {"rules", json::array{rule}}};
}

std::string manifest_of(const resource_type& type, const std::string& name, const json::object& spec)
{
    return json::serialize(json::object{{"apiVersion", type.api_version()},
                                        {"kind", type.kind},
                                        {"metadata", json::object{{"name", name}}},
                                        {"spec", spec}});
}

constexpr int requests = 100;

/// The attempts of each request: when it was refused, how long the server asks to wait, and how soon it came again. Thread
/// safe.
class attempts
{
public:
    using clock = std::chrono::steady_clock;

    void on_send(const request& r)
    {
        const std::lock_guard lock(mutex_);
        const auto refused = not_before_.find(key(r));
        if (refused == not_before_.end()) return;
        ++repeated_;
        if (clock::now() < refused->second) ++hasty_;
    }
    void on_answer(const request& r, const answer_head& head)
    {
        const std::lock_guard lock(mutex_);
        not_before_.erase(key(r));
        level_ = head.header("x-kubernetes-pf-prioritylevel-uid");
        if (head.status != 429) return;
        ++refused_;
        const std::string asked(head.header("retry-after"));
        if (asked.empty()) ++without_pause_;
        not_before_[key(r)] = clock::now() + std::chrono::seconds{asked.empty() ? 0 : std::stoi(asked)};
    }
    /// The uid of the level of the last request.
    [[nodiscard]] std::string level() const { return read(level_); }
    [[nodiscard]] int refused() const { return read(refused_); }
    [[nodiscard]] int repeated() const { return read(repeated_); }
    /// Repeated before the server allowed it.
    [[nodiscard]] int hasty() const { return read(hasty_); }
    /// Refused without a Retry-After.
    [[nodiscard]] int without_pause() const { return read(without_pause_); }

private:
    static std::string key(const request& r) { return r.method + " " + r.target + " " + r.body; }
    template<class T>
    T read(const T& value) const
    {
        const std::lock_guard lock(mutex_);
        return value;
    }

    mutable std::mutex mutex_;
    std::map<std::string, clock::time_point> not_before_;
    std::string level_;
    int refused_ = 0;
    int repeated_ = 0;
    int hasty_ = 0;
    int without_pause_ = 0;
};

class observed_transport final : public transport
{
public:
    observed_transport(std::shared_ptr<transport> under, attempts& seen) : under_(std::move(under)), seen_(&seen) {}

    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        seen_->on_send(r);
        auto got = co_await under_->send(r);
        if (got) seen_->on_answer(r, (*got)->head());
        co_return got;
    }

private:
    std::shared_ptr<transport> under_;
    attempts* seen_;
};

/// A service account whose requests have a priority level of their own.
struct crowd
{
    explicit crowd(cluster& of) : c(of), ns(c.make_namespace("crowd")), level(c.unique("crowd"))
    {
        config.login.token = make_service_account(c, ns, "crowd");
        c.make(levels, {}, level, manifest_of(levels, level, spec_of_level()));
        c.make(schemas, {}, level, manifest_of(schemas, level, spec_of_schema(level, ns, "crowd")));
        // The server learns of its new level by a watch.
        const auto made = c.run(c.api().get(levels, {}, level)).value();
        const std::string uid(made.uid());
        const auto who = connect(0);
        REQUIRE(c.eventually([&] {
            const auto got = c.run(who.list(config_map::resource(), ns));
            return got.has_value() && seen.level() == uid;
        }));
    }

    client connect(unsigned retries)
    {
        client_options o;
        o.max_retries = retries;
        o.wrap_transport = [this](std::shared_ptr<transport> under) {
            return std::make_shared<observed_transport>(std::move(under), seen);
        };
        return c.connect(config, std::move(o));
    }
    /// Creates objects, all at the same time.
    std::vector<result<object>> create_all(unsigned retries)
    {
        const auto who = connect(retries);
        std::vector<std::future<result<object>>> running;
        for (int i = 0; i < requests; ++i) {
            const auto body = manifest(config_map::resource(), "m" + std::to_string(i));
            running.push_back(c.start(who.create(config_map::resource(), ns, body)));
        }
        std::vector<result<object>> out;
        for (auto& one : running) {
            REQUIRE(one.wait_for(std::chrono::seconds{200}) == std::future_status::ready);
            out.push_back(one.get());
        }
        return out;
    }
    /// The number of successes, which are the objects that are there. The other requests have failed clearly.
    std::size_t succeeded(const std::vector<result<object>>& outcomes)
    {
        std::size_t out = 0;
        for (const auto& done : outcomes) {
            if (done) {
                ++out;
                continue;
            }
            INFO(done.error().describe());
            CHECK(done.error() == cond::retry_later);
            REQUIRE(done.error().status());
            CHECK(done.error().status()->code == 429);
            CHECK(done.error().target() == "/api/v1/namespaces/" + ns + "/configmaps");
        }
        CHECK(c.run(c.api().list(config_map::resource(), ns)).value().items.size() == out);
        return out;
    }

    cluster& c;
    std::string ns;
    std::string level;
    cluster_config config = without_login();
    attempts seen;
};

} // namespace

TEST_CASE("429: requests that priority and fairness refuses fail clearly, without retries", "[refusals]")
{
    cluster c;
    crowd the(c);
    const auto outcomes = the.create_all(0);
    const auto succeeded = the.succeeded(outcomes);
    CHECK(succeeded > 0);
    CHECK(succeeded < requests);
    CHECK(the.seen.repeated() == 0);
    CHECK(the.seen.without_pause() == 0);
}

TEST_CASE("429: requests that priority and fairness refuses are repeated after the pauses that it asks for",
          "[refusals]")
{
    cluster c;
    crowd the(c);
    const auto outcomes = the.create_all(10);
    const auto succeeded = the.succeeded(outcomes);
    INFO(succeeded << " succeeded, " << the.seen.refused() << " refused, " << the.seen.repeated() << " repeated");
    CHECK(the.seen.repeated() > 0);
    CHECK(succeeded > requests / 2);
    CHECK(the.seen.hasty() == 0);
    CHECK(the.seen.without_pause() == 0);
}
