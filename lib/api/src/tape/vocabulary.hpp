// The shared data of an informer's objects: member names, text values and whole containers by number.
#pragma once

#include "tape/key_class.hpp"
#include "tape/layout.hpp"
#include "tape/tape_format.hpp"
#include "tape/text_table.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Longer texts are never admitted.
inline constexpr std::size_t longest_shared_key = 64;
inline constexpr std::size_t longest_shared_value = 128;

/// Smaller containers hardly exceed the size of their number.
inline constexpr std::size_t shortest_shared_container = 16;
/// Counts all nested shared containers as if stored inline. This bounds how far a broken tape can expand.
inline constexpr std::size_t longest_shared_container = 2048;
/// Bytes after a shared container's tape that hold its length in that sense.
inline constexpr std::size_t container_trailer = 2;

/** The vocabulary of one informer: one writer at a time, any number of readers.

    The writer decides what must not be learnt: it knows the position of a text in the document. */
class vocabulary
{
public:
    using number = text_table::number;

    explicit vocabulary(bool values) : keeps_values_(values) {}

    // ---- For the writer

    /// Numbers the encoded documents, distinct within eight bits.
    [[nodiscard]] unsigned next_document() noexcept
    {
        layout_.begin_document();
        return ++documents_;
    }
    [[nodiscard]] bool keeps_values() const noexcept { return keeps_values_; }
    [[nodiscard]] text_table& keys() noexcept { return keys_; }
    [[nodiscard]] text_table& values() noexcept { return values_; }
    /// Tapes, each with its trailer.
    [[nodiscard]] text_table& containers() noexcept { return containers_; }
    [[nodiscard]] layout& documents() noexcept { return layout_; }
    /// A number for a filter, by its text: pruned tapes of different filters must not be confused. 0: there are too many.
    [[nodiscard]] std::size_t filter_number(std::string_view text)
    {
        const auto at = std::find(filters_.begin(), filters_.end(), text);
        const auto n = static_cast<std::size_t>(at - filters_.begin()) + 1;
        if (at != filters_.end()) return n;
        if (filters_.size() == most_filters) return 0;
        filters_.emplace_back(text);
        return n;
    }

    // ---- For any thread

    [[nodiscard]] std::string_view key(number n) const noexcept { return keys_.at(n); }
    [[nodiscard]] std::string_view value(number n) const noexcept { return values_.at(n); }
    /// The tape of a container.
    [[nodiscard]] std::string_view container(number n) const noexcept
    {
        const std::string_view all = containers_.at(n);
        return all.data() == nullptr ? all : all.substr(0, all.size() - container_trailer);
    }
    [[nodiscard]] const text_table& keys() const noexcept { return keys_; }
    [[nodiscard]] const text_table& values() const noexcept { return values_; }
    [[nodiscard]] const text_table& containers() const noexcept { return containers_; }
    /// Heap bytes.
    [[nodiscard]] std::size_t bytes() const noexcept
    {
        return keys_.bytes() + values_.bytes() + containers_.bytes() + layout_.bytes();
    }

private:
    text_table keys_{{.most = key_numbers,
                      .most_bytes = std::size_t{256} << 10,
                      .longest = longest_shared_key,
                      .sightings = 3,
                      .candidates = 4096,
                      .users = key_numbers / 4,
                      .remark = [](std::string_view key) { return key_remark::of(key).pack(); }}};
    text_table values_{{.most = value_numbers,
                        .most_bytes = std::size_t{2} << 20,
                        .longest = longest_shared_value,
                        .sightings = 4,
                        .candidates = 16384,
                        .users = value_numbers / 2}};
    // Two sightings are enough: everything inside a container is already known from many objects.
    text_table containers_{{.most = container_numbers,
                            .most_bytes = std::size_t{4} << 20,
                            .longest = longest_shared_container + container_trailer,
                            .sightings = 2,
                            .candidates = 16384}};
    layout layout_{4096};
    /// An informer has one filter.
    static constexpr std::size_t most_filters = 8;
    std::vector<std::string> filters_;
    unsigned documents_ = 0;
    bool keeps_values_;
};

} // namespace kubecoro::detail
