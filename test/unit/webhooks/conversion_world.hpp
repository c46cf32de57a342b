#pragma once
// An embedded server with a kind in two versions, whose converter can be made to fail and to lie.

#include "manager_fixture.hpp"
#include "site.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/crd.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

#include <boost/json.hpp>

#include <functional>

namespace webhooks_test {

namespace json = boost::json;
using namespace kubecoro;

/// The response with a JSON patch.
inline json::object patching(std::string_view patch)
{
    return {{"allowed", true}, {"patchType", "JSONPatch"}, {"patch", bytes{std::string(patch)}.base64()}};
}

/// The definition of Site, with a conversion. @param stored  The version in which objects are stored.
inline json::object definition_of_both(std::string_view stored)
{
    json::object conversion{
        {"strategy", "Webhook"},
        {"webhook",
         {{"clientConfig",
           {{"service", {{"name", "subject-webhooks"}, {"namespace", "default"}, {"path", "/convert"}}}}},
          {"conversionReviewVersions", {"v2", "v1"}}}}};
    auto out = definition_of<site>({.other_versions = {version_of<site_v1>()}, .conversion = conversion}).value();
    for (auto& v : out["spec"].as_object()["versions"].as_array())
        v.as_object()["storage"] = v.at("name").as_string() == stored;
    return out;
}

inline resource_type definitions()
{
    return {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false};
}

inline json::object site_object(std::string_view version, std::string_view name, json::object spec)
{
    return {{"apiVersion", "example.com/" + std::string(version)},
            {"kind", "Site"},
            {"metadata", {{"name", name}}},
            {"spec", std::move(spec)}};
}

/// Passes requests on, and changes the answers.
class meddling_transport final : public transport
{
public:
    using answerer = std::function<boost::asio::awaitable<result<std::string>>(request)>;
    explicit meddling_transport(answerer f) : f_(std::move(f)) {}

    boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        auto body = co_await f_(std::move(r));
        if (!body) co_return body.error();
        std::unique_ptr<answer> out = std::make_unique<whole>(*std::move(body));
        co_return out;
    }

private:
    class whole final : public answer
    {
    public:
        explicit whole(std::string body) : body_(std::move(body)) {}
        const answer_head& head() const noexcept override { return head_; }
        boost::asio::awaitable<result<std::string_view>> read_some() override
        {
            co_return std::exchange(given_, true) ? std::string_view() : std::string_view(body_);
        }

    private:
        answer_head head_{200, {{"content-type", "application/json"}}};
        std::string body_;
        bool given_ = false;
    };
    answerer f_;
};

/// The Status of a failure.
template<class T>
std::string refusal(const result<T>& outcome)
{
    if (outcome) return "none";
    const auto* status = outcome.error().status();
    return status ? std::to_string(status->code) + " " + status->message : outcome.error().describe();
}

struct converted_world
{
    manager_test::world w;
    webhooks hooks{*w.m, {.address = "0"}};
    /// The number of objects of each question.
    std::vector<std::size_t> questions;
    /// Changes the response of a review.
    std::function<void(json::object&)> meddle;
    /// In place of the converter's answer.
    std::optional<result<std::string>> answer;
    duration delay{};
    /// Answers requests of reviews, all of which are kept.
    std::function<json::object(const json::object&)> reviewer;
    std::vector<json::object> reviews;

