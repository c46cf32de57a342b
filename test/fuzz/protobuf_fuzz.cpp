// Decodes arbitrary bytes as protobuf: a list, a watch, an object, and an object inside of a list and a watch. Chunking
// must not change the result, all readers must agree, limits must hold, and a second way through protobuf must change
// nothing.
#include "fuzz.hpp"
#include "json_relations.hpp"
#include "list_checks.hpp"
#include "watch_checks.hpp"

#include "protobuf/object_reader.hpp"

#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/api/status.hpp>
#include <kubecoro/test/protobuf_bytes.hpp>

#include <string>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

constexpr wire_form protobuf = wire_form::protobuf;

/// Members are named in JSON, and empty elements of a list may have some that are null.
constexpr std::size_t most_text_per_byte = 200;
/// The front of an object, and names of its type.
constexpr std::size_t fixed_text = 1024;

std::size_t depth_of(value_view v)
{
    std::size_t deepest = 0;
    for (const auto& [key, value] : v.members()) deepest = std::max(deepest, depth_of(value));
    for (const value_view item : v.items()) deepest = std::max(deepest, depth_of(item));
    return deepest + (v.is_object() || v.is_array());
}

result<object> decoded(std::string_view bytes, const decode_options& options = {})
{
    auto o = decode_object(bytes, options, {}, protobuf);
    fuzz::require(o || (o.error() == cond::corrupt && !o.error().message().empty()), "a failure says why");
    return o;
}

/// Returns the only event of a watch.
watch_event event_of(std::string_view type, std::string_view object)
{
    const std::string frame = test::framed(type, object);
    auto all = fuzz::check_watch(frame, {}, protobuf);
    fuzz::require(!all.failed && all.events.size() == 1, "an object that is decoded alone is decoded in a watch");
    return std::move(all.events.front());
}

void check_in_watch(std::string_view bytes, const object& alone)
{
    for (const std::string_view type : {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "RENAMED"}) {
        const auto event = event_of(type, bytes);
        fuzz::require(event.obj.root() == alone.root() && event.obj.is_partial() == alone.is_partial(),
                      "a watch has the same object");
    }
    fuzz::require(event_of("ERROR", bytes).status->message == read_status(alone.root()).message,
                  "a watch has the same Status");
}

void check_in_list(std::string_view bytes, const object& alone)
{
    const auto envelope = read_envelope(bytes);
    const std::string kind = std::string(alone.kind()) + "List";
    const auto* own = builtin_schemas::find(alone.api_version(), alone.kind());
    const auto* list = builtin_schemas::find(alone.api_version(), kind);
    const auto* field = list == nullptr ? nullptr : builtin_schemas::find_field(list->message, "items");
    if (field == nullptr || field->message != own->message) return;
    const std::string items =
        test::field(1, test::list_meta("7")) + test::field(2, envelope->content) + test::field(2, envelope->content);
    const auto page = fuzz::check_list(test::enveloped(alone.api_version(), kind, items), {}, {}, protobuf);
    fuzz::require(page && page->items.size() == 2, "an object that is decoded alone is decoded in a list");
    for (const auto& item : page->items)
        fuzz::require(item.root() == alone.root() && item.is_partial() == alone.is_partial(),
                      "a list has the same object");
}

void check_text(const object& o, std::size_t size)
{
    const std::string text = o.to_text();
    fuzz::require(text.size() <= fixed_text + most_text_per_byte * size, "the text is bounded by the message");
    fuzz::require(o.bytes() <= fixed_text + most_text_per_byte * size, "the memory is bounded by the message");
    fuzz::require(depth_of(o.root()) <= decode_limits{}.max_depth, "the depth is bounded");
    fuzz::require(test::same_json(test::oracle(text), o.to_json()), "Boost.JSON reads the text as the same value");
    const auto parsed = object::parse(text);
    fuzz::require(parsed && parsed->root() == o.root(), "our scanner reads the text as the same value");
    test::read_everything(o.root());
}

