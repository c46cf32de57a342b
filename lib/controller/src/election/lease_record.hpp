#pragma once
// The content of a Lease, as elections and shards use it.

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// The record in a Lease. Times are text: other clocks wrote them, so that they are compared for equality only.
struct lease_record
{
    /// Empty = free.
    std::string holder = {};
    /// 0 = missing, or no positive number.
    std::int32_t duration_seconds = 0;
    std::string acquired = {};
    std::string renewed = {};
    /// At least 0.
    std::int32_t transitions = 0;

    friend bool operator==(const lease_record&, const lease_record&) = default;
};

/// A Lease as the server has it.
struct lease_state
{
    lease_record record = {};
    std::string resource_version = {};
    std::string uid = {};
};

/// A record to be written.
struct lease_change
{
    std::string holder = {};
    std::int32_t duration_seconds = 0;
    std::int32_t transitions = 0;
    /// The holder or its term is new: the time of acquisition becomes the present one.
    bool acquires = false;
};

using lease_labels = std::vector<std::pair<std::string, std::string>>;

/// Reads any object, also one without the fields of a Lease or with others.
[[nodiscard]] lease_state read_lease(const object& o);

/** Writes a change into a Lease. Everything else in it stays: labels, annotations and fields of other versions.

    @param lease  The Lease that was read or written last, or new_object(). */
void write_lease(boost::json::object& lease, const lease_change& change, const lease_labels& labels, wall_time now);

/// How long a record is valid after its last change: as it states, but an hour at most, or `own` if that is longer. A
/// record without a duration is given `own`. @param own  The lease duration of the reader.
[[nodiscard]] duration validity(const lease_record& r, duration own) noexcept;

/// The number of seconds that a Lease says for a duration: rounded up, because its holder counts on all of it.
[[nodiscard]] std::int32_t lease_seconds(duration d) noexcept;

} // namespace kubecoro::detail
