// Random schemas and objects: what the library finds is what a second, naive judge finds, and what the server answers.
#include "checks_fixture.hpp"
#include "random_schema.hpp"

#include <kubecoro/api/validation.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

using namespace checks_test;

namespace {

using text = std::string;
using findings = std::set<finding>;

/// Judges by the words of the rules, with no regard to cost.
class naive_judge
{
public:
    findings found;

    // NOLINTNEXTLINE(misc-no-recursion): as deep as the schema
    void judge(const json::object& schema, const json::value& v, const text& path, const text& field)
    {
        const auto type = text(schema.at("type").as_string());
        if (v.is_null()) {
            if (!schema.contains("nullable")) add("TypeInvalid", path);
            if (schema.contains("enum")) add("NotSupported", path);
            return;
        }
        if (!fits(type, v)) add("TypeInvalid", path);
        if (const auto* allowed = schema.if_contains("enum"))
            if (std::ranges::find(allowed->get_array(), v) == allowed->get_array().end()) add("NotSupported", path);
        if (v.is_string()) judge_text(schema, text(v.as_string()), path);
        if (v.is_number()) judge_number(schema, v.to_number<double>(), path);
        if (v.is_array()) judge_list(schema, v.get_array(), path, field);
        if (v.is_object()) judge_object(schema, v.get_object(), path, field);
    }

private:
    static bool fits(const text& type, const json::value& v)
    {
        if (type == "string") return v.is_string();
        if (type == "boolean") return v.is_bool();
        if (type == "array") return v.is_array();
        if (type == "object") return v.is_object();
        return v.is_number();
    }
    void add(const char* reason, const text& path) { found.insert(text("FieldValue") + reason + '|' + path); }

