#pragma once

#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/// The place in a definition that is written, and the first thing that is wrong with it.
class schema_path
{
public:
    /// @param of  Begins each message: the kind and its version.
    explicit schema_path(std::string of) : of_(std::move(of)) {}

    /// Keeps the failure if it is the first one.
    void fail(std::string_view words)
    {
        if (problem_) return;
        problem_ = failure(cond::invalid, of_ + ": " + path_ + (path_.empty() ? "" : ": ") + std::string(words));
    }
    /// The first failure.
    [[nodiscard]] const std::optional<failure>& problem() const noexcept { return problem_; }

    /// Is within a part while it lives.
    class step
    {
    public:
        /// @param name  The name of a field; "[]" for the items of a list and the values of a map.
        step(schema_path& of, std::string_view name) : of_(of), before_(of.path_.size())
        {
            if (!of.path_.empty() && name != "[]") of.path_ += '.';
            of.path_ += name;
        }
        ~step() { of_.path_.resize(before_); }
        step(const step&) = delete;
        step& operator=(const step&) = delete;

    private:
        schema_path& of_;
        std::size_t before_;
    };

private:
    std::string of_;
    std::string path_;
    std::optional<failure> problem_;
};

} // namespace kubecoro::detail
