// The place of a schema in a CustomResourceDefinition, and what checks of it have found.
#pragma once

#include "objects/status_errors.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

/// A list on the stack: most places are never printed, and a long name may stand above many of them.
struct schema_place
{
    const schema_place* above = nullptr;
    /// ".items"; at the root the path of the schema.
    std::string_view step;
    std::optional<std::string_view> property = {};
    std::optional<std::size_t> index = {};

    [[nodiscard]] std::string text() const
    {
        std::string out = above ? above->text() : std::string();
        out += step;
        if (property) out += '[' + std::string(*property) + ']';
        if (index) out += '[' + std::to_string(*index) + ']';
        return out;
    }
    [[nodiscard]] std::string text(std::string_view member) const { return text() += member; }
};

/// Collects causes up to limits of number and size.
class schema_causes
{
public:
    void add(status_cause cause)
    {
        if (is_full()) return;
        bytes_ += cause.field.size() + cause.message.size();
        found_.push_back(std::move(cause));
    }
    [[nodiscard]] bool is_full() const { return errors::enough(found_) || bytes_ >= most_bytes; }
    [[nodiscard]] bool empty() const noexcept { return found_.empty(); }
    [[nodiscard]] std::vector<status_cause> take() && { return std::move(found_); }

private:
    static constexpr std::size_t most_bytes = std::size_t{1} << 20;

    std::vector<status_cause> found_;
    std::size_t bytes_ = 0;
};

} // namespace kubecoro::apiserver