    void judge_text(const json::object& schema, const text& v, const text& path)
    {
        if (schema.contains("pattern")) {
            const bool right = v.size() >= 2 && v.size() <= 4 && v.find_first_not_of("abc") == text::npos;
            if (!right) add("Invalid", path);
        }
        if (!schema.contains("maxLength")) return;
        if (v.size() > 5) add("TooLong", path);
        if (v.size() < 2) add("Invalid", path);
    }
    void judge_number(const json::object& schema, double v, const text& path)
    {
        if (const auto* least = schema.if_contains("minimum"); least && v < least->to_number<double>())
            add("Invalid", path);
        if (const auto* most = schema.if_contains("maximum"); most && v > most->to_number<double>())
            add("Invalid", path);
    }
    void judge_list(const json::object& schema, const json::array& v, const text& path, const text& field)
    {
        if (schema.contains("minItems") && v.empty()) add("Invalid", path);
        if (schema.contains("maxItems") && v.size() > 3) add("TooMany", path);
        if (!schema.contains("items")) return;
        const auto kind = schema.contains("x-kubernetes-list-type")
                              ? text(schema.at("x-kubernetes-list-type").as_string())
                              : text("atomic");
        for (std::size_t i = 0; i < v.size(); ++i) {
            const auto at = '[' + std::to_string(i) + ']';
            judge(schema.at("items").as_object(), v[i], path + at, field + at);
        }
        if (kind == "atomic") return;
        if (kind == "map")
            for (std::size_t i = 0; i < v.size(); ++i)
                if (!v[i].is_object() && !v[i].is_null()) return add("Invalid", field + '[' + std::to_string(i) + ']');
        for (std::size_t i = 0; i < v.size(); ++i) {
            const auto same = [&](const json::value& other) {
                return kind == "set" ? other == v[i] : key_of(other) == key_of(v[i]);
            };
            // The second of several equal ones is named.
            if (std::count_if(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(i), same) == 1)
                add("Duplicate", field + '[' + std::to_string(i) + ']');
        }
    }
    static json::value key_of(const json::value& item)
    {
        const auto* object = item.if_object();
        const auto* key = object ? object->if_contains("key") : nullptr;
        return key ? json::array{*key} : json::value("absent");
    }
    void judge_object(const json::object& schema, const json::object& v, const text& path, const text& field)
    {
        if (schema.contains("minProperties") && v.empty()) add("Invalid", path);
        if (schema.contains("maxProperties") && v.size() > 3) add("TooMany", path);
        if (const auto* required = schema.if_contains("required"))
            for (const auto& name : required->get_array())
                if (!v.contains(name.as_string())) add("Required", joined(path, text(name.as_string())));
        const auto* properties = schema.if_contains("properties");
        const auto* others = schema.if_contains("additionalProperties");
        for (const auto& [name, member] : v) {
            const text key(name);
            if (const auto* known = properties ? properties->get_object().if_contains(key) : nullptr)
                judge(known->get_object(), member, joined(path, key), joined(field, key));
            else if (others)
                judge(others->get_object(), member, path + '.' + key, field + '[' + key + ']');
            else
                note_unknown(member, joined(path, key));
        }
    }
    void note_unknown(const json::value&, const text& path) { found.insert("unknown|" + path); }
    static text joined(const text& path, const text& name) { return path.empty() ? name : path + '.' + name; }
};

findings of_library(const object_schema& schema, const json::value& v)
{
    findings out;
    for (const auto& e : schema.structural_errors(v)) out.insert(e.reason + '|' + e.field);
    for (const auto& path : schema.unknown_fields(v)) out.insert("unknown|" + path);
    return out;
}

std::string definition_of(const json::object& schema, const text& kind)
{
    auto lower = kind;
    std::ranges::transform(lower, lower.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    const json::value crd = {
        {"apiVersion", "apiextensions.k8s.io/v1"},
        {"kind", "CustomResourceDefinition"},
        {"metadata", {{"name", lower + "s.random.example.com"}}},
        {"spec",
         {{"group", "random.example.com"},
          {"scope", "Namespaced"},
          {"names", {{"kind", kind}, {"plural", lower + "s"}, {"singular", lower}}},
          {"versions",
           json::array{
               {{"name", "v1"},
                {"served", true},
                {"storage", true},
                {"schema", {{"openAPIV3Schema", {{"type", "object"}, {"properties", {{"spec", schema}}}}}}}}}}}}};
    return json::serialize(crd);
}

bool is_required(const json::object& schema, std::string_view name)
{
    const auto* required = schema.if_contains("required");
    return required && std::ranges::find(required->get_array(), json::value(name)) != required->get_array().end();
}

/// Removes members without which the value still matches, since it is completed by the rest of an object, or by defaults.
class thinning
{
public:
    thinning(dice& d, object_part part) : d_(d), part_(part) {}

    /// How often a list item lost a required member that has a default, or got a null that is dropped.
    std::size_t inside_lists = 0;

    /// @param closed  Nothing but defaults completes the value.
    // NOLINTNEXTLINE(misc-no-recursion)
    json::value thin(const json::object& schema, const json::value& v, bool closed = false)
    {
        if (const auto* list = v.if_array(); list && schema.contains("items")) {
            json::array out;
            const bool merged = part_ == object_part::applied && schema.contains("x-kubernetes-list-type");
            for (const auto& item : *list) out.push_back(thin(schema.at("items").as_object(), item, closed || !merged));
            return out;
        }
        const auto* object = v.if_object();
        if (object == nullptr) return v;
        json::object out;
        const auto* properties = schema.if_contains("properties");
        for (const auto& [name, member] : *object) {
            const auto* known = properties ? properties->get_object().if_contains(name) : nullptr;
            const auto& sub = known ? known->get_object() : schema.at("additionalProperties").as_object();
            if (stays(schema, sub, name, known != nullptr, closed))
                out[name] = thin(sub, member, closed);
            else if (known && closed && !sub.contains("nullable") && d_.chance(50))
                out[name] = nullptr;
        }
        return out;
    }

private:
    bool stays(const json::object& schema, const json::object& sub, std::string_view name, bool known, bool closed)
    {
        // The key of a list's item says which one it is.
        if (name == "key") return true;
        if (!closed) return d_.chance(60);
        const bool needed = !known || (is_required(schema, name) && !sub.contains("default"));
        if (needed || d_.chance(60)) return true;
        ++inside_lists;
        return false;
    }

    dice& d_;
    object_part part_;
};

/// As the server has an object before it checks it.
json::value settled(const object_schema& schema, json::value v)
{
    schema.drop_nulls(v);
    REQUIRE(schema.fill_defaults(v));
    return v;
}

} // namespace

TEST_CASE("random schemas: matching objects match, and a broken rule is found at its path", "[checks][model]")
{
    std::size_t broken = 0;
    findings reasons;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        INFO("seed " << seed);
        dice d(seed);
        const auto text_of_schema = random_schema(d);
        INFO("schema: " << json::serialize(text_of_schema));
        const auto schema = object_schema::of_schema(text_of_schema).value();
        for (int i = 0; i < 20; ++i) {
            auto v = matching_value(d, text_of_schema);
            INFO("value: " << json::serialize(v));
            REQUIRE(of_library(schema, v).empty());
            const auto expected = break_one(d, text_of_schema, v);
            if (expected.empty()) continue;
            INFO("broken: " << json::serialize(v) << ", expected " << expected);
            REQUIRE(of_library(schema, v).contains(expected));
            ++broken;
            reasons.insert(expected.substr(0, expected.find('|')));
        }
    }
    CHECK(broken > 1500);
    CHECK(reasons.size() == 8);
}

