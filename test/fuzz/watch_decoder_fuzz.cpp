// Any text as a watch answer: the same events, whatever the chunks, pruned or not.
#include "fuzz.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/test/read_everything.hpp>

#include <algorithm>

using namespace kubecoro;

namespace {

struct outcome
{
    std::vector<watch_event> events;
    bool failed = false;
};

outcome decode(std::string_view text, std::size_t chunk, const decode_options& options)
{
    outcome all;
    watch_decoder decoder(options);
    for (; !all.failed && !text.empty(); text.remove_prefix(std::min(chunk, text.size())))
        all.failed = !decoder.feed(text.substr(0, chunk), all.events);
    all.failed = !decoder.finish() || all.failed;
    return all;
}

void check(std::string_view text, const decode_options& options)
{
    const outcome whole = decode(text, text.size() + 1, options);
    const outcome parts = decode(text, fuzz::chunk_of(text.size()), options);
    fuzz::require(whole.failed == parts.failed, "chunks do not decide whether a stream is accepted");
    fuzz::require(whole.events.size() == parts.events.size(), "chunks do not change the number of events");
    for (std::size_t i = 0; i < whole.events.size(); ++i) {
        const watch_event& a = whole.events[i];
        const watch_event& b = parts.events[i];
        fuzz::require(a.type == b.type && a.unknown_type == b.unknown_type && a.status.message == b.status.message &&
                          a.obj.to_text() == b.obj.to_text(),
                      "chunks do not change an event");
        test::read_everything(a.obj.root());
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::text(data, size);
    check(text, {});
    check(text, {.prune = {.keep = {"spec", "*.*.name"}, .drop = {"spec.a", "spec.*.b"}}});
    return 0;
}