void check_vocabulary(std::string_view bytes, const object& alone)
{
    const auto shared = make_object_encoding();
    // Texts and containers need several sightings before they are shared.
    for (int i = 0; i < 6; ++i) {
        const auto numbered = decode_object(bytes, {}, shared, protobuf);
        fuzz::require(numbered && numbered->root() == alone.root() && numbered->is_partial() == alone.is_partial(),
                      "a vocabulary does not change an object");
    }
}

/// The last object is the former state of each.
class last_object final : public known_objects, public former_objects
{
public:
    [[nodiscard]] object find(object_key_view, std::string_view, std::string_view) const override { return {}; }
    [[nodiscard]] object former(object_key_view) const override { return last; }

    object last;
};

void check_former(std::string_view bytes, const object& alone)
{
    const auto known = std::make_shared<last_object>();
    watch_decoder decoder({}, make_object_encoding(), known, protobuf);
    const std::string frame = test::framed("MODIFIED", bytes);
    for (int i = 0; i < 3; ++i) {
        std::vector<watch_event> events;
        fuzz::require(decoder.feed(frame, events) && events.size() == 1,
                      "an object that is decoded alone is decoded again");
        known->last = events[0].obj;
        fuzz::require(known->last.root() == alone.root() && known->last.is_partial() == alone.is_partial(),
                      "a former state does not change an object");
    }
}

/// Returns the object after another way through protobuf; null if it has a time that JSON cannot express, or a text that is no quantity.
object again(const object& o)
{
    const auto bytes = to_protobuf(o.to_json());
    if (!bytes) {
        const auto why = bytes.error().message();
        fuzz::require(why.find("RFC 3339") != why.npos || why.find("a quantity") != why.npos,
                      "JSON that came from protobuf can be written as protobuf");
        return {};
    }
    auto read = decoded(*bytes);
    fuzz::require(read.has_value() && !read->is_partial(), "what the writer wrote is read");
    return *read;
}

void check_round_trip(const object& o)
{
    const object once = again(o);
    if (!once) return;
    fuzz::require(fuzz::keeps(o.to_json(), once.to_json()), "a way through protobuf adds nothing but zeros");
    const object twice = again(once);
    fuzz::require(twice && twice.root() == once.root(), "a second way through protobuf changes nothing");
}

void check_limits(std::string_view bytes)
{
    const decode_options shallow{.limits = {.max_depth = 6}};
    if (const auto o = decoded(bytes, shallow)) fuzz::require(depth_of(o->root()) <= 6, "the limit of depth holds");
    const decode_options small{.limits = {.max_object_bytes = 64}};
    if (const auto o = decoded(bytes, small)) fuzz::require(o->bytes() <= fixed_text, "the limit of size holds");
}

void check_object(std::string_view bytes)
{
    check_limits(bytes);
    const auto o = decoded(bytes);
    const auto body = decode_protobuf_body(bytes, "v1", "Pod", {});
    if (!o) return;
    fuzz::require(body && (body->root() == o->root() || o->kind() == "DeleteOptions"), "a body is the same object");
    check_text(*o, bytes.size());
    check_vocabulary(bytes, *o);
    check_former(bytes, *o);
    check_in_watch(bytes, *o);
    check_in_list(bytes, *o);
    if (!o->is_partial()) check_round_trip(*o);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes = fuzz::text(data, size);
    static const auto known = std::make_shared<const fuzz::version_1_is_known>();
    const decode_options small{.limits = {.max_object_bytes = 64}};
    const decode_options pruned{.prune = {.keep = {"spec", "*.*.name"}, .drop = {"spec.a", "spec.*.b"}}};
    for (const auto& options : {decode_options{}, small, pruned}) {
        (void)fuzz::check_list(bytes, options, {}, protobuf);
        fuzz::check_watch_both_ways(bytes, options, protobuf);
    }
    (void)fuzz::check_list(bytes, {}, known, protobuf);
    check_object(bytes);
    return 0;
}
