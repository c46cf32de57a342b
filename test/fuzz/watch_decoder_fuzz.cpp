// Decodes arbitrary text as a watch response: chunking must not change the events, with and without pruning and known
// objects.
#include "watch_checks.hpp"

using namespace kubecoro;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::text(data, size);
    fuzz::check_watch_both_ways(text, {}, wire_form::json);
    fuzz::check_watch(text, {.limits = {.max_object_bytes = 64}}, wire_form::json);
    fuzz::check_watch_both_ways(text, {.prune = {.keep = {"spec", "*.*.name"}, .drop = {"spec.a", "spec.*.b"}}},
                                wire_form::json);
    return 0;
}
