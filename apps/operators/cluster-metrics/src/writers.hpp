// Writers that families of several kinds share.
#pragma once

#include "family.hpp"

#include <kubecoro/api/quantity.hpp>
#include <kubecoro/api/timestamp.hpp>
#include <kubecoro/meta_v1/object_meta.hpp>

#include <initializer_list>
#include <optional>

namespace kubecoro::cluster_metrics {

/// Seconds since 1970; nothing for a missing time, and for the time "none".
[[nodiscard]] std::optional<double> unix_time(std::optional<timestamp> at);
/// The number of a quantity, in thousandths as far as these fit; nothing if it is missing.
[[nodiscard]] std::optional<double> exact_amount(const std::optional<quantity>& amount);
/// The whole number of a quantity, rounded up.
[[nodiscard]] std::optional<double> whole_amount(const std::optional<quantity>& amount);

// ---- writers: one series, at most

void one(const subject& s, series_sink& out);
/// The resourceVersion, if it is a number.
void version(const subject& s, series_sink& out);
/// metadata.labels with `label_` in front, if any are to be shown.
void shown_labels(const subject& s, series_sink& out);

// ---- writers: several

/// metadata.ownerReferences, or one series with empty labels.
void owners(const subject& s, series_sink& out);
/// A condition with each possible status.
void add_condition(std::string_view type, std::string_view status, series_sink& out);
/// Every condition of a list with each possible status.
constexpr auto conditions = [](auto all, series_sink& out) {
    for (const auto c : all) add_condition(c.type(), c.status(), out);
};

// ---- their parts

/// The owner that is its controller; missing if there is none.
[[nodiscard]] view<meta_v1::owner_reference> controller_of(const object& o);

/// One series for each possible status of a condition, `name` being the label of the status.
void statuses_of(std::string_view status, std::string_view name, series_sink& out);
/// One series for each value, 1 for the present one.
void one_of(std::string_view present, std::string_view name, std::initializer_list<std::string_view> values,
            series_sink& out);

/// How amounts of a resource are written.
struct resource_unit
{
    std::string_view unit;
    bool exact = false;
};
/// Returns an empty optional if the resource has no series.
[[nodiscard]] std::optional<resource_unit> unit_of(std::string_view resource);

} // namespace kubecoro::cluster_metrics
