// Decodes watches in protobuf as their bytes arrive.
#include "decode/answer_readers.hpp"
#include "decode/selection.hpp"
#include "protobuf/object_reader.hpp"
#include "protobuf/wire_cursor.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/status.hpp>
#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
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

namespace {

constexpr std::size_t length_bytes = 4;
// The type, the tags around the object, and its envelope.
constexpr std::size_t frame_overhead = 4096;
// Larger buffers are freed after the frame that needed them.
constexpr std::size_t kept_frame = std::size_t{1} << 20;

// The tag of the event's type, which is always written.
constexpr char event_begin = 0x0a;

std::size_t frame_length(std::string_view text) noexcept
{
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) length = length << 8 | static_cast<unsigned char>(text[i]);
    return length;
}

} // namespace

protobuf_watch::protobuf_watch(const decode_options& options, encoding* e, const known_objects* known)
    : known_(known), objects_(options, e)
{
    if (known_.formers != nullptr) objects_.keep_digests();
}

failure protobuf_watch::broken(std::string why) const
{
    return failure(cond::corrupt, std::move(why) + " in the frame at byte " + std::to_string(received_));
}

result<> protobuf_watch::feed(std::string_view bytes, std::vector<watch_event>& out)
{
    if (auto sound = objects_.check(); !sound) return sound;
    while (!bytes.empty()) {
        if (skip_ != 0) {
            const std::size_t n = std::min(skip_, bytes.size());
            skip_ -= n;
            received_ += n;
            bytes.remove_prefix(n);
            continue;
        }
        const bool carries = !carried_.empty();
        const std::size_t added = carries ? std::min(wanted_ - carried_.size(), bytes.size()) : 0;
        carried_ += bytes.substr(0, added);
        bytes.remove_prefix(added);
        const auto taken = step(carries ? std::string_view(carried_) : bytes, out);
        if (!taken) return taken.error();
        received_ += *taken;
        if (carries && *taken != 0) {
            carried_.clear();
            if (carried_.capacity() > kept_frame) std::string().swap(carried_);
        } else if (!carries && *taken == 0) {
            carried_ = bytes;
            return {};
        } else if (!carries) {
            bytes.remove_prefix(*taken);
        }
    }
    return {};
}

result<std::size_t> protobuf_watch::step(std::string_view text, std::vector<watch_event>& out)
{
    wanted_ = length_bytes;
    if (text.size() < wanted_) return std::size_t{0};
    const std::size_t length = frame_length(text);
    // Another document is noticed at once: its first bytes are the length of a frame that would never be complete.
    if ((length != 0 && text.size() > length_bytes && text[length_bytes] != event_begin) ||
        text.starts_with(protobuf_magic))
        return broken("expected an event in protobuf, got something else");
    const bool too_long = length > objects_.longest_message() + frame_overhead;
    // A frame that is too long is kept as far as its object's metadata may reach.
    const std::size_t needed = too_long ? objects_.longest_message() : length;
    wanted_ = length_bytes + needed;
    if (text.size() < wanted_) return std::size_t{0};
    const std::string_view frame = text.substr(length_bytes, needed);
    if (known_.known != nullptr) expect_event(text.substr(wanted_));
    auto event = [&]() -> result<watch_event> {
        if (!too_long) return read_event(frame);
        const auto raw = read_frame(frame, true);
        if (!raw) return raw.error();
        return leave_out(*raw, "an event is longer than " + std::to_string(objects_.longest_message()) +
                                   " bytes of protobuf");
    }();
    if (!event) return event.error();
    if (event->ends_initial_events()) known_.known = nullptr;
    append(std::move(*event), out);
    skip_ = length - needed;
    return wanted_;
}

result<protobuf_watch::raw_event> protobuf_watch::read_frame(std::string_view frame, bool is_cut) const
{
    const auto event = read_texts<2>(frame, is_cut);
    const auto extension = event ? read_texts<1>((*event)[1], is_cut) : std::nullopt;
    if (!extension) return broken("damaged protobuf");
    const std::string_view type = event->front();
    const std::string_view raw = extension->front();
    if (type.empty()) return broken("event without a type");
    const auto broken_event = [&](const std::string& why) {
        return broken(printable(type, unknown_type_bytes) + " event" + why);
    };
    if (raw.empty()) return broken_event(" without an object");
    const auto object = read_envelope(raw, is_cut);
    if (!object) return broken_event(": " + object.error().message());
    return raw_event{.type = type, .object = *object};
}

result<watch_event> protobuf_watch::read_event(std::string_view frame)
{
    const auto raw = read_frame(frame, false);
    if (!raw) return raw.error();
    watch_event out;
    out.type = event_type_of(raw->type);
    if (out.type == watch_event_type::unknown) {
        out.unknown_type = printable(raw->type, unknown_type_bytes);
        if (objects_.read_typed(raw->object, false)) out.obj = objects_.build(arrival::in_passing);
        return out;
    }
    const bool is_item = known_.known != nullptr && out.type == watch_event_type::added;
    object former;
    if (is_item || ((known_.selects != nullptr || objects_.compares()) && is_change(out.type))) {
        const auto who = identity_of(raw->object.content);
        if (known_.drops(who.key)) {
            out.passed_over = who.resource_version;
            return out;
        }
        if (is_item && who.is_complete()) out.obj = known_.find(who.key, who.uid, who.resource_version);
        if (out.obj) return out;
        // Most items of a list are known as they are, or new.
        if (!is_item && objects_.compares()) former = known_.former(who.key);
    }
    if (objects_.read_typed(raw->object, is_change(out.type), former)) {
        const bool passes = !is_change(out.type) || out.type == watch_event_type::deleted;
        out.obj = objects_.build(is_item ? arrival::at_rest : passes ? arrival::in_passing : arrival::in_use);
        if (out.type != watch_event_type::error) return out;
        const object status = std::exchange(out.obj, {});
        out.status = std::make_shared<const server_status>(read_status(status.root()));
        return out;
    }
    if (!objects_.exceeds_limit()) return broken(objects_.why());
    return leave_out(*raw, objects_.why());
}

void protobuf_watch::expect_event(std::string_view text) const
{
    if (text.size() < length_bytes) return;
    if (const auto raw = read_frame(text.substr(length_bytes, frame_length(text)), true))
        known_.expect(identity_of(raw->object.content).key);
}

result<watch_event> protobuf_watch::leave_out(const raw_event& from, std::string why) const
{
    watch_event out;
    out.type = event_type_of(from.type);
    auto what = left_out_message(from.object.content, why);
    if (!is_change(out.type) || what.key.name.empty()) return broken(std::move(why));
    if (known_.drops(what.key))
        out.passed_over = std::move(what.resource_version);
    else
        out.left_out = std::make_shared<const left_out_object>(std::move(what));
    return out;
}

result<> protobuf_watch::finish()
{
    if (carried_.empty() && skip_ == 0) return {};
    return failure(cond::unreachable, "the stream ends in the frame at byte " + std::to_string(received_));
}

std::unique_ptr<watch_reader> make_protobuf_watch(const decode_options& options, encoding* e,
                                                  const known_objects* known)
{
    return std::make_unique<protobuf_watch>(options, e, known);
}

} // namespace kubecoro::detail
