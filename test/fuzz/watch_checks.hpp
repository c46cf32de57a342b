// The properties of decoded watches, for both forms on the wire.
#pragma once

#include "fuzz.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/test/read_everything.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace fuzz {

struct watch_outcome
{
    std::vector<kubecoro::watch_event> events;
    bool failed = false;
};

/// Holds the objects of an earlier decoding, as a store does.
class memory final : public kubecoro::detail::known_objects
{
public:
    explicit memory(const std::vector<kubecoro::watch_event>& events)
    {
        for (const auto& e : events)
            if (e.obj) objects_.emplace(name_of(e.obj.key(), e.obj.uid(), e.obj.resource_version()), e.obj);
    }
    [[nodiscard]] kubecoro::object find(kubecoro::object_key_view key, std::string_view uid,
                                        std::string_view version) const override
    {
        const auto at = objects_.find(name_of(key, uid, version));
        return at == objects_.end() ? kubecoro::object() : at->second;
    }
    [[nodiscard]] bool has(const kubecoro::object& o) const
    {
        return o && find(o.key(), o.uid(), o.resource_version()).is_same(o);
    }

private:
    using name = std::tuple<std::string, std::string, std::string, std::string>;
    static name name_of(kubecoro::object_key_view key, std::string_view uid, std::string_view version)
    {
        return {std::string(key.ns), std::string(key.name), std::string(uid), std::string(version)};
    }

    std::map<name, kubecoro::object> objects_;
};

inline watch_outcome decode_watch(std::string_view text, std::size_t chunk, const kubecoro::decode_options& options,
                                  const std::shared_ptr<const memory>& known, kubecoro::wire_form form)
{
    watch_outcome all;
    kubecoro::detail::watch_decoder decoder(options, {}, known, form);
    for (; !all.failed && !text.empty(); text.remove_prefix(std::min(chunk, text.size())))
        all.failed = !decoder.feed(text.substr(0, chunk), all.events);
    all.failed = !decoder.finish() || all.failed;
    return all;
}

/// Chunking must not change the events or whether they are accepted.
inline watch_outcome check_watch(std::string_view text, const kubecoro::decode_options& options,
                                 kubecoro::wire_form form, const std::shared_ptr<const memory>& known = {})
{
    watch_outcome whole = decode_watch(text, text.size() + 1, options, known, form);
    const watch_outcome parts = decode_watch(text, chunk_of(text.size()), options, known, form);
    require(whole.failed == parts.failed, "chunking does not affect whether a stream is accepted");
    require(whole.events.size() == parts.events.size(), "chunking does not change the number of events");
    for (std::size_t i = 0; i < whole.events.size(); ++i) {
        const kubecoro::watch_event& a = whole.events[i];
        const kubecoro::watch_event& b = parts.events[i];
        require(a.type == b.type && a.unknown_type == b.unknown_type && !a.status == !b.status &&
                    (!a.status || a.status->message == b.status->message) && a.obj.to_text() == b.obj.to_text() &&
                    !a.left_out == !b.left_out && (!a.left_out || a.left_out->key == b.left_out->key) &&
                    a.passed_over == b.passed_over,
                "chunking does not change an event");
        kubecoro::test::read_everything(a.obj.root());
    }
    return whole;
}

/// Decodes a streamed list with many known objects.
inline void check_recognition(std::string_view text, const kubecoro::decode_options& options, kubecoro::wire_form form,
                              const watch_outcome& plain)
{
    const auto known = std::make_shared<const memory>(plain.events);
    const watch_outcome again = check_watch(text, options, form, known);
    // Known objects are skipped, so a broken remainder may be accepted; the reverse must not happen.
    require(plain.failed || !again.failed, "a known object is not rejected");
    require(plain.failed || plain.events.size() == again.events.size(), "known objects are reported");
    bool initial = true;
    for (const auto& e : again.events) {
        require(initial || !known->has(e.obj), "after the initial events everything is encoded");
        initial = initial && !e.ends_initial_events();
    }
}

/// The same with the objects of the first decoding as known ones.
inline watch_outcome check_watch_both_ways(std::string_view text, const kubecoro::decode_options& options,
                                           kubecoro::wire_form form)
{
    watch_outcome plain = check_watch(text, options, form);
    check_recognition(text, options, form, plain);
    return plain;
}

} // namespace fuzz
