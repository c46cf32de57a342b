// Says which field of an object has a problem.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/** A problem and its path, which grows at its front while the callers return. The functions that change it return
    false, for their callers to return. */
class field_problem
{
public:
    void clear() noexcept
    {
        path_.clear();
        what_.clear();
    }
    bool is(std::string what)
    {
        what_ = std::move(what);
        return false;
    }
    /// Puts the name of a member before the path.
    bool in(std::string_view name)
    {
        path_ = "." + std::string(name) + path_;
        return false;
    }
    /// Puts the index of an item before the path.
    bool at(std::size_t index)
    {
        path_ = "[" + std::to_string(index) + "]" + path_;
        return false;
    }
    /// Returns "spec.replicas: " and the problem.
    [[nodiscard]] std::string text() const
    {
        if (path_.empty()) return what_;
        return path_.substr(path_.front() == '.' ? 1 : 0) + ": " + what_;
    }

private:
    std::string path_;
    std::string what_;
};

} // namespace kubecoro::detail
