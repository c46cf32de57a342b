#include <kubecoro/testing/round_trips.hpp>

#include <kubecoro/api/field_rule.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <vector>

namespace kubecoro::testing::detail {

namespace json = boost::json;
using kubecoro::detail::struct_type;
using kubecoro::detail::value_form;
using kubecoro::detail::value_type;

namespace {

/// Structs within structs; further ones are left out.
constexpr int deepest = 8;
constexpr std::size_t most_items = 3;

std::int64_t bound(const json::value& v, std::int64_t otherwise)
{
    return v.is_number() ? v.to_number<std::int64_t>() : otherwise;
}

/// Makes objects in the form in which structs write them.
class generator
{
public:
    generator(std::uint64_t seed, bool unknown_fields) : random_(seed), unknown_fields_(unknown_fields) {}

    json::object object_of(const struct_version& v)
    {
        json::object metadata{{"name", "n" + std::to_string(below(1000))},
                              {"namespace", "default"},
                              {"uid", "u" + std::to_string(below(1000))},
                              {"generation", 1 + below(9)}};
        for (const char* const name : {"labels", "annotations"})
            if (one_in(2)) metadata[name] = json::object{{"example.com/" + text(), text()}};
        json::object out{{"apiVersion", v.resource.api_version()}, {"kind", v.resource.kind}, {"metadata", metadata}};
        for (auto& m : part(*v.type, 0))
            if (m.key() != "metadata") out[m.key()] = m.value();
        return out;
    }

private:
    bool one_in(std::size_t n) { return below(n) == 0; }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
    std::int64_t between(std::int64_t least, std::int64_t most)
    {
        const auto steps = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
        const auto step = steps == std::numeric_limits<std::uint64_t>::max() ? random_() : random_() % (steps + 1);
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + step);
    }
    std::string text() { return texts(1 + below(8)); }
    std::string texts(std::size_t length)
    {
        std::string out(length, 'a');
        for (char& c : out) c = static_cast<char>('a' + below(26));
        return out;
    }
    std::string two_digits(std::size_t from, std::size_t n)
    {
        const auto value = from + below(n);
        return (value < 10 ? "0" : "") + std::to_string(value);
    }
    std::string time_without_zone()
    {
        return "20" + two_digits(10, 90) + "-" + two_digits(1, 12) + "-" + two_digits(1, 28) + "T" + two_digits(0, 24) +
               ":" + two_digits(0, 60) + ":" + two_digits(0, 60);
    }
    json::value any()
    {
        if (one_in(3)) return json::array{text(), below(10)};
        if (one_in(3)) return json::object{{text(), text()}};
        return one_in(2) ? json::value(text()) : json::value(one_in(2));
    }