TEST_CASE("random schemas: a second judge finds the same errors", "[checks][model]")
{
    for (std::uint64_t seed = 1000; seed < 1400; ++seed) {
        INFO("seed " << seed);
        dice d(seed);
        const auto text_of_schema = random_schema(d);
        INFO("schema: " << json::serialize(text_of_schema));
        const auto schema = object_schema::of_schema(text_of_schema).value();
        for (int i = 0; i < 10; ++i) {
            auto v = matching_value(d, text_of_schema);
            for (auto n = d.between(1, 6); n > 0; --n) static_cast<void>(break_one(d, text_of_schema, v));
            INFO("value: " << json::serialize(v));
            naive_judge judge;
            judge.judge(text_of_schema, v, {}, {});
            REQUIRE(of_library(schema, v) == judge.found);
        }
    }
}

TEST_CASE("random schemas: no part is refused for what the whole may have", "[checks][model]")
{
    // The errors of a part are errors of each whole object that it is merged into.
    std::size_t inside_lists = 0;
    for (std::uint64_t seed = 2000; seed < 2200; ++seed) {
        INFO("seed " << seed);
        dice d(seed);
        const auto text_of_schema = random_schema(d);
        INFO("schema: " << json::serialize(text_of_schema));
        const auto schema = object_schema::of_schema(text_of_schema).value();
        for (int i = 0; i < 10; ++i) {
            auto v = matching_value(d, text_of_schema);
            for (const auto part : {object_part::merge_patch, object_part::applied}) {
                thinning less(d, part);
                const auto some = less.thin(text_of_schema, v);
                inside_lists += less.inside_lists;
                INFO("part: " << json::serialize(some));
                CHECK(schema.structural_errors(some, part).empty());
            }
            const auto before = settled(schema, v);
            static_cast<void>(break_one(d, text_of_schema, v));
            INFO("value: " << json::serialize(v));
            const auto after = settled(schema, v);
            const auto whole = of_library(schema, after);
            findings changed;
            for (const auto& e : schema.structural_errors(after, before)) changed.insert(e.reason + '|' + e.field);
            for (const auto part : {object_part::merge_patch, object_part::applied}) {
                for (const auto& e : schema.structural_errors(v, part)) CHECK(whole.contains(e.reason + '|' + e.field));
                for (const auto& e : schema.structural_errors(v, part, before))
                    CHECK(changed.contains(e.reason + '|' + e.field));
                // It leaves everything as it is.
                CHECK(schema.structural_errors(v, part, after).empty());
            }
        }
    }
    CHECK(inside_lists > 100);
}

TEST_CASE("parts: items of a set that are there already are forgiven, in lists of any length", "[checks]")
{
    const auto schema = object_schema::of_schema(json::parse(R"({"type":"array","x-kubernetes-list-type":"set",)"
                                                             R"("items":{"type":"string","maxLength":8}})"))
                            .value();
    json::array present;
    for (int i = 8000; i > 0; --i) present.emplace_back("too long " + std::to_string(i));
    auto applied = present;
    std::ranges::reverse(applied);
    CHECK(schema.structural_errors(applied, object_part::applied, present).empty());
    applied.emplace_back("too long 0");
    const auto errors = schema.structural_errors(applied, object_part::applied, present);
    REQUIRE(errors.size() == 1);
    CHECK(errors.front().reason == "FieldValueTooLong");
}

TEST_CASE("random schemas: client and server refuse the same objects with the same words", "[checks][model]")
{
    world w;
    const write_options checked{.validation = field_validation::client};
    const write_options strict{.dry_run = true, .validation = field_validation::strict};
    int refused = 0;
    int accepted = 0;
    for (std::uint64_t seed = 3000; seed < 3020; ++seed) {
        INFO("seed " << seed);
        dice d(seed);
        const auto schema = random_schema(d);
        const auto kind = "R" + std::to_string(seed);
        w.define(definition_of(schema, kind));
        INFO("schema: " << json::serialize(schema));
        const resource_type type{"random.example.com", "v1", "r" + std::to_string(seed) + "s", kind};
        for (int i = 0; i < 10; ++i) {
            auto spec = matching_value(d, schema);
            for (auto n = d.between(0, 2); n > 0; --n) static_cast<void>(break_one(d, schema, spec));
            const json::value object{{"apiVersion", "random.example.com/v1"},
                                     {"kind", kind},
                                     {"metadata", {{"name", "o" + std::to_string(i)}}},
                                     {"spec", spec}};
            INFO("value: " << json::serialize(object));
            const auto theirs = w.run.run(w.cluster.create(type, "default", object, strict));
            const auto own = w.run.run(w.cluster.create(type, "default", object, checked));
            REQUIRE(own.has_value() == theirs.has_value());
            (own ? accepted : refused)++;
            if (!own) CHECK(words_of(own.error()) == words_of(theirs.error()));
        }
    }
    CHECK(refused > 30);
    CHECK(accepted > 50);
}
