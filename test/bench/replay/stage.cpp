#include "stage.hpp"

#include "chunks.hpp"
#include "http_service.hpp"
#include "pacing.hpp"

#include <algorithm>
#include <charconv>
#include <thread>

namespace kubecoro::bench {
namespace {

/// A list's continue token: its version and the first object of the next page.
struct page_token
{
    std::uint64_t version = 0;
    std::uint32_t next = 0;
};

std::string token_text(const page_token& t) { return std::to_string(t.version) + "-" + std::to_string(t.next); }

std::optional<page_token> parse_token(std::string_view text)
{
    page_token out;
    const char* const end = text.data() + text.size();
    const auto version = std::from_chars(text.data(), end, out.version);
    if (version.ec != std::errc() || version.ptr == end || *version.ptr != '-') return std::nullopt;
    const auto next = std::from_chars(version.ptr + 1, end, out.next);
    if (next.ec != std::errc() || next.ptr != end) return std::nullopt;
    return out;
}

bool refuse(channel& to, int code, std::string_view reason, std::string_view message)
{
    return write_answer(to, code, "application/json", status_json(code, reason, message) + "\n");
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

} // namespace

stage::stage(std::vector<encoding> encodings, namespace_ranges namespaces, timeline time, const stage_options& options)
    : options_(options), encodings_(std::move(encodings)), namespaces_(std::move(namespaces)), time_(std::move(time))
{
}

std::unique_lock<std::shared_mutex> stage::lock_for_change()
{
    ++waiting_;
    std::unique_lock lock(mutex_);
    --waiting_;
    return lock;
}

std::shared_lock<std::shared_mutex> stage::lock_for_reading()
{
    ++waiting_;
    std::shared_lock lock(mutex_);
    --waiting_;
    return lock;
}

encoding* stage::choose(std::string_view accept)
{
    if (accept.empty()) return &encodings_.front();
    while (!accept.empty()) {
        const std::size_t comma = std::min(accept.find(','), accept.size());
        std::string_view value = accept.substr(0, comma);
        accept.remove_prefix(std::min(comma + 1, accept.size()));
        // Forms derived from objects (tables, metadata only) are skipped: the client's next choice is used.
        if (value.find("as=") != std::string_view::npos) continue;
        value = trimmed(value.substr(0, value.find(';')));
        for (encoding& e : encodings_)
            if (std::find(e.media_types.begin(), e.media_types.end(), value) != e.media_types.end()) return &e;
    }
    return nullptr;
}

object_range stage::range_of(std::string_view name_space) const
{
    if (name_space.empty()) return {0, encodings_.front().objects.size()};
    const auto known = namespaces_.find(name_space);
    return known == namespaces_.end() ? object_range{} : known->second;
}

bool stage::answer(channel& to, const http_request& request, std::string_view name_space)
{
    encoding* const with = choose(request.accept);
    if (with == nullptr) return refuse(to, 406, "NotAcceptable", "none of the accepted forms is available");
    const object_range range = range_of(name_space);
    return request.flag("watch") ? answer_watch(to, request, *with, range) : answer_list(to, request, *with, range);
}

bool stage::answer_list(channel& to, const http_request& request, encoding& with, object_range range)
{
    const auto lock = lock_for_reading();
    page_token from{time_.version(), range.first};
    if (const std::string_view text = request.parameter("continue"); !text.empty()) {
        const auto token = parse_token(text);
        if (!token || !range.contains(token->next)) return refuse(to, 400, "BadRequest", "invalid continue token");
        if (token->version < time_.oldest())
            return refuse(to, 410, "Expired",
                          "The provided continue parameter is too old to display a consistent list result.");
        from = *token;
    }
    // Like a server with a watch cache: version 0 is answered completely.
    const std::uint64_t limit = request.parameter("resourceVersion") == "0" ? 0 : request.number("limit").value_or(0);
    const std::uint32_t last =
        limit == 0 || limit >= range.last - from.next ? range.last : from.next + static_cast<std::uint32_t>(limit);
    list_position page{from.version};
    if (last < range.last) {
        page.token = token_text({from.version, last});
        page.remaining = range.last - last;
    }
    const std::string_view items = with.objects.items(from.next, last);
    const std::string head = with.around->list_head(page, items.size());
    const std::string tail = with.around->list_tail(page);
    const std::string http = chunked_head(with.around->list_type());
    chunk_list body;
    body.add({head});
    body.add_long(items);
    body.add({tail});
    body.add_last();
    ++lists_;
    bytes_ += body.bytes();
    return to.write(std::string_view(http)) && body.write(to);
}

stage::playback stage::play(std::uint64_t count, double rate)
{
    using clock = std::chrono::steady_clock;
    const std::size_t object_bytes = std::max<std::size_t>(1, encodings_.front().objects.event_object(0).size());
    const std::uint64_t batch = rate > 0 ? 1 : std::max<std::size_t>(1, options_.batch_bytes / object_bytes);
    const auto start = clock::now();
    std::vector<std::uint32_t> objects;
    playback out;
    while (out.sent < count) {
        if (rate > 0)
            wait_until(start + std::chrono::duration_cast<clock::duration>(
                                   std::chrono::duration<double>(static_cast<double>(out.sent) / rate)));
        while (waiting_ > 0) std::this_thread::yield();
        const std::unique_lock lock(mutex_);
        change(std::min(batch, count - out.sent), objects);
        send_batch(objects);
        out.sent += objects.size();
    }
    out.seconds = std::chrono::duration<double>(clock::now() - start).count();
    return out;
}

std::uint64_t stage::expire(double percent)
{
    const auto lock = lock_for_change();
    const std::uint64_t before = time_.version();
    std::vector<std::uint32_t> objects;
    change(static_cast<std::uint64_t>(encodings_.front().objects.size() * std::clamp(percent, 0.0, 100.0) / 100),
           objects);
    // Even without changes the clients' versions are too old.
    if (objects.empty()) change(1, objects);
    time_.expire();
    for (watch* const w : watches_) {
        if (w->ended) continue;
        send_text(*w, w->with.around->expired(before, time_.oldest()));
        end(*w);
    }
    return objects.size();
}

void stage::change(std::uint64_t count, std::vector<std::uint32_t>& objects)
{
    objects.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
        const timeline::event event = time_.next();
        for (encoding& e : encodings_) e.objects.turn(event.object, event.version);
        objects.push_back(event.object);
    }
}

stage_counts stage::counts() const { return {lists_, watched_, bytes_, events_, open_}; }

} // namespace kubecoro::bench
