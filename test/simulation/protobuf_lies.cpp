#include "protobuf_lies.hpp"

#include "world/stale_reads.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/test/protobuf_bytes.hpp>

#include <array>
#include <utility>

namespace kubecoro::simulation {

using test::config_map;
using test::enveloped;
using test::field;
using test::framed;
using test::list_meta;
using test::object_meta;
using testing::detail::status_text;

namespace {

constexpr std::size_t head_bytes = 4;
// The empty encoding and content type that end every envelope.
constexpr std::size_t tail_bytes = detail::protobuf_list_tail.size();
constexpr std::string_view far_ahead = "999999";

std::string head_of(std::uint32_t length)
{
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(length >> shift & 0xff);
    return out;
}

std::string in_frame(const std::string& event) { return head_of(static_cast<std::uint32_t>(event.size())) + event; }

std::string status(int code, std::string_view reason)
{
    return enveloped("v1", "Status",
                     field(1, list_meta("")) + field(2, "Failure") + field(3, "simulated") + field(4, reason) +
                         field(6, code));
}

/// An object that no server has, of a version far ahead: a client that accepts it shows it, and misses real events.
std::string untrue(std::string_view more = {})
{
    return field(1, object_meta("a", "lie", far_ahead) + std::string(more));
}
std::string untrue_pod() { return enveloped("v1", "Pod", untrue()); }

std::string with_tail(std::string object, std::string_view encoding, std::string_view type)
{
    object.resize(object.size() - tail_bytes);
    return object + field(3, encoding) + field(4, type);
}

/// A pod with managed fields.
std::string managed(std::string_view json)
{
    return enveloped("v1", "Pod", untrue(field(17, field(1, "kubectl") + field(7, field(1, json)))));
}

constexpr std::array<std::string_view, 13> kinds_of_damage{"an object that is encoded",
                                                           "an object that is JSON inside of its envelope",
                                                           "a wrong magic number",
                                                           "a kind that does not exist",
                                                           "an object without its content",
                                                           "no object",
                                                           "two objects",
                                                           "a type after the object",
                                                           "a group",
                                                           "a length of ten bytes",
                                                           "a version that is a number",
                                                           "fields out of order",
                                                           "JSON that is cut"};

std::string damaged_frame(std::uint64_t which)
{
    const std::string object = untrue_pod();
    const auto change = [](std::string_view what) { return framed("MODIFIED", what); };
    switch (which) {
    case 0:
        return change(with_tail(object, "gzip", ""));
    case 1:
        return change(with_tail(object, "", "application/json"));
    case 2:
        return change("K" + object.substr(1));
    case 3:
        return change(enveloped("v1", "Lie", untrue()));
    case 4:
        return change(object.substr(0, head_bytes) + field(1, field(1, "v1") + field(2, "Pod")));
    case 5:
        return in_frame(field(1, "MODIFIED"));
    case 6:
        return in_frame(field(1, "MODIFIED") + field(2, field(1, object)) + field(2, field(1, object)));
    case 7:
        return in_frame(field(2, field(1, object)) + field(1, "MODIFIED"));
    case 8:
        return change(enveloped("v1", "Pod", untrue() + "\x13\x14"));
    case 9:
        return in_frame(field(1, "MODIFIED") + "\x12" + std::string(9, '\xff') + "\x01");
    case 10:
        return change(enveloped("v1", "Pod", field(1, field(1, "lie") + field(3, "a") + field(6, 999999))));
    case 11:
        return change(enveloped("v1", "Pod", field(1, field(3, "a") + field(1, "lie"))));
    default:
        return change(managed(R"({"f:a":)"));
    }
}

constexpr std::array<std::string_view, 5> false_lengths{"zero", "one less", "more than there is", "two GB", "four GB"};

std::string frame_of_false_length(std::uint64_t which, std::string_view frame)
{
    const auto event = frame.substr(head_bytes);
    const auto size = static_cast<std::uint32_t>(event.size());
    const std::array<std::uint32_t, false_lengths.size()> lengths{0, size - 1, size + 9, 0x7fffffff, 0xffffffff};
    return head_of(lengths[which]) + std::string(event);
}

class protobuf_lies final : public event_lies
{
public:
    std::size_t first_event(std::string_view bytes) const override
    {
        if (bytes.size() < head_bytes) return 0;
        std::size_t length = 0;
        for (std::size_t i = 0; i < head_bytes; ++i) length = length << 8 | static_cast<unsigned char>(bytes[i]);
        return bytes.size() - head_bytes < length ? 0 : head_bytes + length;
    }

