// Compares objects in protobuf with the JSON of the same objects, and gives the decoder damaged and hostile messages.
#include "fixtures.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/status.hpp>
#include <kubecoro/test/protobuf_bytes.hpp>
#include <kubecoro/test/protobuf_samples.hpp>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

result<object> from_protobuf(std::string_view bytes, const decode_options& options = {},
                             const std::shared_ptr<detail::object_encoding>& encoding = {})
{
    return decode_object(bytes, options, encoding, wire_form::protobuf);
}

decode_options deep()
{
    decode_options o;
    o.limits.max_depth = 500;
    return o;
}

void compare_all(const decode_options& options, const std::shared_ptr<detail::object_encoding>& encoding)
{
    protobuf_samples samples;
    std::size_t compared = 0;
    while (const auto sample = samples.next()) {
        if (sample->name.starts_with("watch ")) continue;
        INFO(sample->name);
        const auto expected = decode_object(sample->json, options, encoding);
        const auto got = from_protobuf(sample->protobuf, options, encoding);
        REQUIRE(expected);
        REQUIRE(got);
        CHECK_FALSE(got->is_partial());
        if (got->root() != expected->root()) CHECK(got->to_text() == expected->to_text());
        ++compared;
    }
    CHECK(compared > 2000);
}

/// Decodes each object several times with one encoding, so that its containers repeat.
void compare_versions(const decode_options& options)
{
    const auto encoding = detail::make_object_encoding();
    protobuf_samples samples;
    while (const auto sample = samples.next()) {
        if (sample->name.starts_with("watch ")) continue;
        INFO(sample->name);
        const auto expected = decode_object(sample->json, options);
        REQUIRE(expected);
        for (int version = 0; version < 6; ++version) {
            const auto got = from_protobuf(sample->protobuf, options, encoding);
            REQUIRE(got);
            if (got->root() != expected->root()) REQUIRE(got->to_text() == expected->to_text());
        }
    }
}

} // namespace

TEST_CASE("protobuf: objects of all kinds equal their JSON", "[protobuf]") { compare_all(deep(), nullptr); }

TEST_CASE("protobuf: objects that share a vocabulary equal their JSON", "[protobuf]")
{
    compare_all(deep(), detail::make_object_encoding());
}

TEST_CASE("protobuf: pruned objects equal their pruned JSON", "[protobuf]")
{
    decode_options o = deep();
    o.drop_managed_fields = true;
    SECTION("drop")
    {
        o.prune.drop = {"metadata.annotations",
                        "spec.template.spec.containers.*.env",
                        "status",
                        "data.*",
                        "metadata.ownerReferences.*.uid",
                        "spec.*.port"};
    }
    SECTION("keep")
    {
        o.prune.keep = {"metadata.labels", "spec.containers.*.image", "spec.selector", "items.*.metadata", "webhooks"};
    }
    SECTION("keep and drop, on ways that meet")
    {
        o.prune.keep = {"spec.*.*", "spec.template.spec.containers", "status.conditions.*.type"};
        o.prune.drop = {"spec.*.containers.*.env", "spec.template.metadata"};
    }
    compare_all(o, nullptr);
    compare_versions(o);
}

TEST_CASE("protobuf: a damaged or cut object fails, whatever is left of it", "[protobuf]")
{
    const std::string whole = enveloped("v1", "ConfigMap", config_map("web", "settings", "value"));
    REQUIRE(from_protobuf(whole));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        INFO("the first " << size << " bytes");
        const auto got = from_protobuf(std::string_view(whole).substr(0, size));
        // The last two fields are empty and may be missing.
        if (got) CHECK(size >= whole.size() - 4);
        if (got) CHECK((*got)["data"]["key"].as_string() == "value");
        if (!got) CHECK(got.error().condition() == cond::corrupt);
    }
    CHECK_FALSE(from_protobuf("{}"));
    CHECK_FALSE(from_protobuf(""));
}

