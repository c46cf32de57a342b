#include "record/recording_file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace kubecoro::detail {
namespace {

/// Bytes that wait for the thread.
constexpr std::size_t most_waiting = std::size_t{32} * 1024 * 1024;
constexpr std::size_t most_spares = 8;
/// Bytes for which the thread is woken at once.
constexpr std::size_t worth_waking = std::size_t{256} * 1024;
constexpr std::chrono::milliseconds longest_wait{200};
constexpr std::chrono::seconds longest_end{5};
constexpr std::uint64_t smallest_file = 4096;
/// Bytes of a record that a later file repeats.
constexpr std::size_t most_repeated = 1024;

int create_file(const std::string& file)
{
    const auto former = file + ".1";
    if (std::rename(file.c_str(), former.c_str()) != 0 && errno != ENOENT) return -1;
    return ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

/// Bytes for one file. A piece that begins a file closes the one before.
struct piece
{
    bool begins = false;
    std::string bytes = {};
};

} // namespace

file_calls file_calls::system()
{
    return {create_file, [](int fd, const char* at, std::size_t n) { return ::write(fd, at, n); },
            [](int fd) { ::close(fd); }};
}

struct recording_file::state
{
    state(const recording_options& o, file_calls c)
        : options(o),
          calls(std::move(c)),
          time(o.time ? o.time : real_clock()),
          begin(time->now()),
          begin_wall(time->wall_now())
    {
        options.max_bytes = std::max(options.max_bytes, smallest_file);
    }

    // All but run() and its helpers: with the mutex held.

    [[nodiscard]] std::chrono::microseconds now() const
    {
        return std::chrono::duration_cast<std::chrono::microseconds>(time->now() - begin);
    }

    void begin_file()
    {
        waiting.push_back({true, recording_head(begin_wall, ++part)});
        in_file = waiting.back().bytes.size();
        waiting_bytes += in_file;
        for (const auto& [id, texts] : open)
            for (const auto& [kind, text] : texts) put(kind, id, text, {});
    }

    void put(record_kind kind, std::uint64_t id, std::string_view first, std::string_view second)
    {
        if (waiting.empty() || waiting.back().bytes.size() >= worth_waking) add_piece();
        auto& out = waiting.back().bytes;
        const auto before = out.size();
        append_record(out, kind, now(), id, first, second);
        const auto more = out.size() - before;
        in_file += more;
        waiting_bytes += more;
        done.bytes += more;
    }

    /// Pieces of one size, whose memory is used again: that of new ones costs as much as the copy.
    void add_piece()
    {
        waiting.emplace_back();
        auto& bytes = waiting.back().bytes;
        if (!spares.empty()) {
            bytes = std::move(spares.back());
            spares.pop_back();
        }
        bytes.reserve(2 * worth_waking);
    }

    [[nodiscard]] bool has_room(std::size_t content)
    {
        // Room for the record that says that others are missing, and for the one that ends the file.
        if (in_file + content + 3 * record_overhead <= options.max_bytes) return true;
        const bool would_fit = content + 4 * record_overhead <= options.max_bytes;
        if (options.rotate && would_fit) {
            begin_file();
            return in_file + content + 3 * record_overhead <= options.max_bytes;
        }
        if (options.rotate) return false;
        put(record_kind::full, 0, {}, {});
        done.full = true;
        return false;
    }

    void add(record_kind kind, std::uint64_t id, std::string_view first, std::string_view second)
    {
        const auto content = first.size() + second.size();
        if (done.failed || done.full || waiting_bytes + content > most_waiting || !has_room(content)) {
            ++done.lost;
            ++missing;
            return;
        }
        if (missing != 0) put(record_kind::lost, 0, std::to_string(std::exchange(missing, 0)), {});
        put(kind, id, first, second);
    }

    void repeat_later(std::uint64_t id, record_kind kind, std::string_view text)
    {
        if (options.rotate && !done.failed && text.size() <= most_repeated)
            open[id].emplace_back(kind, std::string(text));
    }

    void write_all();
    [[nodiscard]] bool write(const piece& p);
    void fail(const char* doing);

    recording_options options;
    file_calls calls;
    std::shared_ptr<time_source> time;
    time_point begin;
    wall_time begin_wall;

