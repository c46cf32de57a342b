// Lines of Prometheus' text format. No I/O.
#pragma once

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace kubecoro::cluster_metrics {

/// Appends a label's value with `\`, `"` and line ends escaped.
void append_escaped(std::string& out, std::string_view text);
/// Appends a number as Go's strconv does with format 'g' and the shortest precision: `1.5e+09`.
void append_number(std::string& out, double value);

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
    [[nodiscard]] bool fits(std::span<const label> further) const noexcept;
    void make_start();

    std::string* out_;
    series_limits limits_;
    std::string_view family_;
    const object* of_ = nullptr;
    const identity_labels* names_ = nullptr;
    /// The line up to the labels of its own; empty until a series needs it, for most families have none of most objects.
    std::string start_;
    std::size_t of_this_object_ = 0;
    std::uint64_t series_ = 0;
    std::uint64_t left_out_ = 0;
};

} // namespace kubecoro::cluster_metrics
