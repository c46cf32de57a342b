// Writers that families of several kinds share.
#pragma once

#include "family.hpp"

#include <kubecoro/api/quantity.hpp>

#include <initializer_list>
#include <optional>

namespace kubecoro::cluster_metrics {

/// Seconds since 1970 of a time in RFC 3339; nothing for any other text, and for "no time".
[[nodiscard]] std::optional<double> unix_time(value_view at);
/// The number of a quantity, in thousandths as far as these fit; nothing for any other text.
[[nodiscard]] std::optional<double> exact_amount(value_view at);
/// The whole number of a quantity, rounded up.
[[nodiscard]] std::optional<double> whole_amount(value_view at);

// ---- writers: one series, at most

void one(const subject& s, series_sink& out);
/// A missing number is 0.
void number(const subject& s, series_sink& out);
void number_if_present(const subject& s, series_sink& out);
/// A missing boolean is false.
void flag(const subject& s, series_sink& out);
void flag_if_present(const subject& s, series_sink& out);
void time_if_present(const subject& s, series_sink& out);
/// The resourceVersion, if it is a number.
void version(const subject& s, series_sink& out);
/// metadata.labels with `label_` in front, if any are to be shown.
void shown_labels(const subject& s, series_sink& out);

// ---- writers: several

/// metadata.ownerReferences, or one series with empty labels.
void owners(const subject& s, series_sink& out);
/// Every condition with each of its statuses.
void conditions(const subject& s, series_sink& out);

// ---- their parts

/// One series for each possible status of a condition, `name` being the label of the status.
void statuses_of(value_view condition, std::string_view name, series_sink& out);
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
