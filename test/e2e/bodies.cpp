// End-to-end tests of bodies in protobuf: a kube-apiserver reads the same objects from both forms.
#include "cluster.hpp"

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/protobuf_samples.hpp>
#include <kubecoro/testing/recording.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

using namespace kubecoro;
using namespace kubecoro::e2e;
namespace json = boost::json;
namespace schemas = detail::builtin_schemas;

namespace {

/// Each takes two requests.
constexpr int samples_of_a_kind = 2;

/// A random object of a built-in kind that is a resource.
struct sample
{
    resource_type type;
    json::object object;
};

std::vector<sample> samples(const std::string& name)
{
    std::vector<sample> out;
    test::protobuf_samples all;
    std::string last;
    for (int of_this_kind = 0; const auto one = all.next();) {
        if (!one->name.starts_with("object ")) continue;
        auto object = json::parse(one->json).as_object();
        const std::string api_version(object.at("apiVersion").as_string());
        const auto* kind = schemas::find(api_version, std::string_view(object.at("kind").as_string()));
        if (kind == nullptr || kind->resource == 0) continue;
        const auto plural = schemas::text(kind->resource);
        of_this_kind = last == api_version + "/" + std::string(plural) ? of_this_kind + 1 : 1;
        last = api_version + "/" + std::string(plural);
        if (of_this_kind > samples_of_a_kind) continue;
        object["metadata"] = json::object{{"name", name}, {"labels", json::object{{"a", "b"}}}};
        auto [group, version] = group_version::parse(api_version);
        out.push_back({{.group = std::move(group),
                        .version = std::move(version),
                        .plural = std::string(plural),
                        .kind = std::string(schemas::text(kind->kind)),
                        .namespaced = kind->namespaced},
                       std::move(object)});
    }
    return out;
}

/// The answer to a write: the object without what differs between two writes, or the refusal.
struct outcome
{
    json::value object = {};
    int code = 200;
    std::string reason = {};
    /// The fields that were refused and why, sorted: Go visits maps in any order. Without the messages, in which Go prints
    /// the addresses of pointers.
    std::vector<std::pair<std::string, std::string>> causes = {};
};

outcome outcome_of(const result<object>& written)
{
    outcome out;
    if (written) {
        out.object = written->to_json();
        if (auto* metadata = out.object.as_object().if_contains("metadata"))
            for (const auto* member : {"uid", "creationTimestamp", "managedFields"})
                metadata->as_object().erase(member);
        return out;
    }
    const auto* status = written.error().status();
    if (status == nullptr) throw error(written.error());
    out.code = status->code;
    out.reason = status->reason;
    for (const auto& cause : status->causes) out.causes.emplace_back(cause.field, cause.reason);
    std::ranges::sort(out.causes);
    return out;
}

} // namespace

TEST_CASE("bodies: random objects of every kind are read alike from both forms", "[bodies]")
{
    cluster c;
    const auto ns = c.make_namespace("bodies");
    auto numbers = std::make_shared<testing::recording_metrics>();
    client_options options;
    options.body_form = wire_form::protobuf;
    options.metrics = numbers;
    options.log = logger::silent();
    const auto in_protobuf = c.connect(cluster::config("KUBECORO_E2E_KUBECONFIG").value(), options);
    // Most are refused, for some of their values: then these are compared.
    const write_options dry{.dry_run = true, .validation = field_validation::ignore};
    const auto all = samples(c.unique("sample"));
    std::size_t accepted = 0;
    for (const auto& [type, content] : all) {
        const auto where = type.namespaced ? ns : std::string();
        const auto text = json::serialize(content);
        INFO(type.api_version() << " " << type.kind << "\n" << text);
        const auto one = outcome_of(c.run(c.api().create(type, where, text, dry)));
        const auto other = outcome_of(c.run(in_protobuf.create(type, where, text, dry)));
        CHECK(other.code == one.code);
        CHECK(other.reason == one.reason);
        CHECK(other.causes == one.causes);
        // Its rules come in the order of a Go map.
        if (type.kind != "SelfSubjectRulesReview") CHECK(other.object == one.object);
        accepted += one.code == 200;
    }
    const auto count = [&](const char* which) {
        return numbers->value("kubecoro_client_protobuf_bodies_total", {{"outcome", which}});
    };
    CHECK(all.size() > 100);
    CHECK(accepted > 0);
    CHECK(count("sent") > 0.9 * static_cast<double>(all.size()));
    CHECK(count("refused") == 0);
}
