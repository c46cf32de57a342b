#include "json/scan_value.hpp"

#include "json/json_scanner.hpp"
#include "json/tape_sink.hpp"

namespace kubecoro::detail {

scanned scan_value(std::string_view json, pruned_tape& out, bool behind_key)
{
    json_scanner scanner(json_scanner::most_levels);
    if (behind_key) scanner.begin_behind_key();
    tape_sink sink(out, json.size());
    const char* at = json.data();
    const char* const end = at + json.size();
    auto o = scanner.run(at, end, sink);
    while (o == json_scanner::outcome::stopped && sink.take_left_out()) {
        scanner.skip(1);
        o = scanner.run(at, end, sink);
    }
    if (o == json_scanner::outcome::unfinished) o = scanner.finish(sink);
    if (o == json_scanner::outcome::stopped) return scanned::too_large;
    return o == json_scanner::outcome::complete && at == end ? scanned::complete : scanned::malformed;
}

} // namespace kubecoro::detail
