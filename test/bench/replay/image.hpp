// A data set in one encoding: the bytes of lists and events, with the positions that change.
#pragma once

#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench {

/// The layout of objects in an image.
enum class image_format : std::uint8_t
{
    /// `{"metadata":...},` : the kind is in the list's head and the events' heads.
    json_pods,
    /// `{"apiVersion":...},`
    json_widgets,
    /// Field 2 of a PodList: tag, length, message.
    protobuf_pods
};

/** All objects one after another, as a list sends them: any range of objects is one piece of memory.

    An object changes in place: its stamp, its version, and the bytes in which its two prepared states differ. So a
    watch event costs the server a few short writes into memory before the object is sent. Not thread-safe: writes
    need exclusive access. */
class image
{
public:
    /// @param objects  The number of objects to be added; @param bytes  their approximate size.
    image(image_format format, std::uint32_t objects, std::size_t bytes);

    /** Adds the next object: whole JSON with kind and apiVersion, or a bare protobuf message.

        @param second  Its other state: of the same length, or empty when there is none.
        Errors: cond::invalid when the stamp, the version or the kind is not at its place, or the lengths differ. */
    [[nodiscard]] result<> add(std::string_view first, std::string_view second);

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
    /// The objects [first, last) as items of a list.
    [[nodiscard]] std::string_view items(std::uint32_t first, std::uint32_t last) const;
    /// The bytes of an object between the head and the tail of an event.
    [[nodiscard]] std::string_view event_object(std::uint32_t object) const;

    /// Changes the object to its other state, with this version and without a stamp.
    void turn(std::uint32_t object, std::uint64_t version);
    /// Writes the nanoseconds as 19 digits into the object's stamp.
    void stamp(std::uint32_t object, std::uint64_t nanoseconds);

private:
    struct slot
    {
        /// Position in bytes_, behind its list framing.
        std::uint64_t at;
        std::uint32_t size;
        /// Position within the object.
        std::uint32_t stamp;
        std::uint32_t version;
        /// Index of its first difference in changes_; they end where the next object's begin.
        std::uint32_t changes;
        std::uint64_t change_bytes;
    };
    struct change
    {
        std::uint32_t at;
        std::uint32_t size;
    };

    [[nodiscard]] std::string_view object(std::uint32_t number) const;
    void add_changes(std::string_view first, std::string_view second);

    image_format format_;
    std::string bytes_;
    std::vector<slot> slots_;
    std::vector<change> changes_;
    /// The bytes of the other state at the changed positions, one after another.
    std::string other_;
};

} // namespace kubecoro::bench
