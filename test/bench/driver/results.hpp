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

/// What was measured, of whom, on what.
struct cell
{
    /// "sync", "events", "paced-1000"; on two cores with "-2cores" behind.
    std::string workload;
    /// "kubecoro/plain", "client-go/protobuf", "kube-rs/best".
    std::string subject;
    /// "small", "large", "low", "custom"; "-" where no objects are served.
    std::string data;
    std::uint64_t objects = 0;
    std::string metric;
    std::string unit;
    friend auto operator<=>(const cell&, const cell&) = default;
};

/** One line of results.json.

    A row without numbers says in `missing` why there are none: it is never filled in from elsewhere. */
struct row
{
    cell what;
    spread value = {};
    std::string missing = {};
    friend bool operator==(const row&, const row&) = default;
};

/// What `missing` begins with when a subject took too long.
inline constexpr std::string_view given_up = "gave up";

[[nodiscard]] inline bool was_given_up(const row& r) { return !r.value.rounds && r.missing.starts_with(given_up); }

/// Collects samples round by round, and turns them into rows in the order in which they first came.
class sample_book
{
public:
    void add(const cell& what, double value);
    /// Counts only where no sample is there in the end.
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

/** `fresh` in place of what `old` holds of the same subject in the same workload, and behind it what is new.

    Numbers stay when the later run has none. */
[[nodiscard]] std::vector<row> merge_rows(std::vector<row> old, const std::vector<row>& fresh);

/// The list of objects that results.json is.
[[nodiscard]] std::string to_json_text(const std::vector<row>& rows);
/// Errors: cond::corrupt.
[[nodiscard]] result<std::vector<row>> parse_rows(std::string_view json);

/// The row with numbers for this cell (its unit aside), or null.
[[nodiscard]] const row* find_row(const std::vector<row>& rows, const cell& what);
/// Why there are none, of this cell or of its whole workload; empty when that is not known.
[[nodiscard]] std::string why_missing(const std::vector<row>& rows, const cell& what);

} // namespace kubecoro::bench
