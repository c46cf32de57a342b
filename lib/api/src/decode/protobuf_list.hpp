// Decodes lists in protobuf as their bytes arrive.
#pragma once

#include "decode/answer_readers.hpp"
#include "decode/selection.hpp"
#include "protobuf/object_reader.hpp"

#include <kubecoro/api/decode.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** Reads the envelope of a list and its items, in any chunking.

    The length of each item comes before it, so only an item that is cut by the end of a chunk is copied, and an item
    that is too long is passed over without being kept. */
class protobuf_list final : public list_reader
{
public:
    protobuf_list(const decode_options& options, encoding* e, const known_objects* known);

    result<> feed(std::string_view bytes) override;
    result<list_page> finish() override;

private:
    /// The parts of the response, in their order.
    enum class place
    {
        magic,
        /// Fields of the envelope.
        envelope,
        /// Fields of the list.
        list
    };

    // Each returns the number of bytes it consumed.
    [[nodiscard]] std::size_t skip(std::string_view bytes) noexcept;
    [[nodiscard]] result<std::size_t> whole_field(std::string_view bytes);
    /// Completes the field that the last chunk cut.
    [[nodiscard]] result<std::size_t> carried_field(std::string_view bytes);
    /** Reads the field at the front of the text.

        @return the bytes that were consumed; 0: more are needed, and wanted_ says how many in all. */
    [[nodiscard]] result<std::size_t> step(std::string_view text);
    [[nodiscard]] result<std::size_t> envelope_field(const wire_field& head, std::size_t head_size,
                                                     std::string_view text);
    [[nodiscard]] result<std::size_t> list_field(const wire_field& head, std::size_t head_size, std::string_view text);
    [[nodiscard]] result<> read_type(std::string_view type);
    [[nodiscard]] result<> read_metadata(std::string_view metadata);
    [[nodiscard]] result<> read_item(std::string_view item);
    /// Announces the item at the front of the text, if one is there, to the known objects.
    void expect_item(std::string_view text) const;
    [[nodiscard]] result<> leave_out(std::string_view beginning, std::string why);
    [[nodiscard]] failure broken(std::string why) const;
    /// Accounts for consumed bytes.
    void pass(std::size_t size, place where) noexcept;

    encoding* encoding_;
    const selection known_;
    object_reader objects_;
    /// The kind and apiVersion of the items; set once the list has said its own.
    std::optional<type_members> types_;
    list_page page_;
    /// The answer is a Status, which the decoder reads when it is complete.
    bool is_status_ = false;
    place place_ = place::magic;
    /// Set with types_.
    std::uint16_t item_message_ = 0;
    /// Bytes of the list that have not been consumed.
    std::uint64_t list_left_ = 0;
    /// The last field of the envelope, and of the list; 0 = none yet.
    std::uint32_t last_part_ = 0;
    std::uint32_t last_field_ = 0;
    /// Bytes to pass over.
    std::uint64_t skip_ = 0;
    /// The beginning of a field that the last chunk cut, and the size it needs.
    std::string carried_;
    std::size_t wanted_ = 0;
    std::size_t received_ = 0;
};

} // namespace kubecoro::detail
