#pragma once
// Requests of an election, and of a member of a group.

#include <functional>
#include <utility>

namespace kubecoro::detail {

/// Reports the end of a request, also of one that ends without an answer, by an exception.
class request_mark
{
public:
    /// @param ended  Told whether the answer has been reported. Must not throw.
    explicit request_mark(std::function<void(bool answered)> ended) noexcept : ended_(std::move(ended)) {}
    request_mark(const request_mark&) = delete;
    request_mark& operator=(const request_mark&) = delete;
    ~request_mark() { ended_(answered); }

    bool answered = false;

private:
    const std::function<void(bool answered)> ended_;
};

} // namespace kubecoro::detail
