// Decodes watches in protobuf as their bytes arrive.
#pragma once

#include "decode/answer_readers.hpp"
#include "decode/selection.hpp"
#include "protobuf/object_reader.hpp"

#include <kubecoro/api/decode.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Reads the frames of a watch: four bytes of length, then an event. A frame that is cut by the end of a chunk is kept
    until it is complete. */
class protobuf_watch final : public watch_reader
{
public:
    protobuf_watch(const decode_options& options, encoding* e, const known_objects* known);

    result<> feed(std::string_view bytes, std::vector<watch_event>& out) override;
    result<> finish() override;

private:
    /// An event before its object is decoded.
    struct raw_event
    {
        std::string_view type;
        typed_message object;
    };

    /// @return the bytes that were consumed; 0: more are needed, and wanted_ says how many in all.
    [[nodiscard]] result<std::size_t> step(std::string_view text, std::vector<watch_event>& out);
    [[nodiscard]] result<raw_event> read_frame(std::string_view frame, bool is_cut) const;
    [[nodiscard]] result<watch_event> read_event(std::string_view frame);
    /// Announces the object of the frame at the front of the text, if it is there, to the known objects.
    void expect_event(std::string_view text) const;
    [[nodiscard]] result<watch_event> leave_out(const raw_event& from, std::string why) const;
    [[nodiscard]] failure broken(std::string why) const;

    /// Until the end of a streamed list: the objects that need not be decoded. Null = no list.
    selection known_;
    object_reader objects_;
    std::string carried_;
    std::size_t wanted_ = 0;
    /// Bytes to pass over, of a frame that was too long.
    std::size_t skip_ = 0;
    std::size_t received_ = 0;
};

} // namespace kubecoro::detail
