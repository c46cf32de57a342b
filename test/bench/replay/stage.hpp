// The objects as the server's clients see them: lists, watches, and the events that the bench requests.
#pragma once

#include "channel.hpp"
#include "envelope.hpp"
#include "http_request.hpp"
#include "image.hpp"
#include "timeline.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

namespace kubecoro::bench {

/// One encoding of all objects and its framing.
struct encoding
{
    image objects;
    std::unique_ptr<envelope> around;
    /// Accept values that select it, the first being its own name.
    std::vector<std::string_view> media_types;
};

/// The objects [first, last).
struct object_range
{
    std::uint32_t first = 0;
    std::uint32_t last = 0;

    [[nodiscard]] bool contains(std::uint32_t object) const { return first <= object && object < last; }
};

/// The objects of each namespace.
using namespace_ranges = std::map<std::string, object_range, std::less<>>;

struct stage_options
{
    /// The interval of bookmarks for a watch that requested them.
    std::chrono::milliseconds bookmark_interval{60'000};
    /// Bytes of events that are written together when they are not paced.
    std::size_t batch_bytes = 128 * 1024;
};

/// Counters since the start.
struct stage_counts
{
    std::uint64_t lists = 0;
    std::uint64_t watches = 0;
    std::uint64_t bytes = 0;
    std::uint64_t events = 0;
    std::uint64_t open_watches = 0;
};

/** Answers lists and watches of one resource, and plays events to the open watches.

    A read (a page, the initial events of a watch) blocks events while it is written, so that an answer is of one
    version. Any thread; a call blocks until its bytes are written. */
class stage
{
public:
    stage(std::vector<encoding> encodings, namespace_ranges namespaces, timeline time, const stage_options& options);

    /// Answers a list or a watch of a namespace, empty for all, until its end. false = the connection cannot continue.
    [[nodiscard]] bool answer(channel& to, const http_request& request, std::string_view name_space);

    struct playback
    {
        std::uint64_t sent = 0;
        double seconds = 0;
    };
    /// Sends `count` events to every open watch, `rate` a second; 0: as fast as the slowest reads them.
    playback play(std::uint64_t count, double rate);
    /// Changes a part of the objects without events, ends all watches with 410, and forgets all older versions.
    std::uint64_t expire(double percent);

    [[nodiscard]] stage_counts counts() const;

private:
    struct watch
    {
        channel& to;
        encoding& with;
        object_range range;
        bool bookmarks = false;
        /// No further writes: it ended properly, or is broken.
        bool ended = false;
        bool broken = false;
    };

    /// Takes the lock as a writer, and gets it between the batches of play().
    [[nodiscard]] std::unique_lock<std::shared_mutex> lock_for_change();
    [[nodiscard]] std::shared_lock<std::shared_mutex> lock_for_reading();

    [[nodiscard]] encoding* choose(std::string_view accept);
    [[nodiscard]] object_range range_of(std::string_view name_space) const;
    bool answer_list(channel& to, const http_request& request, encoding& with, object_range range);
    bool answer_watch(channel& to, const http_request& request, encoding& with, object_range range);
    /// Writes the initial events, the missed events, or an expiry; then it is an open watch.
    void begin(watch& w, const http_request& request);
    /// Whether the connection can take another request.
    bool keep_open(watch& w, const http_request& request);
    /// Sends those of the objects that the watch covers.
    void send_covered(watch& w, std::string_view type, std::span<const std::uint32_t> objects);
    void send(watch& w, std::string_view type, std::span<const std::uint32_t> objects);
    void send_text(watch& w, std::string_view event);
    void end(watch& w);

    void change(std::uint64_t count, std::vector<std::uint32_t>& objects);
    void send_batch(std::span<const std::uint32_t> objects);

    stage_options options_;
    std::shared_mutex mutex_;
    std::atomic<int> waiting_{0};
    std::vector<encoding> encodings_;
    namespace_ranges namespaces_;
    timeline time_;
    /// Also guarded by adding_, because readers of the objects add to it.
    std::vector<watch*> watches_;
    std::mutex adding_;
    std::atomic<std::uint64_t> lists_{0}, watched_{0}, bytes_{0}, events_{0}, open_{0};
};

} // namespace kubecoro::bench
