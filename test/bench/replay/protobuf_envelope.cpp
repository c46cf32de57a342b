// Kubernetes' protobuf framing, as a server writes it:
//   anything stored or listed   "k8s\0", then Unknown { 1: TypeMeta { 1: apiVersion, 2: kind }, 2: raw, 3: "", 4: "" }
// PodList (raw of a list) { 1: ListMeta { 1: "", 2: resourceVersion, 3: continue, 4: remainingItemCount }, 2: Pod ... }
// a watch event 4 bytes big-endian length, then WatchEvent { 1: type, 2: RawExtension { 1: "k8s\0" Unknown } }
//   ObjectMeta of a bookmark    { 6: resourceVersion, 12: annotations { 1: key, 2: value } }
//   Status                      { 1: ListMeta, 2: status, 3: message, 4: reason, 6: code }
#include "envelope.hpp"
#include "protobuf_wire.hpp"

namespace kubecoro::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view magic = "k8s\0"sv;
/// Empty contentEncoding and contentType: always written.
constexpr std::string_view unknown_tail = "\x1a\x00\x22\x00"sv;

enum unknown_field : unsigned
{
    type_meta = 1,
    raw = 2
};

std::string type_meta_of(std::string_view kind)
{
    std::string out;
    protobuf::append_bytes(out, 1, "v1");
    protobuf::append_bytes(out, 2, kind);
    return out;
}

/// Magic and Unknown up to the raw message of `size` bytes.
std::string unknown_head(std::string_view kind, std::uint64_t size)
{
    std::string out(magic);
    protobuf::append_bytes(out, type_meta, type_meta_of(kind));
    protobuf::append_header(out, raw, size);
    return out;
}

std::string list_meta(const list_position& page)
{
    std::string out;
    protobuf::append_bytes(out, 1, "");
    protobuf::append_bytes(out, 2, std::to_string(page.version));
    protobuf::append_bytes(out, 3, page.token);
    if (!page.token.empty()) protobuf::append_number(out, 4, page.remaining);
    return out;
}

void append_frame_head(std::string& out, std::string_view type, std::string_view kind, std::uint64_t size)
{
    const std::string inner = unknown_head(kind, size);
    const std::uint64_t object = inner.size() + size + unknown_tail.size();
    const std::uint64_t extension = protobuf::header_size(1, object) + object;
    std::string event;
    protobuf::append_bytes(event, 1, type);
    protobuf::append_header(event, 2, extension);
    protobuf::append_header(event, 1, object);
    event += inner;
    const std::uint64_t frame = event.size() + size + unknown_tail.size();
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(frame >> shift);
    out += event;
}

std::string whole_event(std::string_view type, std::string_view kind, std::string_view message)
{
    std::string out;
    append_frame_head(out, type, kind, message.size());
    out += message;
    out += unknown_tail;
    return out;
}

class protobuf_envelope final : public envelope
{
public:
    std::string_view list_type() const override { return "application/vnd.kubernetes.protobuf"; }
    std::string_view watch_type() const override { return "application/vnd.kubernetes.protobuf;stream=watch"; }

    std::string list_head(const list_position& page, std::uint64_t items) const override
    {
        std::string metadata;
        protobuf::append_bytes(metadata, 1, list_meta(page));
        return unknown_head("PodList", metadata.size() + items) + metadata;
    }

    std::string list_tail(const list_position&) const override { return std::string(unknown_tail); }

    void append_event_head(std::string& out, std::string_view type, std::uint64_t size) const override
    {
        append_frame_head(out, type, "Pod", size);
    }

    std::string_view event_tail() const override { return unknown_tail; }

    std::string bookmark(std::uint64_t version, bool initial_events_end) const override
    {
        std::string metadata;
        protobuf::append_bytes(metadata, 6, std::to_string(version));
        if (initial_events_end) {
            std::string annotation;
            protobuf::append_bytes(annotation, 1, "k8s.io/initial-events-end");
            protobuf::append_bytes(annotation, 2, "true");
            protobuf::append_bytes(metadata, 12, annotation);
        }
        std::string pod;
        protobuf::append_bytes(pod, 1, metadata);
        return whole_event("BOOKMARK", "Pod", pod);
    }

    std::string expired(std::uint64_t asked, std::uint64_t oldest) const override
    {
        std::string status;
        protobuf::append_bytes(status, 1, "");
        protobuf::append_bytes(status, 2, "Failure");
        protobuf::append_bytes(status, 3, expired_message(asked, oldest));
        protobuf::append_bytes(status, 4, "Expired");
        protobuf::append_number(status, 6, 410);
        return whole_event("ERROR", "Status", status);
    }
};

} // namespace

std::unique_ptr<envelope> make_protobuf_envelope() { return std::make_unique<protobuf_envelope>(); }

} // namespace kubecoro::bench
