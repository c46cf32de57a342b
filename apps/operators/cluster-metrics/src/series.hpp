// Lines of Prometheus' text format. No I/O.
#pragma once

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kubecoro::cluster_metrics {

struct label
{
    std::string_view name;
    std::string_view value;
};

/// Bounds of what the owner of one object can put into a scrape. A series beyond them is left out, and counted.
struct series_limits
{
    /// Series of one family of one object: a pod of 1 MB may have 30,000 containers.
    std::size_t per_object = 500;
    /// Labels of one series, besides those of its kind.
    std::size_t labels = 128;
    /// Bytes of one value of a label: an image's name has no other bound than the object's.
    std::size_t label_bytes = 4096;
};

/// The names of the labels that every series of a kind has.
struct identity_labels
{
    /// Its value is the object's name.
    std::string_view name;
    bool has_namespace = true;
    bool has_uid = false;
};

/// Appends the series of one family of one object after the other.
class series_sink
{
public:
    /// @param out  Must outlive the sink.
    explicit series_sink(std::string& out, series_limits limits = {}) : out_(&out), limits_(limits) {}

    /// The series that follow are of this family and this object. @param of, names  Must stay until the next call.
    void begin(std::string_view family, const object& of, const identity_labels& names) noexcept;
    /// A series with no further labels.
    void add(double value) { add(std::span<const label>(), value); }
    void add(std::initializer_list<label> further, double value)
    {
        add(std::span<const label>(further.begin(), further.size()), value);
    }
    void add(std::span<const label> further, double value);

    /// Series that were written.
    [[nodiscard]] std::uint64_t series() const noexcept { return series_; }
    /// Series that a limit has excluded.
    [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

private:
    /// The room that a series with these labels needs at most; nothing if a limit excludes it.
    [[nodiscard]] std::optional<std::size_t> most_bytes_of(std::span<const label> further) const noexcept;
    /// The place behind the line's start, with room for that number of bytes.
    [[nodiscard]] char* room_for(std::size_t bytes);
    void make_start();

    std::string* out_;
    series_limits limits_;
    std::string_view family_;
    const object* of_ = nullptr;
    const identity_labels* names_ = nullptr;
    /// The series being written. Grows only.
    std::string line_;
    /// Bytes of the line up to the labels of its own, which all series of a family and an object share; 0 until one needs it,
    /// for most families have none of most objects.
    std::size_t start_ = 0;
    std::size_t of_this_object_ = 0;
    std::uint64_t series_ = 0;
    std::uint64_t left_out_ = 0;
};

} // namespace kubecoro::cluster_metrics