    bool is_bookmark(std::string_view event) const override
    {
        return event.substr(head_bytes).starts_with(field(1, "BOOKMARK"));
    }

    lie ending(detail::random_source& random, std::string_view frame) const override
    {
        const auto error = [](int code, std::string_view reason) {
            return lie{"ERROR " + std::to_string(code) + " in the watch", framed("ERROR", status(code, reason))};
        };
        switch (below(random, 12)) {
        case 0:
            return {"the watch ends inside a frame", std::string(frame.substr(0, 1 + below(random, frame.size() - 2)))};
        case 1:
        case 2: {
            const auto which = below(random, false_lengths.size());
            return {"the length of a frame is false: " + std::string(false_lengths[which]),
                    frame_of_false_length(which, frame)};
        }
        case 3:
            return error(410, "Expired");
        case 4:
            return error(429, "TooManyRequests");
        case 5:
            return error(500, "InternalError");
        case 6:
            return {"a line of JSON in protobuf", R"({"type":"ERROR","object":)" + status_text(410, "Expired") + "}\n"};
        default: {
            const auto which = below(random, kinds_of_damage.size());
            return {"a damaged frame: " + std::string(kinds_of_damage[which]), damaged_frame(which)};
        }
        }
    }

    lie wrong_event(detail::random_source& random) const override
    {
        const auto which = below(random, 6);
        std::string bytes;
        switch (which) {
        case 0:
            bytes = framed("RENAMED", untrue_pod());
            break;
        case 1:
            bytes = framed("MODIFIED", enveloped("coordination.k8s.io/v1", "Lease", untrue()));
            break;
        case 2:
            bytes = framed("ADDED", status(410, "Expired"));
            break;
        case 3:
            bytes = framed("BOOKMARK", enveloped("v1", "Pod", {}));
            break;
        case 4:
            bytes = framed("\xff\x1b[2J", enveloped("v1", "Lie", "\xff"));
            break;
        default:
            break;
        }
        return {"a wrong event: " + std::to_string(which), std::move(bytes)};
    }
};

constexpr std::string_view json_type = "application/json";

} // namespace

std::unique_ptr<event_lies> make_protobuf_lies() { return std::make_unique<protobuf_lies>(); }

bool is_protobuf_list(std::string_view body)
{
    // The type comes first and is short.
    return body.starts_with(std::string_view("k8s\0", head_bytes)) &&
           body.substr(0, 100).find("List\x12") != std::string_view::npos;
}

false_list falsified_list(detail::random_source& random, std::string body)
{
    const std::string type(detail::protobuf_type);
    switch (below(random, 9)) {
    case 0:
        // Without the two empty fields at its end a list is complete.
        body.resize(below(random, body.size() - tail_bytes));
        return {"cut", std::move(body), type};
    case 1:
        return {"protobuf that is called JSON", std::move(body), std::string(json_type)};
    case 2:
        return {"JSON that is called protobuf", R"({"kind":"PodList","apiVersion":"v1","items":[]})", type};
    case 3:
        return {"a wrong magic number", "K" + body.substr(1), type};
    case 4:
        return {"of another kind", enveloped("v1", "LimitRangeList", field(1, list_meta(far_ahead))), type};
    case 5:
        return {"a Status", status(410, "Expired"), type};
    case 6:
        return {"a type that is no list", enveloped("v1", "Pod", untrue()), type};
    case 7:
        return {"encoded", with_tail(std::move(body), "gzip", ""), type};
    default:
        return {"with bytes of another document behind it", body + "\x0a", type};
    }
}

} // namespace kubecoro::simulation