    json::object part(const struct_type& type, int depth)
    {
        const auto rules = type.rules != nullptr ? type.rules() : std::vector<field_rule>();
        const auto rule_of = [&](const std::string& name) {
            const auto found = std::ranges::find(rules, name, &field_rule::field);
            return found == rules.end() ? field_rule() : *found;
        };
        json::object out;
        for (const auto& field : type.fields) {
            const std::string name(field.name);
            auto made = value(*field.type, rule_of(name), rule_of(name + "[]"), depth);
            if (!made.is_null()) out[name] = std::move(made);
        }
        if (unknown_fields_ && one_in(3)) out["unknown" + std::to_string(below(10))] = any();
        return out;
    }
    /// Null = the field is missing.
    json::value value(const value_type& type, const field_rule& rule, const field_rule& of_items, int depth)
    {
        const bool needed = rule.required.value_or(false);
        if (type.form == value_form::optional)
            return needed || one_in(2) ? value(*type.item, rule, of_items, depth) : json::value();
        if (!rule.one_of.empty()) return rule.one_of[below(rule.one_of.size())];
        switch (type.form) {
        case value_form::list:
        case value_form::map:
            return items(type, rule, of_items, depth);
        case value_form::part: {
            auto made =
                depth < deepest && (needed || depth == 0 || !one_in(4)) ? part(type.part(), depth + 1) : json::object();
            return made.empty() ? json::value() : json::value(std::move(made));
        }
        case value_form::text:
            if (needed || rule.min_length.value_or(0) > 0 || !one_in(4)) return text_within(rule);
            return nullptr;
        case value_form::any:
            return one_in(2) ? any() : json::value();
        default:
            return scalar(type.form, rule);
        }
    }
    json::value text_within(const field_rule& rule)
    {
        const std::size_t least = std::max(rule.min_length.value_or(1), 1U);
        const std::size_t most = std::max<std::size_t>(rule.max_length.value_or(least + 8), least);
        return json::string(texts(least + below(std::min<std::size_t>(most - least, 8) + 1)));
    }
    json::value items(const value_type& type, const field_rule& rule, const field_rule& of_items, int depth)
    {
        const std::size_t least = rule.min_items.value_or(rule.required.value_or(false) ? 1 : 0);
        const std::size_t most = std::max<std::size_t>(rule.max_items.value_or(least + most_items), least);
        const auto count = least + below(std::min(most - least, most_items) + 1);
        auto each = of_items;
        each.required = true;
        json::array list;
        json::object map;
        for (std::size_t i = 0; i < count; ++i) {
            auto made = value(*type.item, each, {}, depth);
            if (made.is_null()) continue;
            if (type.form == value_form::map)
                map[text()] = std::move(made);
            else
                list.push_back(std::move(made));
        }
        if (type.form == value_form::map) return map.empty() ? json::value() : json::value(std::move(map));
        return list.empty() ? json::value() : json::value(std::move(list));
    }
    json::value scalar(value_form form, const field_rule& rule)
    {
        constexpr std::int64_t usual = 1'000'000;
        const auto least = bound(rule.minimum, std::min<std::int64_t>(0, bound(rule.maximum, 0)));
        const auto most = bound(rule.maximum, std::max(usual, least));
        switch (form) {
        case value_form::boolean:
            return one_in(2);
        case value_form::int32:
        case value_form::int64:
            return between(least, most);
        case value_form::number:
            return static_cast<double>(between(least, std::max(least, most - 1))) + (least < most ? 0.25 : 0.0);
        case value_form::bytes:
            return json::string(texts(4 * (1 + below(4)))); // base64 as it is
        case value_form::quantity:
            return json::string(std::to_string(1 + below(999)) + "m");
        case value_form::timestamp:
            return json::string(time_without_zone() + "Z");
        case value_form::micro_timestamp:
            return json::string(time_without_zone() + "." + std::to_string(100'000 + below(900'000)) + "Z");
        case value_form::duration:
            return json::string(std::to_string(1 + below(59)) + "s");
        default: // int_or_string
            return one_in(2) ? json::value(between(least, most)) : json::value(std::to_string(below(100)) + "%");
        }
    }

    kubecoro::detail::random_source random_;
    bool unknown_fields_;
};

/// As a server sees it: an exception is a failure.
result<json::object> converted(const object_conversion& convert, const json::object& from, const struct_version& to)
{
    try {
        return convert(from, to.resource.version);
    } catch (...) {
        return to_failure(std::current_exception());
    }
}

} // namespace

std::string lost(const object_conversion& convert, const struct_version& a, const struct_version& b,
                 const round_trip_options& options)
{
    for (std::uint32_t i = 0; i < options.objects; ++i) {
        const auto seed = options.seed + i;
        auto before = generator(seed, options.unknown_fields).object_of(a);
        if (options.adjust) options.adjust(before);
        const auto head = "seed " + std::to_string(seed) + ": " + json::serialize(before) + "\n-> ";
        const auto there = converted(convert, before, b);
        if (!there) return head + there.error().describe();
        const auto back = converted(convert, *there, a);
        if (!back) return head + json::serialize(*there) + "\n-> " + back.error().describe();
        if (*back != before) return head + json::serialize(*there) + "\n-> " + json::serialize(*back);
    }
    return {};
}

} // namespace kubecoro::testing::detail
