// Decodes arbitrary text as a watch response: chunking must not change the events, with and without pruning and known
// objects.
#include "fuzz.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/test/read_everything.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

struct outcome
{
    std::vector<watch_event> events;
    bool failed = false;
};

/// Holds the objects of an earlier decoding, as a store does.
class memory final : public known_objects
{
public:
    explicit memory(const std::vector<watch_event>& events)
    {
        for (const auto& e : events)
            if (e.obj) objects_.emplace(name_of(e.obj.key(), e.obj.uid(), e.obj.resource_version()), e.obj);
    }
    [[nodiscard]] object find(object_key_view key, std::string_view uid, std::string_view version) const override
    {
        const auto at = objects_.find(name_of(key, uid, version));
        return at == objects_.end() ? object() : at->second;
    }
    [[nodiscard]] bool has(const object& o) const
    {
        return o && find(o.key(), o.uid(), o.resource_version()).is_same(o);
    }

private:
    using name = std::tuple<std::string, std::string, std::string, std::string>;
    static name name_of(object_key_view key, std::string_view uid, std::string_view version)
    {
        return {std::string(key.ns), std::string(key.name), std::string(uid), std::string(version)};
    }

    std::map<name, object> objects_;
};

outcome decode(std::string_view text, std::size_t chunk, const decode_options& options,
               const std::shared_ptr<const memory>& known = {})
{
    outcome all;
    watch_decoder decoder(options, {}, known);
    for (; !all.failed && !text.empty(); text.remove_prefix(std::min(chunk, text.size())))
        all.failed = !decoder.feed(text.substr(0, chunk), all.events);
    all.failed = !decoder.finish() || all.failed;
    return all;
}

outcome check(std::string_view text, const decode_options& options, const std::shared_ptr<const memory>& known = {})
{
    outcome whole = decode(text, text.size() + 1, options, known);
    const outcome parts = decode(text, fuzz::chunk_of(text.size()), options, known);
    fuzz::require(whole.failed == parts.failed, "chunking does not affect whether a stream is accepted");
    fuzz::require(whole.events.size() == parts.events.size(), "chunking does not change the number of events");
    for (std::size_t i = 0; i < whole.events.size(); ++i) {
        const watch_event& a = whole.events[i];
        const watch_event& b = parts.events[i];
        fuzz::require(a.type == b.type && a.unknown_type == b.unknown_type && a.status.message == b.status.message &&
                          a.obj.to_text() == b.obj.to_text() && !a.left_out == !b.left_out &&
                          (!a.left_out || a.left_out->key == b.left_out->key),
                      "chunking does not change an event");
        test::read_everything(a.obj.root());
    }
    return whole;
}

/// Decodes a streamed list with many known objects.
void check_recognition(std::string_view text, const decode_options& options, const outcome& plain)
{
    const auto known = std::make_shared<const memory>(plain.events);
    const outcome again = check(text, options, known);
    // Known objects are skipped, so a broken remainder may be accepted; the reverse must not happen.
    fuzz::require(plain.failed || !again.failed, "a known object is not rejected");
    fuzz::require(plain.failed || plain.events.size() == again.events.size(), "known objects are reported");
    bool initial = true;
    for (const auto& e : again.events) {
        fuzz::require(initial || !known->has(e.obj), "after the initial events everything is encoded");
        initial = initial && !e.ends_initial_events();
    }
}

void check_both_ways(std::string_view text, const decode_options& options)
{
    check_recognition(text, options, check(text, options));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::text(data, size);
    check_both_ways(text, {});
    check(text, {.limits = {.max_object_bytes = 64}});
    check_both_ways(text, {.prune = {.keep = {"spec", "*.*.name"}, .drop = {"spec.a", "spec.*.b"}}});
    return 0;
}
