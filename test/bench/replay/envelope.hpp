// The framing of objects on the wire, per encoding: heads and ends of lists, frames of watch events.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::bench {

enum class resource_kind : std::uint8_t
{
    pods,
    widgets
};

/// The metadata of one page.
struct list_position
{
    std::uint64_t version = 0;
    /// Empty on the last page.
    std::string token = {};
    /// The number of objects after this page.
    std::uint64_t remaining = 0;
};

/** Writes the bytes around encoded objects. Immutable; any thread.

    The object's bytes are those of an image: in JSON a whole object, without kind and apiVersion in a list of pods;
    in protobuf a bare message. */
class envelope
{
public:
    envelope() = default;
    envelope(const envelope&) = delete;
    envelope& operator=(const envelope&) = delete;
    virtual ~envelope() = default;

    [[nodiscard]] virtual std::string_view list_type() const = 0;
    [[nodiscard]] virtual std::string_view watch_type() const = 0;

    /// @param items  Bytes of the items, separators included.
    [[nodiscard]] virtual std::string list_head(const list_position& page, std::uint64_t items) const = 0;
    [[nodiscard]] virtual std::string list_tail(const list_position& page) const = 0;

    /// Appends the bytes before an object of `size` bytes in an event of that type: "ADDED", "MODIFIED".
    virtual void append_event_head(std::string& out, std::string_view type, std::uint64_t size) const = 0;
    [[nodiscard]] virtual std::string_view event_tail() const = 0;
    /// A whole event.
    [[nodiscard]] virtual std::string bookmark(std::uint64_t version, bool initial_events_end) const = 0;
    /// A whole event: 410, because `asked` is older than the retained history.
    [[nodiscard]] virtual std::string expired(std::uint64_t asked, std::uint64_t oldest) const = 0;
};

/// The beginning of a pod's JSON in an image, which items of a list omit after the brace.
inline constexpr std::string_view pod_identity = R"("kind":"Pod","apiVersion":"v1",)";

[[nodiscard]] std::unique_ptr<envelope> make_json_envelope(resource_kind kind);
/// For pods.
[[nodiscard]] std::unique_ptr<envelope> make_protobuf_envelope();

/// The Status of a refusal as JSON, members in a server's order, without a newline. An empty reason is omitted.
[[nodiscard]] std::string status_json(int code, std::string_view reason, std::string_view message);
[[nodiscard]] std::string expired_message(std::uint64_t asked, std::uint64_t oldest);

} // namespace kubecoro::bench
