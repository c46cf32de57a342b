#include "writers.hpp"

#include "label_conversion.hpp"

#include <kubecoro/api/timestamp.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace kubecoro::cluster_metrics {
namespace {

constexpr double as_number(bool b) { return b ? 1 : 0; }

std::optional<quantity> quantity_at(value_view at)
{
    if (!at.is_string()) {
        if (at.kind() == value_kind::integer) return quantity::of(at.as_int64());
        return std::nullopt;
    }
    auto parsed = quantity::parse(at.as_string());
    if (!parsed) return std::nullopt;
    return std::move(*parsed);
}

} // namespace

std::optional<double> unix_time(value_view at)
{
    if (!at.is_string()) return std::nullopt;
    const auto parsed = timestamp::parse(at.as_string());
    if (!parsed || parsed->is_zero()) return std::nullopt;
    return static_cast<double>(parsed->time().time_since_epoch().count());
}

std::optional<double> exact_amount(value_view at)
{
    const auto q = quantity_at(at);
    if (!q) return std::nullopt;
    const auto whole = q->value();
    if (whole > std::numeric_limits<std::int64_t>::max() / 1000) return static_cast<double>(whole);
    return static_cast<double>(q->milli_value()) / 1000;
}

std::optional<double> whole_amount(value_view at)
{
    const auto q = quantity_at(at);
    if (!q) return std::nullopt;
    return static_cast<double>(q->value());
}

void one(const subject&, series_sink& out) { out.add(1); }

void number(const subject& s, series_sink& out) { out.add(s.field.as_double()); }

void number_if_present(const subject& s, series_sink& out)
{
    const auto at = s.field;
    if (at.kind() == value_kind::integer || at.kind() == value_kind::number) out.add(at.as_double());
}

void flag(const subject& s, series_sink& out) { out.add(as_number(s.field.as_bool())); }

void flag_if_present(const subject& s, series_sink& out)
{
    if (s.field.kind() == value_kind::boolean) flag(s, out);
}

void time_if_present(const subject& s, series_sink& out)
{
    if (const auto t = unix_time(s.field)) out.add(*t);
}

void version(const subject& s, series_sink& out)
{
    const auto text = s.o.resource_version();
    double value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) out.add(value);
}

void shown_labels(const subject& s, series_sink& out)
{
    if (s.shown.empty()) return;
    const auto converted = converted_labels(s.o.labels(), s.shown);
    std::vector<label> views;
    views.reserve(converted.size());
    for (const auto& [name, value] : converted) views.push_back({name, value});
    out.add(std::span<const label>(views), 1);
}

void owners(const subject& s, series_sink& out)
{
    const auto all = s.o.owner_references();
    if (all.empty()) return out.add({{"owner_kind", ""}, {"owner_name", ""}, {"owner_is_controller", ""}}, 1);
    for (const auto owner : all.items())
        out.add({{"owner_kind", owner["kind"].as_string()},
                 {"owner_name", owner["name"].as_string()},
                 {"owner_is_controller", owner["controller"].as_bool() ? "true" : "false"}},
                1);
}

void statuses_of(value_view condition, std::string_view name, series_sink& out)
{
    const auto status = condition["status"].as_string();
    out.add({{name, "true"}}, as_number(status == "True"));
    out.add({{name, "false"}}, as_number(status == "False"));
    out.add({{name, "unknown"}}, as_number(status == "Unknown"));
}

void conditions(const subject& s, series_sink& out)
{
    for (const auto c : s.field.items()) {
        const auto status = c["status"].as_string();
        const label type{"condition", c["type"].as_string()};
        out.add({type, {"status", "true"}}, as_number(status == "True"));
        out.add({type, {"status", "false"}}, as_number(status == "False"));
        out.add({type, {"status", "unknown"}}, as_number(status == "Unknown"));
    }
}

void one_of(std::string_view present, std::string_view name, std::initializer_list<std::string_view> values,
            series_sink& out)
{
    for (const auto v : values) out.add({{name, v}}, as_number(v == present));
}

std::optional<resource_unit> unit_of(std::string_view resource)
{
    if (resource == "cpu") return resource_unit{"core", true};
    if (resource == "memory" || resource == "storage" || resource == "ephemeral-storage") return resource_unit{"byte"};
    if (resource.starts_with("hugepages-") || resource.starts_with("attachable-volumes-")) return resource_unit{"byte"};
    const bool extended = resource.find('/') != resource.npos && resource.find("kubernetes.io/") == resource.npos &&
                          !resource.starts_with("requests.");
    if (extended) return resource_unit{"integer"};
    return std::nullopt;
}

} // namespace kubecoro::cluster_metrics
