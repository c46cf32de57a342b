#include "review/review_parts_core.hpp"

#include <kubecoro/api/detail/leading_object.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace kubecoro::detail {

namespace {

/// A place in a JSON text. Each function fails at the end of the text, and where the grammar has another character.
class cursor
{
public:
    explicit cursor(std::string_view text) : text_(text) {}

    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    [[nodiscard]] bool next_is(char c) const noexcept { return at_ < text_.size() && text_[at_] == c; }
    void blanks() noexcept
    {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
            ++at_;
    }
    bool take(char c) noexcept
    {
        if (!next_is(c)) return false;
        ++at_;
        return true;
    }
    /// A text with its quotes.
    bool string() noexcept
    {
        if (!take('"')) return false;
        while (at_ < text_.size()) {
            const auto* const end = static_cast<const char*>(std::memchr(text_.data() + at_, '"', text_.size() - at_));
            if (end == nullptr) return false;
            const auto quote = static_cast<std::size_t>(end - text_.data());
            std::size_t slashes = 0;
            while (quote - slashes > at_ && text_[quote - slashes - 1] == '\\') ++slashes;
            at_ = quote + 1;
            if (slashes % 2 == 0) return true;
        }
        return false;
    }
    bool value() noexcept
    {
        if (next_is('"')) return string();
        if (next_is('{') || next_is('[')) return container();
        const auto begin = at_;
        while (at_ < text_.size() && std::strchr(",}] \n\t\r", text_[at_]) == nullptr) ++at_;
        return at_ != begin;
    }
    /// Decodes an object.
    result<object> decoded(const std::shared_ptr<object_encoding>& shared)
    {
        auto left = text_.substr(at_);
        auto made = parse_leading_object(left, shared);
        at_ = text_.size() - left.size();
        return made;
    }
    /// Calls `see(name, begin, end)` for each member, whose name is as in the text.
    template<class F>
    bool members(const F& see)
    {
        if (!take('{')) return false;
        blanks();
        if (take('}')) return true;
        do {
            blanks();
            const auto name = at_;
            if (!string()) return false;
            const auto key = text_.substr(name + 1, at_ - name - 2);
            blanks();
            if (!take(':')) return false;
            blanks();
            if (!see(key, *this)) return false;
            blanks();
        } while (take(','));
        return take('}');
    }

private:
    bool container() noexcept
    {
        std::size_t depth = 0;
        while (at_ < text_.size()) {
            switch (text_[at_]) {
            case '"':
                if (!string()) return false;
                continue;
            case '{':
            case '[':
                ++depth;
                break;
            case '}':
            case ']':
                if (--depth == 0) return ++at_ != 0;
                break;
            default:
                break;
            }
            ++at_;
        }
        return false;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace

object review_parts::value(std::string_view name) const
{
    const auto found = std::ranges::find(objects, name, [](const auto& o) { return o.first; });
    return found == objects.end() ? object() : found->second;
}

review_parts split_review(std::string_view text, const std::vector<std::string_view>& names,
                          const std::shared_ptr<object_encoding>& shared)
{
    review_parts out;
    std::size_t copied = 0;
    const auto take_out = [&](std::string_view name, cursor& at) {
        if (out.value(name)) return false;
        if (!at.next_is('{') || std::ranges::find(names, name) == names.end()) return at.value();
        const auto begin = at.at();
        auto made = at.decoded(shared);
        if (!made) return false;
        out.objects.emplace_back(name, *std::move(made));
        out.rest.append(text, copied, begin - copied).append("null");
        copied = at.at();
        return true;
    };
    cursor all(text);
    all.blanks();
    const bool whole = all.members([&](std::string_view name, cursor& at) {
        return name == "request" && at.next_is('{') ? at.members(take_out) : at.value();
    });
    if (!whole) return {std::string(text), {}};
    out.rest.append(text, copied);
    return out;
}

} // namespace kubecoro::detail
