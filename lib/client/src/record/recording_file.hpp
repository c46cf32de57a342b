// The file of a recording, and the thread that writes it.
#pragma once

#include <kubecoro/client/detail/recording.hpp>
#include <kubecoro/client/recording_transport.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Calls of the system, which tests replace.
struct file_calls
{
    /// Renames a file that is there to FILE.1, and creates an empty one. @return a descriptor, or -1 and errno.
    std::function<int(const std::string& file)> create;
    /// As write(2).
    std::function<std::ptrdiff_t(int fd, const char* at, std::size_t n)> write;
    std::function<void(int fd)> close;

    /// Those of the system.
    [[nodiscard]] static file_calls system();
};

/** Takes records without waiting and writes them on a thread of its own. Thread safe.

    Records that find no room are lost and counted: the thread is too slow, has failed, or the limit is reached. */
class recording_file
{
public:
    explicit recording_file(const recording_options& options, file_calls calls = file_calls::system());
    /// Waits at most five seconds for the thread.
    ~recording_file();
    recording_file(const recording_file&) = delete;
    recording_file& operator=(const recording_file&) = delete;

    /// The number of a new request, and its record.
    [[nodiscard]] std::uint64_t begin(std::string_view request, std::string_view body) noexcept;
    void answer(std::uint64_t id, std::string_view head) noexcept;
    void data(std::uint64_t id, std::string_view bytes) noexcept;
    /// @param why  Empty = the clean end.
    void end(std::uint64_t id, std::string_view why) noexcept;
    [[nodiscard]] recording_stats stats() const;

private:
    struct state;
    template<class Add>
    void submit(Add add) noexcept;

    std::shared_ptr<state> state_;
};

} // namespace kubecoro::detail
