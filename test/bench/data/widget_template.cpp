#include "widget_template.hpp"

#include "fields_v1.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace json = boost::json;

namespace kubecoro::bench {
namespace {

constexpr std::array<std::string_view, 8> stages{"prepare", "fetch", "transform", "validate",
                                                 "enrich",  "store", "index",     "publish"};
constexpr std::array<std::string_view, 5> zones{"eu-west-1a", "eu-west-1b", "eu-central-1a", "us-east-1c",
                                                "ap-south-1b"};

/// Servers return objects of custom resources with sorted members, at every level.
json::value in_alphabetical_order(const json::value& value)
{
    if (const json::array* a = value.if_array()) {
        json::array out;
        for (const json::value& item : *a) out.push_back(in_alphabetical_order(item));
        return out;
    }
    const json::object* o = value.if_object();
    if (o == nullptr) return value;
    std::vector<const json::object::value_type*> members;
    for (const auto& m : *o) members.push_back(&m);
    std::sort(members.begin(), members.end(), [](auto* a, auto* b) { return a->key() < b->key(); });
    json::object out;
    for (const auto* m : members) out[m->key()] = in_alphabetical_order(m->value());
    return out;
}

json::object step(seeded& random, std::uint32_t number)
{
    const std::string name = std::string(random.pick(stages)) + "-" + std::to_string(number);
    json::object resources{{"cpu", std::to_string(random.between(1, 16) * 100) + "m"},
                           {"memory", std::to_string(random.between(1, 64) * 128) + "Mi"}};
    json::object out{{"name", name},
                     {"image", "registry.example.com/steps/" + name + ":" + std::to_string(random.between(1, 40))},
                     {"parallelism", random.between(1, 32)},
                     {"timeout", std::to_string(random.between(1, 90)) + "m"},
                     {"retries", {{"limit", random.below(6)}, {"backoff", random.between(100, 3000) / 100.0}}},
                     {"resources", std::move(resources)},
                     {"parameters", json::object{{"input", "s3://data/" + random.hex(12) + "/part"},
                                                 {"digest", random.hex(40)},
                                                 {"strict", random.once_in(2)}}}};
    if (number > 0) out["needs"] = json::array{number - 1};
    return out;
}

json::object step_status(seeded& random, const json::object& from, const std::string& changed)
{
    return {{"name", from.at("name")},
            {"phase", random.once_in(4) ? "Pending" : "Succeeded"},
            {"pod", std::string(from.at("name").as_string()) + "-" + random.text(5, name_alphabet)},
            {"node", "node-" + std::to_string(random.below(50)) + "-" + std::to_string(random.below(100))},
            {"startedAt", changed},
            {"attempts", 1 + random.below(3)},
            {"observed",
             {{"records", random.below(90'000'000)},
              {"bytes", std::uint64_t{random.below(4'000'000'000U)} * 7},
              {"ratio", random.below(10'000) / 10'000.0}}}};
}

json::object widget_spec(seeded& random, std::uint32_t steps)
{
    json::array all;
    for (std::uint32_t i = 0; i < steps; ++i) all.push_back(step(random, i));
    return {{"color", random.once_in(2) ? "red" : "blue"},
            {"paused", false},
            {"placement",
             {{"zones", json::array{random.pick(zones), random.pick(zones)}}, {"priority", random.below(100)}}},
            {"schedule", std::to_string(random.below(60)) + " " + std::to_string(random.below(24)) + " * * *"},
            {"steps", std::move(all)}};
}

json::object condition(std::string_view type, const std::string& since)
{
    return {{"type", type},
            {"status", "True"},
            {"reason", "AsExpected"},
            {"message", "the widget is " + std::string(type)},
            {"lastTransitionTime", since},
            {"observedGeneration", 2}};
}

json::object managed_entry(std::string_view manager, const std::string& time, const json::object& written,
                           std::string_view subresource)
{
    json::object out{{"manager", manager}, {"operation", "Update"},    {"apiVersion", "bench.example.com/v1"},
                     {"time", time},       {"fieldsType", "FieldsV1"}, {"fieldsV1", fields_v1(written)}};
    if (!subresource.empty()) out["subresource"] = subresource;
    return out;
}

} // namespace

widget_name make_widget_name(std::uint64_t seed, std::uint32_t number)
{
    seeded random(seed, 11, number);
    // The number keeps names distinct; the random part spreads them over the key space.
    return {make_workload(seed, number / 50).name_space,
            "widget-" + random.text(4, name_alphabet) + "-" + std::to_string(number)};
}

void append_widget(std::string& out, std::uint64_t seed, std::uint32_t number, std::uint64_t version,
                   object_state state)
{
    seeded random(seed, 12, number);
    const widget_name name = make_widget_name(seed, number);
    const std::int64_t created = 1'788'000'000 + random.below(60U * 86'400U);
    const std::int64_t restarted =
        state == object_state::second ? 3600 + seeded(seed, 13, number).below(14U * 86'400U) : 0;
    const std::string changed = timestamp(created + 90 + restarted);
    const std::uint32_t steps = random.between(6, 17);
    json::object spec = widget_spec(random, steps);
    json::array step_states;
    for (const json::value& s : spec["steps"].as_array())
        step_states.push_back(step_status(random, s.as_object(), changed));
    json::object status{
        {"conditions", json::array{condition("Ready", changed), condition("Synced", timestamp(created + 5))}},
        {"observedGeneration", 2},
        {"phase", "Running"},
        {"steps", std::move(step_states)}};
    json::object metadata{
        {"name", name.name},
        {"namespace", name.name_space},
        {"uid", random.uuid()},
        {"resourceVersion", std::to_string(version)},
        {"generation", 2},
        {"creationTimestamp", timestamp(created)},
        {"labels", {{"team", make_workload(seed, number / 50).team}, {"tier", std::to_string(random.below(4))}}},
        {"annotations",
         {{stamp_annotation, no_stamp},
          {"owner.example.com/contact", random.text(12, "abcdefghijklmnopqrstuvwxyz") + "@example.com"}}}};
    const json::object owned{{"annotations", metadata["annotations"]}, {"labels", metadata["labels"]}};
    metadata["managedFields"] =
        json::array{managed_entry("kubectl", timestamp(created), {{"metadata", owned}, {"spec", spec}}, {}),
                    managed_entry("widget-operator", changed, {{"status", status}}, "status")};
    out += json::serialize(in_alphabetical_order(json::object{{"apiVersion", "bench.example.com/v1"},
                                                              {"kind", "Widget"},
                                                              {"metadata", std::move(metadata)},
                                                              {"spec", std::move(spec)},
                                                              {"status", std::move(status)}}));
}

} // namespace kubecoro::bench
