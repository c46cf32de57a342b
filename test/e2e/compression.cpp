// End-to-end tests of compressed responses.
#include "churn.hpp"
#include "cluster.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/recording.hpp>

using namespace kubecoro;
using namespace kubecoro::e2e;
using untyped::config_map;

TEST_CASE("gzip: lists and objects are the same with and without it", "[compression]")
{
    cluster c;
    const auto ns = c.make_namespace("gzip");
    for (int i = 0; i < 20; ++i) {
        const auto name = "m" + std::to_string(i);
        const std::string value(i == 0 ? 200'000 : 10'000, static_cast<char>('a' + i));
        const auto json = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                          R"("},"data":{"k":")" + value + R"("}})";
        c.run(c.api().create(config_map::resource(), ns, json)).value();
    }
    for (const auto form : {wire_form::json, wire_form::protobuf}) {
        const auto ask = [&](compression policy, double& received) {
            auto numbers = std::make_shared<testing::recording_metrics>();
            client_options options;
            options.compression = policy;
            options.decode.form = form;
            options.metrics = numbers;
            const auto who = c.connect(cluster::config("KUBECORO_E2E_KUBECONFIG").value(), options);
            picture out;
            for (const auto& o : c.run(who.list_all(config_map::resource(), ns)).value().items)
                out.emplace(object_key(o.key()), o);
            const auto one = c.run(who.get(config_map::resource(), ns, "m0")).value();
            CHECK(out.at(object_key(one.key())).resource_version() == one.resource_version());
            received = numbers->value("kubecoro_client_gzip_bytes_total", {{"form", "received"}});
            return out;
        };
        double compressed = 0, plain = 0;
        const auto with = ask(compression::on, compressed);
        const auto without = ask(compression::off, plain);
        CHECK(without.size() >= 20);
        CHECK(difference(with, without) == "");
        CHECK(compressed > 0);
        CHECK(compressed < 100'000);
        CHECK(plain == 0);
    }
}
