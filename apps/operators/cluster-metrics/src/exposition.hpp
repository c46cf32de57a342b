// All series of a state of the cluster, in parts. No I/O.
#pragma once

#include "family.hpp"

#include <kubecoro/api/object.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kubecoro::cluster_metrics {

/// The objects of one kind, as they are in one moment.
struct kind_state
{
    /// Must outlive the exposition.
    const series_kind* kind = nullptr;
    label_names shown = {};
    std::vector<object> objects = {};
};

/** Writes families one after the other, as the format demands, each from all objects of its kind.

    Holds handles of objects, and no text besides the part being made. */
class exposition
{
public:
    explicit exposition(std::vector<kind_state> kinds, series_limits limits = {});

    /// Appends the next part. @return whether another one follows.
    bool next(std::string& out);

    /// Totals over the parts so far.
    struct totals
    {
        std::uint64_t series = 0;
        std::uint64_t left_out = 0;
        std::uint64_t bytes = 0;
    };
    [[nodiscard]] const totals& so_far() const noexcept { return totals_; }

private:
    /// Writes objects of the present family until the part is full. @return whether the family is complete.
    bool continue_family(std::string& out);
    void advance();
    void begin_part(part_finder find);
    /// The part of the present object that the family reads.
    [[nodiscard]] value_view part(const object& o);

    std::vector<kind_state> kinds_;
    series_limits limits_;
    totals totals_;
    // The position: what is written next.
    std::size_t kind_ = 0;
    std::size_t family_ = 0;
    std::size_t object_ = 0;
    // Families that follow each other often read the same part: it is found once for all of them.
    part_finder find_ = nullptr;
    std::vector<value_view> parts_;
};

} // namespace kubecoro::cluster_metrics
