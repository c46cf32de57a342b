// A page of the server that is made for each request, as far as its budget goes, and otherwise served as it was made last.
#pragma once

#include "turns/render_budget.hpp"

#include <functional>
#include <memory>
#include <string>

namespace kubecoro::detail {

/// Strand-confined.
class rendered_page
{
public:
    explicit rendered_page(double share) noexcept : budget_(share) {}

    struct copy
    {
        std::shared_ptr<const std::string> body;
        bool compressed = false;
        /// It was made for an earlier request.
        bool repeated = false;
        /// Time since it was begun.
        duration age = {};
    };
    /// An older page is made again, whatever the budget: a small share, or a throttled container, would serve it for long.
    static constexpr duration oldest = std::chrono::seconds{10};

    /// @param make        Called if there is time, or no copy yet.
    /// @param compressed  Whether the client accepts gzip. Compressing counts as making.
    [[nodiscard]] copy get(time_source& time, bool compressed, const std::function<std::string()>& make);

private:
    [[nodiscard]] copy current(time_source& time, bool compressed, const std::function<std::string()>& make);

    render_budget budget_;
    /// Kept only while the budget is used up.
    std::shared_ptr<const std::string> plain_, compressed_;
    time_point begun_ = {};
};

} // namespace kubecoro::detail
