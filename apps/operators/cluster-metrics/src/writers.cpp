#include "writers.hpp"

#include "label_conversion.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>

namespace kubecoro::cluster_metrics {
namespace {

using owner_list = list_view<view<meta_v1::owner_reference>>;

constexpr double as_number(bool b) { return b ? 1 : 0; }

} // namespace

std::optional<double> unix_time(std::optional<timestamp> at)
{
    if (!at || at->is_zero()) return std::nullopt;
    return static_cast<double>(at->time().time_since_epoch().count());
}

std::optional<double> exact_amount(const std::optional<quantity>& amount)
{
    if (!amount) return std::nullopt;
    const auto whole = amount->value();
    if (whole > std::numeric_limits<std::int64_t>::max() / 1000) return static_cast<double>(whole);
    return static_cast<double>(amount->milli_value()) / 1000;
}

std::optional<double> whole_amount(const std::optional<quantity>& amount)
{
    if (!amount) return std::nullopt;
    return static_cast<double>(amount->value());
}

void one(const subject&, series_sink& out) { out.add(1); }

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

/// Without those that differ in their uid only, which would be one series twice.
void owners(const subject& s, series_sink& out)
{
    const owner_list references(s.o.owner_references());
    if (references.empty()) return out.add({{"owner_kind", ""}, {"owner_name", ""}, {"owner_is_controller", ""}}, 1);
    std::set<std::tuple<std::string_view, std::string_view, bool>> written;
    for (const auto owner : references) {
        const bool controls = owner.controller().value_or(false);
        if (!written.emplace(owner.kind(), owner.name(), controls).second) continue;
        out.add({{"owner_kind", owner.kind()},
                 {"owner_name", owner.name()},
                 {"owner_is_controller", controls ? "true" : "false"}},
                1);
    }
}

void add_condition(std::string_view type, std::string_view status, series_sink& out)
{
    const label condition{"condition", type};
    out.add({condition, {"status", "true"}}, as_number(status == "True"));
    out.add({condition, {"status", "false"}}, as_number(status == "False"));
    out.add({condition, {"status", "unknown"}}, as_number(status == "Unknown"));
}

view<meta_v1::owner_reference> controller_of(const object& o)
{
    for (const auto owner : owner_list(o.owner_references()))
        if (owner.controller().value_or(false)) return owner;
    return {};
}

void statuses_of(std::string_view status, std::string_view name, series_sink& out)
{
    out.add({{name, "true"}}, as_number(status == "True"));
    out.add({{name, "false"}}, as_number(status == "False"));
    out.add({{name, "unknown"}}, as_number(status == "Unknown"));
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
