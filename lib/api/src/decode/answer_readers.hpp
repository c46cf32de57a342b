#pragma once
// The seam between the decoders and the forms that answers have on the wire.

#include "storage/encoding.hpp"

#include <kubecoro/api/detail/decoders.hpp>

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// Ends the kind of a list, which begins with that of its items.
inline constexpr std::string_view list_suffix = "List";

/// Reads a list in one form. Not used after a failure.
class list_reader
{
public:
    virtual ~list_reader() = default;
    /// As list_decoder.
    [[nodiscard]] virtual result<> feed(std::string_view bytes) = 0;
    [[nodiscard]] virtual result<list_page> finish() = 0;
};

/// Reads a watch in one form. Not used after a failure.
class watch_reader
{
public:
    virtual ~watch_reader() = default;
    /// As watch_decoder.
    [[nodiscard]] virtual result<> feed(std::string_view bytes, std::vector<watch_event>& out) = 0;
    [[nodiscard]] virtual result<> finish() = 0;
};

/// @param known  Outlives the reader, like the encoding; null = none.
[[nodiscard]] std::unique_ptr<list_reader> make_json_list(const decode_options& options, encoding* e,
                                                          const known_objects* known);
[[nodiscard]] std::unique_ptr<watch_reader> make_json_watch(const decode_options& options, encoding* e,
                                                            const known_objects* known);
[[nodiscard]] std::unique_ptr<list_reader> make_protobuf_list(const decode_options& options, encoding* e,
                                                              const known_objects* known);
[[nodiscard]] std::unique_ptr<watch_reader> make_protobuf_watch(const decode_options& options, encoding* e,
                                                                const known_objects* known);

// An item costs some 80 bytes however short its text is. To keep the cost of a page in proportion to its length, the
// items beyond the first ones must have at least this mean length; an item with a name is longer.
inline constexpr std::size_t shortest_item = 16;
inline constexpr std::size_t items_for_free = 4096;

/// Returns how many items a list may have of which this many bytes have been received.
[[nodiscard]] constexpr std::size_t most_items(std::size_t received) noexcept
{
    return items_for_free + received / shortest_item;
}

/// Longer names of unknown types are cut.
inline constexpr std::size_t unknown_type_bytes = 64;

[[nodiscard]] inline watch_event_type event_type_of(std::string_view text) noexcept
{
    if (text == "ADDED") return watch_event_type::added;
    if (text == "MODIFIED") return watch_event_type::modified;
    if (text == "DELETED") return watch_event_type::deleted;
    if (text == "BOOKMARK") return watch_event_type::bookmark;
    if (text == "ERROR") return watch_event_type::error;
    return watch_event_type::unknown;
}

/// True if an event of this type is about an object of the resource. Other objects are messages of the server, which
/// are not pruned.
[[nodiscard]] inline bool is_change(watch_event_type type) noexcept
{
    return type == watch_event_type::added || type == watch_event_type::modified || type == watch_event_type::deleted;
}

/// The last one of those that are passed over in a row tells the version of all.
inline void append(watch_event event, std::vector<watch_event>& out)
{
    if (!out.empty() && event.passed_over && out.back().passed_over && out.back().type == event.type)
        out.back() = std::move(event);
    else
        out.push_back(std::move(event));
}

} // namespace kubecoro::detail
