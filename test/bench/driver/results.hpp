#pragma once

#include "statistics.hpp"

#include <kubecoro/base/result.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench {

/// The cell of a measurement: workload, subject, data, metric.
struct cell
{
    /// "sync", "events", "paced-1000"; with the suffix "-2cores" on two cores.
    std::string workload;
    /// "kubecoro/plain", "client-go/protobuf", "kube-rs/best".
    std::string subject;
    /// "small", "large", "low", "custom"; "-" for measurements without served objects.
    std::string data;
    std::uint64_t objects = 0;
    std::string metric;
    std::string unit;
    friend auto operator<=>(const cell&, const cell&) = default;
};

/** One line of results.json.

    A row without numbers has the reason in `missing`; it is never filled in from elsewhere. */
struct row
{
    cell what;
    spread value = {};
    std::string missing = {};
    friend bool operator==(const row&, const row&) = default;
};

/// Prefix of `missing` when a subject took too long.
inline constexpr std::string_view given_up = "gave up";

[[nodiscard]] inline bool was_given_up(const row& r) { return !r.value.rounds && r.missing.starts_with(given_up); }

/// Collects samples round by round, and turns them into rows in the order of their first sample.
class sample_book
{
public:
    void add(const cell& what, double value);
    /// Used only if no sample exists in the end.
    void missing(const cell& what, std::string reason);
    [[nodiscard]] std::vector<row> rows() const;

private:
    struct entry
    {
        std::size_t place = 0;
        std::vector<double> samples;
        std::string missing;
    };
    entry& at(const cell& what);
    std::map<cell, entry> entries_;
};

/** Replaces rows of `old` for the same subject and workload by those of `fresh`, and appends the new ones.

    Numbers are kept when the later run has none. */
[[nodiscard]] std::vector<row> merge_rows(std::vector<row> old, const std::vector<row>& fresh);

/// The JSON list of results.json.
[[nodiscard]] std::string to_json_text(const std::vector<row>& rows);
/// Errors: cond::corrupt.
[[nodiscard]] result<std::vector<row>> parse_rows(std::string_view json);

/// The row with numbers for this cell (its unit aside), or null.
[[nodiscard]] const row* find_row(const std::vector<row>& rows, const cell& what);
/// The reason for missing numbers, of this cell or of its whole workload; empty when unknown.
[[nodiscard]] std::string why_missing(const std::vector<row>& rows, const cell& what);

} // namespace kubecoro::bench
