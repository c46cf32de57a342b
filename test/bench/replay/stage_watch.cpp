// The watches of a stage.
#include "stage.hpp"

#include "chunks.hpp"
#include "pacing.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

namespace kubecoro::bench {
namespace {

/// Maximum bytes before an object in an event.
constexpr std::size_t event_head_bytes = 160;
/// Objects whose heads are prepared together when many are sent.
constexpr std::size_t objects_at_once = 256;

} // namespace

bool stage::answer_watch(channel& to, const http_request& request, encoding& with, object_range range)
{
    watch w{to, with, range, request.flag("allowWatchBookmarks")};
    const std::string http = chunked_head(with.around->watch_type());
    {
        // The head is written under the lock as well: a client that has it receives all later events. The
        // connections of several namespaces write their initial events at the same time.
        const auto lock = lock_for_reading();
        w.broken = !to.write(std::string_view(http));
        ++watched_;
        begin(w, request);
        const std::lock_guard adding(adding_);
        watches_.push_back(&w);
        ++open_;
    }
    const bool goes_on = keep_open(w, request);
    const auto lock = lock_for_change();
    std::erase(watches_, &w);
    --open_;
    return goes_on;
}

void stage::begin(watch& w, const http_request& request)
{
    const std::uint64_t version = request.number("resourceVersion").value_or(0);
    const bool asked = request.flag("sendInitialEvents");
    std::vector<std::uint32_t> objects;
    if (asked || (version == 0 && request.parameter("sendInitialEvents").empty())) {
        objects.resize(w.range.last - w.range.first);
        std::iota(objects.begin(), objects.end(), w.range.first);
        send(w, "ADDED", objects);
        if (w.bookmarks) send_text(w, w.with.around->bookmark(time_.version(), true));
    } else if (version != 0 && version < time_.oldest()) {
        send_text(w, w.with.around->expired(version, time_.oldest()));
        end(w);
    } else if (version != 0) {
        for (const timeline::event& e : time_.since(version)) objects.push_back(e.object);
        send_covered(w, "MODIFIED", objects);
    }
}

bool stage::keep_open(watch& w, const http_request& request)
{
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    const std::uint64_t seconds = request.number("timeoutSeconds").value_or(0);
    // Without a limit from the client: an hour, the maximum of a server.
    const auto deadline = start + std::chrono::seconds(seconds == 0 ? 3600 : std::min<std::uint64_t>(seconds, 86'400));
    auto bookmark = w.bookmarks ? start + options_.bookmark_interval : clock::time_point::max();
    while (true) {
        const auto left = std::min(deadline, bookmark) - clock::now();
        const bool readable = w.to.wait_readable(std::chrono::ceil<std::chrono::milliseconds>(left));
        const auto lock = lock_for_change();
        if (w.broken) return false;
        if (w.ended) return true;
        // A client that sends during a watch has left, or is not one of the bench.
        if (readable) return false;
        const auto now = clock::now();
        if (now >= deadline) {
            end(w);
            return !w.broken;
        }
        if (now >= bookmark) {
            send_text(w, w.with.around->bookmark(time_.version(), false));
            bookmark += options_.bookmark_interval;
        }
    }
}

void stage::send_covered(watch& w, std::string_view type, std::span<const std::uint32_t> objects)
{
    if (w.range.last - w.range.first == w.with.objects.size()) return send(w, type, objects);
    std::vector<std::uint32_t> covered;
    covered.reserve(objects.size());
    std::copy_if(objects.begin(), objects.end(), std::back_inserter(covered),
                 [&](std::uint32_t object) { return w.range.contains(object); });
    send(w, type, covered);
}

void stage::send(watch& w, std::string_view type, std::span<const std::uint32_t> objects)
{
    std::string heads;
    heads.reserve(std::min(objects.size(), objects_at_once) * event_head_bytes);
    std::vector<std::string_view> parts;
    while (!objects.empty() && !w.broken) {
        const auto some = objects.first(std::min(objects.size(), objects_at_once));
        objects = objects.subspan(some.size());
        heads.clear();
        parts.clear();
        for (const std::uint32_t number : some) {
            const std::string_view object = w.with.objects.event_object(number);
            const std::size_t at = heads.size();
            w.with.around->append_event_head(heads, type, object.size());
            parts.push_back(std::string_view(heads).substr(at));
            parts.push_back(object);
            parts.push_back(w.with.around->event_tail());
        }
        chunk_list body;
        body.add(parts);
        w.broken = !body.write(w.to);
        bytes_ += body.bytes();
        events_ += some.size();
    }
}

void stage::send_text(watch& w, std::string_view event)
{
    chunk_list body;
    body.add({event});
    w.broken = w.broken || !body.write(w.to);
    bytes_ += body.bytes();
}

void stage::end(watch& w)
{
    w.broken = w.broken || !w.to.write(last_chunk);
    w.ended = true;
}

void stage::send_batch(std::span<const std::uint32_t> objects)
{
    for (encoding& e : encodings_) {
        bool watched = false;
        for (const watch* w : watches_) watched = watched || (&w->with == &e && !w->ended && !w->broken);
        if (!watched) continue;
        for (const std::uint32_t number : objects) e.objects.stamp(number, monotonic_nanoseconds());
        for (watch* const w : watches_) {
            if (&w->with != &e || w->ended || w->broken) continue;
            send_covered(*w, "MODIFIED", objects);
            if (w->broken) w->to.shut_down();
        }
    }
}

} // namespace kubecoro::bench