TEST_CASE("protobuf: fields out of order and of other types fail", "[protobuf]")
{
    const auto why = [](std::string_view message) {
        const auto got = from_protobuf(enveloped("v1", "ConfigMap", message));
        return got ? std::string("none") : got.error().message();
    };
    const std::string meta = field(1, object_meta("web", "a"));
    CHECK(why(meta) == "none");
    CHECK_THAT(why(field(2, field(1, "k")) + meta), Catch::Contains("out of order"));
    CHECK_THAT(why(meta + meta), Catch::Contains("out of order"));
    CHECK_THAT(why(field(1, 7)), Catch::Contains("another type"));
    CHECK_THAT(why(meta + field(4, "yes")), Catch::Contains("another type"));
    CHECK_THAT(why(meta + field(2, field(1, "k") + field(2, 5))), Catch::Contains("another type"));
    // A group, which Kubernetes does not use, and a field without a number.
    CHECK_THAT(why(meta + "\x13\x14"), Catch::Contains("damaged"));
    CHECK_THAT(why(meta + std::string("\x02\x00", 2)), Catch::Contains("damaged"));
    // A varint without an end.
    CHECK_THAT(why(meta + "\x20" + std::string(11, '\xff')), Catch::Contains("damaged"));
}

TEST_CASE("protobuf: a kind without a schema is named", "[protobuf]")
{
    const auto got = from_protobuf(enveloped("example.com/v1", "Widget\n", "x"));
    REQUIRE_FALSE(got);
    CHECK_THAT(got.error().message(), Catch::Contains("without a schema: example.com/v1 Widget"));
    CHECK(got.error().message().find('\n') == std::string::npos);
}

TEST_CASE("protobuf: unknown fields are passed over, and the object says so", "[protobuf]")
{
    const std::string known = config_map("web", "a", "v");
    const auto complete = from_protobuf(enveloped("v1", "ConfigMap", known));
    const auto partial =
        from_protobuf(enveloped("v1", "ConfigMap", known + field(900, "new") + field(900, "again") + field(901, 7)));
    REQUIRE(complete);
    REQUIRE(partial);
    CHECK_FALSE(complete->is_partial());
    CHECK(partial->is_partial());
    CHECK(partial->root() == complete->root());
}

TEST_CASE("protobuf: an unknown field is noticed in every object with the same content", "[protobuf]")
{
    // Long enough for its tape to be remembered.
    std::string labels;
    for (char c = 'a'; c < 'k'; ++c) labels += field(11, field(1, std::string(8, c)) + field(2, "the same everywhere"));
    const auto encoding = detail::make_object_encoding();
    for (int i = 0; i < 600; ++i) {
        INFO("object " << i);
        const std::string name = "object-" + std::to_string(i);
        // Its template's metadata is the container with the unknown field.
        const std::string spec = field(3, field(1, labels + field(99, "unknown")) + field(2, std::string()));
        const auto got = from_protobuf(
            enveloped("apps/v1", "Deployment", field(1, object_meta("web", name)) + field(2, spec)), {}, encoding);
        REQUIRE(got);
        CHECK(got->is_partial());
    }
}

TEST_CASE("protobuf: a partial object stays partial in every form of storage", "[protobuf]")
{
    detail::encoding_options options;
    options.storage.policy = GENERATE(storage::plain, storage::compressed);
    const auto encoding = detail::make_object_encoding(options);
    std::vector<object> early;
    for (int i = 0; i < 3000; ++i) {
        const bool partial = i % 3 == 0;
        std::string message = config_map("web", "map-" + std::to_string(i), "the value of a map " + std::to_string(i));
        if (partial) message += field(900, "new");
        const auto got = from_protobuf(enveloped("v1", "ConfigMap", message), {}, encoding);
        REQUIRE(got);
        const object stored = encoding->at_rest(*got);
        REQUIRE(stored.is_partial() == partial);
        if (early.size() < 300) early.push_back(*got);
    }
    // Those that came before there was a dictionary are packed now.
    for (std::size_t i = 0; i < early.size(); ++i) REQUIRE(encoding->at_rest(early[i]).is_partial() == (i % 3 == 0));
}

TEST_CASE("protobuf: texts that are not UTF-8 get U+FFFD for each wrong byte", "[protobuf]")
{
    const auto got = from_protobuf(enveloped("v1", "ConfigMap", config_map("web", "a", "x\xff\xc3(\xed\xa0\x80y")));
    REQUIRE(got);
    CHECK((*got)["data"]["key"].as_string() == "x\ufffd\ufffd(\ufffd\ufffd\ufffdy");
}

