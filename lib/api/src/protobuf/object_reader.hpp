// Decodes single objects from protobuf.
#pragma once

#include "protobuf/message_reader.hpp"
#include "storage/former_sections.hpp"
#include "storage/object_block.hpp"

#include <kubecoro/api/decode.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Begins every object that is not an item of a list.
inline constexpr std::string_view protobuf_magic{"k8s\0", 4};

/// An object on the wire: its type, and the message with its content.
struct typed_message
{
    std::string_view api_version;
    std::string_view kind;
    std::string_view content;
};

/** Reads the envelope around an object. Errors: cond::corrupt.

    @param is_cut  The bytes may end early: the content is then as much of it as is there. */
[[nodiscard]] result<typed_message> read_envelope(std::string_view bytes, bool is_cut = false);

/// Fails if the content of an envelope is not plain protobuf; empty = it is.
[[nodiscard]] result<> check_content(std::string_view encoding, std::string_view type);

/// The identity of an object; views of its message.
struct message_identity
{
    object_key_view key;
    std::string_view uid;
    std::string_view resource_version;

    /// Without them, nothing tells two states of an object apart.
    [[nodiscard]] bool is_complete() const noexcept
    {
        return !key.name.empty() && !uid.empty() && !resource_version.empty();
    }
};
/// @param object  The object's message, possibly cut; what is not there is empty.
[[nodiscard]] message_identity identity_of(std::string_view object) noexcept;

/// @param object  As for identity_of().
[[nodiscard]] left_out_object left_out_message(std::string_view object, std::string why);

/** Decodes the objects of one document, one after the other. */
class object_reader
{
public:
    /// @param encoding  Null = each object is self-contained.
    object_reader(const decode_options& options, encoding* e);

    /// Fails if a prune path is invalid.
    [[nodiscard]] result<> check() const;
    /// From now on, objects keep digests of their sections, so that their next states can be compared with them.
    void keep_digests() noexcept { keeps_digests_ = encoding_ != nullptr && encoding_->packed == nullptr; }
    /// Whether read() makes use of a former state.
    [[nodiscard]] bool compares() const noexcept { return keeps_digests_; }
    /** Reads a message. Empty type = the object gets none.

        @param former  A former state of the object, of which unchanged sections are copied.
        @return false: see exceeds_limit() and why(). */
    [[nodiscard]] bool read(std::uint16_t message, const typed_message& from, bool prune, const object& former = {});
    /// The same for an object that says its kind.
    [[nodiscard]] bool read_typed(const typed_message& from, bool prune, const object& former = {});
    /// After read(): the object.
    [[nodiscard]] object build(arrival use, const type_members& missing = {});
    [[nodiscard]] bool exceeds_limit() const noexcept;
    [[nodiscard]] std::string why() const;
    /// The longest message that is read. The limit holds for the tape, which is shorter than the message if fields are
    /// pruned or texts are shared; JSON has the same room.
    [[nodiscard]] std::size_t longest_message() const noexcept
    {
        return std::max(6 * max_object_bytes_, std::size_t{64} * 1024);
    }

private:
    /// Every 16th state is read as a whole: by then its texts may have got numbers, which take less memory.
    static constexpr unsigned reads_whole = 16;

    std::size_t max_object_bytes_;
    const field_filter nothing_;
    const result<field_filter> filter_;
    pruned_tape tape_;
    message_reader reader_;
    encoding* encoding_;
    /// The kind of the last object that said its kind: nearly always that of the next one.
    const schema_kind* last_kind_ = nullptr;
    bool keeps_digests_ = false;
    unsigned reads_ = 0;
    /// Why the last object could not be read although nothing in it is wrong.
    std::string refused_;
};

/// Decodes one object with its envelope. Errors: cond::corrupt; cond::invalid for an invalid prune path.
[[nodiscard]] result<object> decode_protobuf_object(std::string_view bytes, const decode_options& options, encoding* e);

} // namespace kubecoro::detail