    mutable std::mutex mutex;
    std::condition_variable news;
    std::condition_variable over;
    std::deque<piece> waiting = {};
    std::vector<std::string> spares = {};
    std::size_t waiting_bytes = 0;
    std::uint64_t in_file = 0;
    std::uint64_t part = 0;
    std::uint64_t last_id = 0;
    std::uint64_t missing = 0;
    /// Records that a later file begins with, of requests in progress.
    std::map<std::uint64_t, std::vector<std::pair<record_kind, std::string>>> open = {};
    recording_stats done = {};
    bool stopping = false;
    bool stopped = false;
    bool full_is_logged = false;
    /// Used by the thread alone.
    int fd = -1;
};

void recording_file::state::fail(const char* doing)
{
    const std::string why = std::strerror(errno);
    {
        const std::lock_guard lock(mutex);
        done.failed = true;
        waiting.clear();
        waiting_bytes = 0;
        open.clear();
    }
    options.log.warning("the recording has ended: its file cannot be written",
                        {{"file", options.file}, {"doing", doing}, {"error", why}});
}

bool recording_file::state::write(const piece& p)
{
    if (p.begins) {
        if (fd >= 0) calls.close(fd);
        fd = calls.create(options.file);
        if (fd < 0) {
            fail("create");
            return false;
        }
    }
    std::string_view rest = p.bytes;
    while (!rest.empty()) {
        const auto n = calls.write(fd, rest.data(), rest.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            if (n == 0) errno = ENOSPC;
            fail("write");
            return false;
        }
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

void recording_file::state::write_all()
{
    std::unique_lock lock(mutex);
    for (bool sound = true; sound;) {
        news.wait(lock, [this] { return stopping || !waiting.empty(); });
        if (!stopping) news.wait_for(lock, longest_wait, [this] { return stopping || waiting_bytes >= worth_waking; });
        if (waiting.empty() && stopping) break;
        auto pieces = std::exchange(waiting, {});
        waiting_bytes = 0;
        const bool says_full = done.full && !std::exchange(full_is_logged, done.full);
        lock.unlock();
        if (says_full)
            options.log.warning("the recording has ended: its file has reached the limit",
                                {{"file", options.file}, {"limit", std::to_string(options.max_bytes)}});
        sound = std::all_of(pieces.begin(), pieces.end(), [this](const auto& p) { return write(p); });
        lock.lock();
        for (auto& p : pieces) {
            if (spares.size() == most_spares) break;
            p.bytes.clear();
            spares.push_back(std::move(p.bytes));
        }
    }
    if (fd >= 0) calls.close(fd);
    stopped = true;
    over.notify_all();
}

recording_file::recording_file(const recording_options& options, file_calls calls)
    : state_(std::make_shared<state>(options, std::move(calls)))
{
    state_->begin_file();
    try {
        // Not joined: it owns what it uses, and no shutdown waits for a disk that hangs.
        std::thread([s = state_] { s->write_all(); }).detach();
    } catch (const std::system_error& e) {
        errno = e.code().value();
        state_->stopped = true;
        state_->fail("start a thread");
    }
}

recording_file::~recording_file()
{
    std::unique_lock lock(state_->mutex);
    state_->stopping = true;
    state_->news.notify_all();
    state_->over.wait_for(lock, longest_end, [this] { return state_->stopped; });
}

template<class Add>
void recording_file::submit(Add add) noexcept
{
    auto& s = *state_;
    const std::lock_guard lock(s.mutex);
    const bool was_idle = s.waiting.empty();
    try {
        add(s);
    } catch (...) {
        ++s.done.lost;
    }
    if (was_idle || s.waiting_bytes >= worth_waking) s.news.notify_one();
}

std::uint64_t recording_file::begin(std::string_view request, std::string_view body) noexcept
{
    std::uint64_t id = 0;
    submit([&](state& s) {
        id = ++s.last_id;
        s.add(record_kind::request, id, request, body);
        s.repeat_later(id, record_kind::request, request);
    });
    return id;
}

void recording_file::answer(std::uint64_t id, std::string_view head) noexcept
{
    submit([&](state& s) {
        s.add(record_kind::answer, id, head, {});
        s.repeat_later(id, record_kind::answer, head);
    });
}

void recording_file::data(std::uint64_t id, std::string_view bytes) noexcept
{
    submit([&](state& s) { s.add(record_kind::data, id, bytes, {}); });
}

void recording_file::end(std::uint64_t id, std::string_view why) noexcept
{
    submit([&](state& s) {
        s.open.erase(id);
        s.add(record_kind::end, id, why, {});
    });
}

recording_stats recording_file::stats() const
{
    const std::lock_guard lock(state_->mutex);
    return state_->done;
}

} // namespace kubecoro::detail