TEST_CASE("protobuf: packed numbers are read like single ones", "[protobuf]")
{
    // supplementalGroups of a pod's security context.
    const auto pod = [](const std::string& context) {
        return from_protobuf(enveloped("v1", "Pod", field(1, object_meta("web", "a")) + field(2, field(14, context))));
    };
    const auto single = pod(field(4, 7) + field(4, 300));
    const auto packed = pod(field(4, varint(7) + varint(300)));
    REQUIRE(single);
    REQUIRE(packed);
    CHECK((*single)["spec"]["securityContext"]["supplementalGroups"].to_text() == "[7,300]");
    CHECK(packed->root() == single->root());
    CHECK_FALSE(pod(field(4, std::string("\xff"))));
}

TEST_CASE("protobuf: limits hold", "[protobuf]")
{
    decode_options small;
    small.limits.max_object_bytes = 2000;
    const auto large =
        from_protobuf(enveloped("v1", "ConfigMap", config_map("web", "a", std::string(3000, 'x'))), small);
    REQUIRE_FALSE(large);
    CHECK_THAT(large.error().message(), Catch::Contains("larger than 2000 bytes"));

    // A schema that contains itself.
    std::string schema;
    for (int i = 0; i < 1000; ++i) schema = field(28, schema);
    const auto crd = from_protobuf(
        enveloped("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                  field(1, object_meta("", "a")) + field(2, field(7, field(1, "v1") + field(4, field(1, schema))))));
    REQUIRE_FALSE(crd);
    CHECK_THAT(crd.error().message(), Catch::Contains("nested too deeply"));
}

TEST_CASE("protobuf: malformed JSON inside fails", "[protobuf]")
{
    const auto with_fields = [](std::string_view json) {
        const std::string entry = field(1, "kubectl") + field(2, "Update") + field(3, "v1") + field(7, field(1, json));
        return from_protobuf(enveloped("v1", "ConfigMap", field(1, object_meta("web", "a") + field(17, entry))));
    };
    const auto good = with_fields(R"({"f:data":{".":{},"f:a":{}}})");
    REQUIRE(good);
    CHECK((*good)["metadata"]["managedFields"].to_text().find("f:data") != std::string::npos);
    CHECK_FALSE(with_fields(R"({"f:data":)"));
    CHECK_FALSE(with_fields("{} {}"));
}

TEST_CASE("protobuf: malformed JSON inside fails however often it comes", "[protobuf]")
{
    const auto encoding = detail::make_object_encoding();
    const std::string good = R"({"f:data":{".":{},"f:a-longer-key":{},"f:another-longer-key":{},"f:one-more-key":{},)"
                             R"("f:and-one-that-makes-it-long-enough":{}}})";
    const auto decoded = [&](const std::string& name, const std::string& json) {
        const std::string entry = field(1, "kubectl") + field(2, "Update") + field(3, "v1") + field(7, field(1, json));
        return from_protobuf(enveloped("v1", "ConfigMap", field(1, object_meta("web", name) + field(17, entry))), {},
                             encoding);
    };
    for (int i = 0; i < 1000; ++i) REQUIRE(decoded("good-" + std::to_string(i), good));
    for (int i = 0; i < 600; ++i) {
        INFO("time " << i);
        REQUIRE_FALSE(decoded("bad-" + std::to_string(i), good + "x"));
    }
    CHECK(decoded("good", good));
}

TEST_CASE("protobuf: a failed request's Status is read from either form", "[protobuf]")
{
    const std::string status = enveloped(
        "v1", "Status",
        field(1, list_meta("")) + field(2, "Failure") + field(3, "pods \"web\" not found") + field(4, "NotFound") +
            field(5, field(1, "web") + field(3, "pods") + field(5, 0)) + field(6, 404));
    const auto f = failure_of_answer(404, status);
    CHECK(f.condition() == cond::not_found);
    CHECK_THAT(f.describe(), Catch::Contains("pods \"web\" not found"));
}