    converted_world()
    {
        hooks.converts<site_v1, site>(to_hub, from_hub);
        client_options how;
        how.time = w.run.shared_clock();
        client to(w.run.executor(),
                  std::make_shared<meddling_transport>([this](request r) { return ask(std::move(r)); }), how);
        w.server.call_webhooks([to](const webhook_server&) { return to; });
        REQUIRE(w.run.run(w.cluster.create(definitions(), "", definition_of_both("v2"))));
    }
    boost::asio::awaitable<result<std::string>> ask(request r)
    {
        if (delay.count() > 0) KUBECORO_TRY(co_await sleep_for(*w.run.shared_clock(), delay));
        if (answer) co_return *answer;
        if (r.target.starts_with("/raw")) co_return raw(r.body);
        const bool converts = r.target.starts_with("/convert");
        if (converts) questions.push_back(json::parse(r.body).at("request").at("objects").as_array().size());
        auto reply = co_await hooks.answer({r.method, r.target, r.content_type, r.body});
        if (!converts || !meddle) co_return reply.body;
        auto review = json::parse(reply.body);
        meddle(review.as_object()["response"].as_object());
        co_return json::serialize(review);
    }
    std::string raw(const std::string& body)
    {
        const auto review = json::parse(body);
        const auto& request = reviews.emplace_back(review.at("request").as_object());
        auto response = reviewer ? reviewer(request) : json::object{{"allowed", true}};
        response["uid"] = request.at("uid");
        return json::serialize(json::value{
            {"kind", "AdmissionReview"}, {"apiVersion", review.at("apiVersion")}, {"response", std::move(response)}});
    }
    void store_in(std::string_view version)
    {
        auto merge = json::object{{"spec", {{"versions", definition_of_both(version).at("spec").at("versions")}}}};
        REQUIRE(
            w.run.run(w.cluster.patch(definitions(), "", "sites.example.com", patch_kind::merge, std::move(merge))));
    }
    /// Stores the configurations of the admission webhooks. @param edit  Changes each webhook.
    void install(const std::function<void(json::object&)>& edit = {})
    {
        for (auto o : hooks.manifests()) {
            if (!std::string_view(o.at("kind").as_string()).ends_with("WebhookConfiguration")) continue;
            for (auto& each : o.at("webhooks").as_array())
                if (edit) edit(each.as_object());
            REQUIRE(configure(o));
        }
    }
    result<object> configure(const json::object& configuration)
    {
        const auto kind = std::string(configuration.at("kind").as_string());
        const auto plural =
            kind.starts_with("Mutating") ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations";
        return w.run.run(
            w.cluster.create({"admissionregistration.k8s.io", "v1", plural, kind, false}, "", configuration));
    }
    /// A webhook that `reviewer` answers. @param more  Members of the webhook.
    result<object> add_raw(std::string_view kind, std::string_view rule, const json::object& more = {})
    {
        json::object webhook{{"name", "raw.example.com"},
                             {"clientConfig", {{"url", "https://raw.example.com/raw"}}},
                             {"rules", {json::parse(rule)}},
                             {"sideEffects", "None"},
                             {"admissionReviewVersions", {"v1"}}};
        for (const auto& [name, v] : more) webhook[name] = v;
        return configure({{"apiVersion", "admissionregistration.k8s.io/v1"},
                          {"kind", std::string(kind) + "WebhookConfiguration"},
                          {"metadata", {{"name", "raw"}}},
                          {"webhooks", {webhook}}});
    }
    result<object> get(const resource_type& type) { return w.run.run(w.cluster.get(type, "default", "blog")); }
    json::value spec(const resource_type& type) { return get(type).value().to_json().at("spec"); }
    std::string version(const resource_type& type)
    {
        const auto found = get(type).value();
        return std::string(found.resource_version());
    }
    auto create_v1(std::string_view name, std::string_view host)
    {
        return w.cluster.create(site_v1::resource(), "default", site_object("v1", name, {{"host", host}}));
    }
    auto create_v2(std::string_view name)
    {
        return w.cluster.create(site::resource(), "default",
                                site_object("v2", name, {{"hosts", {std::string(name) + ".example"}}}));
    }
    /// The events of a watch of the old version, or why it failed.
    std::shared_ptr<manager_test::lines> watch_v1(watch_options which = {})
    {
        auto seen = std::make_shared<manager_test::lines>();
        watching.push_back(w.run.spawn(follow(w.cluster, std::move(which), seen)));
        return seen;
    }
    static const char* name_of(watch_event_type type)
    {
        return type == watch_event_type::added ? "ADDED" : type == watch_event_type::deleted ? "DELETED" : "MODIFIED";
    }
    static boost::asio::awaitable<result<>> follow(client cluster, watch_options which,
                                                   std::shared_ptr<manager_test::lines> seen)
    {
        KUBECORO_TRY(auto stream, co_await cluster.watch(site_v1::resource(), "default", std::move(which)));
        while (true) {
            KUBECORO_TRY(const auto events, co_await stream->next());
            if (events.empty()) co_return result<>();
            for (const auto& e : events) {
                if (e.type == watch_event_type::bookmark) continue;
                if (e.status)
                    seen->push_back(std::to_string(e.status->code) + " " + e.status->message);
                else
                    seen->push_back(std::string(name_of(e.type)) + " " + std::string(e.obj.name()) + " " +
                                    std::string(e.obj["spec"]["host"].as_string()));
            }
        }
    }
    std::vector<testing::task<void>> watching;
};

/// A server whose converter takes a second: an object is written, listed, and watched in its other version.
struct conversion_scenario
{
    testing::runner& run;
    apiserver::embedded_server server{run.executor(), with(run)};
    client cluster{run.executor(), std::make_shared<apiserver::in_process_transport>(server), how()};

    explicit conversion_scenario(testing::runner& r) : run(r)
    {
        client to(run.executor(), std::make_shared<meddling_transport>([&r](request q) { return convert(r, q); }),
                  how());
        server.call_webhooks([to](const webhook_server&) { return to; });
    }
    static apiserver::server_options with(testing::runner& r)
    {
        apiserver::server_options o;
        o.time = r.shared_clock();
        return o;
    }
    client_options how() const
    {
        client_options out;
        out.time = run.shared_clock();
        return out;
    }
    static boost::asio::awaitable<result<std::string>> convert(testing::runner& r, request q)
    {
        KUBECORO_TRY(co_await sleep_for(*r.shared_clock(), std::chrono::seconds(1)));
        const auto asked = json::parse(q.body).at("request");
        json::array all;
        for (auto o : asked.at("objects").as_array()) {
            o.as_object()["apiVersion"] = asked.at("desiredAPIVersion");
            all.push_back(o);
        }
        co_return json::serialize(json::value{
            {"kind", "ConversionReview"},
            {"apiVersion", "apiextensions.k8s.io/v1"},
            {"response", {{"uid", asked.at("uid")}, {"result", {{"status", "Success"}}}, {"convertedObjects", all}}}});
    }
    boost::asio::awaitable<result<>> body()
    {
        KUBECORO_TRY(co_await cluster.create(definitions(), "", definition_of_both("v2")));
        const auto blog = site_object("v1", "blog", json::object{{"host", "a"}});
        KUBECORO_TRY(co_await cluster.create(site_v1::resource(), "default", blog));
        KUBECORO_TRY(co_await cluster.list(site_v1::resource(), "default"));
        co_return co_await server.stop();
    }
};

} // namespace webhooks_test
