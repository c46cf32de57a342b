// Regular expressions of schemas and CEL rules, which have the syntax of Go's regexp.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace kubecoro::detail {

/// A compiled regular expression. It matches in time linear in the text, whatever the expression.
class pattern
{
public:
    /// Compiles it. Go's words for what is wrong with it are in problem().
    explicit pattern(std::string_view text);
    ~pattern();

    /// Empty if the expression is right.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
    /// True if it matches anywhere in the text.
    [[nodiscard]] bool matches(std::string_view text) const;
    /// The first part of the text that matches, from a position on; what stands before it counts for `^` and `\b`.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view text, std::size_t from) const;
    /// As it was written.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// Instructions of the compiled program.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    std::string text_;
    std::unique_ptr<const re2::RE2> compiled_;
    std::string problem_;
    std::size_t size_ = 0;
};

/// The expressions of a schema. Those that it repeats are compiled once.
class pattern_set
{
public:
    /// The sum of size(), about 16 bytes each.
    static constexpr std::size_t max_size = 500'000;

    /// @return the compiled expression, or null when there is no more room.
    [[nodiscard]] std::shared_ptr<const pattern> compile(std::string_view text);

private:
    std::map<std::string, std::shared_ptr<const pattern>, std::less<>> known_;
    std::size_t size_ = 0;
};

} // namespace kubecoro::detail
