// What the objects of one informer have in common: member names, text values and whole containers by number.
#pragma once

#include "tape/tape_format.hpp"
#include "vocabulary/key_class.hpp"
#include "vocabulary/layout.hpp"
#include "vocabulary/text_table.hpp"

#include <optional>
#include <string_view>

namespace kubecoro::detail {

/// Longer texts are never taken in.
inline constexpr std::size_t longest_shared_key = 64;
inline constexpr std::size_t longest_shared_value = 128;

/// Containers of less bytes are hardly larger than their number.
inline constexpr std::size_t shortest_shared_container = 16;
/// With all the shared ones in it, and those in them, as if they stood there themselves. So a tape that is broken says
/// no more than so many times its bytes.
inline constexpr std::size_t longest_shared_container = 2048;
/// Bytes behind the tape of one: how long it is in that sense.
inline constexpr std::size_t container_trailer = 2;

/** One for the objects of one informer: one writer at a time, any number of readers.

    What must not be learnt is the writer's business: it knows where in the document a text stands. */
class vocabulary
{
public:
    using number = text_table::number;

    explicit vocabulary(bool values) : keeps_values_(values) {}

    // ---- the writer

    /// Every document that is encoded has a number of its own, as far as eight bits go.
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
    /// Names and values that users choose, of labels and annotations, may take a part of the numbers only.
    [[nodiscard]] bool has_room_for_users_key() const noexcept { return users_keys_ < key_numbers / 4; }
    [[nodiscard]] bool has_room_for_users_value() const noexcept { return users_values_ < value_numbers / 2; }
    void count_users_keys(std::size_t n) noexcept { users_keys_ += n; }
    void count_users_values(std::size_t n) noexcept { users_values_ += n; }

    // ---- any thread

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
                      .remark = [](std::string_view key) { return key_remark::of(key).pack(); }}};
    text_table values_{{.most = value_numbers,
                        .most_bytes = std::size_t{2} << 20,
                        .longest = longest_shared_value,
                        .sightings = 4,
                        .candidates = 16384}};
    // All that is in one is known from many objects already.
    text_table containers_{{.most = container_numbers,
                            .most_bytes = std::size_t{4} << 20,
                            .longest = longest_shared_container + container_trailer,
                            .sightings = 2,
                            .candidates = 16384}};
    layout layout_{4096};
    std::size_t users_keys_ = 0;
    std::size_t users_values_ = 0;
    unsigned documents_ = 0;
    bool keeps_values_;
};

} // namespace kubecoro::detail
