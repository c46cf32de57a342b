// The logs of containers, which no kubelet writes: tests set them.
#pragma once

#include <kubecoro/apiserver/cluster_options.hpp>
#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace kubecoro::apiserver {

/// A piece of a log: a line, or a part of one.
struct log_entry
{
    /// The time at which it was written.
    wall_time time;
    /// Ends with a newline, unless the line continues with the next entry.
    std::string text;
};

/// A change of a container's log.
enum class log_change
{
    /// Appends the text.
    append,
    /// Appends the text; then the container has ended, and streams that follow its log end.
    end,
    /// The present log becomes the previous one; the text begins another.
    restart
};

/** The output of one run of a container: entries numbered without gaps, the oldest of which are dropped beyond a bound.
    A copy is independent. */
class container_run
{
public:
    /// Appends a text, one entry per line.
    void append(std::string_view text, wall_time now);
    /// The run has ended: nothing more comes.
    void end() noexcept { ended_ = true; }
    /// Whether end() was called.
    [[nodiscard]] bool ended() const noexcept { return ended_; }
    /// Entries are numbered in [first(), last()).
    [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
    /// The number that the next entry will have.
    [[nodiscard]] std::uint64_t last() const noexcept { return first_ + entries_.size(); }
    /// The entry with a number, which must be in [first(), last()).
    [[nodiscard]] const log_entry& at(std::uint64_t number) const { return entries_[number - first_]; }
    /// Bytes of all entries, with what each costs by itself.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    /// Drops the oldest entry, if there is one.
    void forget_oldest();

private:
    std::deque<log_entry> entries_;
    std::uint64_t first_ = 0;
    std::size_t bytes_ = 0;
    bool ended_ = false;
};

/** The present and the previous run of each container, by the pod's uid. Strand-confined, like the cluster state that
    owns it. */
class container_logs
{
public:
    /// @param limits  See cluster_options::log_limits.
    explicit container_logs(cluster_options::log_limits limits = {}) : limits_(limits) {}
    container_logs(const container_logs&) = delete;
    container_logs& operator=(const container_logs&) = delete;

    /// Returns the present run; begins one if there is none. It stays readable after it was replaced or dropped.
    [[nodiscard]] std::shared_ptr<const container_run> open(const std::string& uid, const std::string& container);
    /// Appends to the present run.
    void append(const std::string& uid, const std::string& container, std::string_view text, wall_time now);
    /// Ends the present run: streams that follow it end.
    void end(const std::string& uid, const std::string& container);
    /// Ends the present run, which becomes the previous one, and begins another.
    void restart(const std::string& uid, const std::string& container);
    /// Ends and drops the logs of a pod.
    void forget(const std::string& uid);

    /// Returns the run before; null if there is none.
    [[nodiscard]] std::shared_ptr<const container_run> previous(const std::string& uid,
                                                                const std::string& container) const;
    /// Bytes of all runs.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    struct kept_run : container_run
    {
        /// Counts the runs: orders those of one size.
        std::uint64_t number = 0;
    };
    struct runs
    {
        std::shared_ptr<kept_run> present;
        std::shared_ptr<kept_run> previous;
    };
    class resizing;
    runs& runs_of(const std::string& uid, const std::string& container);
    [[nodiscard]] std::shared_ptr<kept_run> begin_run();
    void drop(const std::shared_ptr<kept_run>& run);
    [[nodiscard]] kept_run& longest(kept_run& written) const;
    void bound(kept_run& written);

    cluster_options::log_limits limits_;
    std::map<std::pair<std::string, std::string>, runs> runs_;
    /// All runs by their bytes.
    std::set<std::tuple<std::size_t, std::uint64_t, kept_run*>> by_bytes_;
    std::uint64_t next_number_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace kubecoro::apiserver
