// Go's mail.ParseAddress without its results: RFC 5322 with the same leniencies.
#include <kubecoro/api/detail/formats.hpp>

#include "text/go_text.hpp"

#include <optional>
#include <string_view>

namespace kubecoro::detail {

namespace {

/// Visible characters; all beyond ASCII are.
bool is_visible(char c) noexcept { return (c >= '!' && c <= '~') || static_cast<unsigned char>(c) >= 0x80; }
bool is_space(char c) noexcept { return c == ' ' || c == '\t'; }
bool is_atom(char c) noexcept
{
    return is_visible(c) && std::string_view("()<>[]:;@\\,\"").find(c) == std::string_view::npos;
}

class address_reader
{
public:
    explicit address_reader(std::string_view text) : rest_(text) {}

    /// One address to the end.
    bool single()
    {
        const auto found = address(true);
        return found && skip_comments() && rest_.empty() && *found == 1;
    }

private:
    bool consume(char c)
    {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    void skip_space()
    {
        while (!rest_.empty() && is_space(rest_[0])) rest_.remove_prefix(1);
    }

    bool skip_comments()
    {
        for (skip_space(); consume('('); skip_space())
            if (!comment()) return false;
        return true;
    }

    /// The rest of a comment, which may contain others.
    bool comment()
    {
        std::size_t depth = 1;
        while (!rest_.empty() && depth > 0) {
            if (rest_[0] == '\\' && rest_.size() > 1)
                rest_.remove_prefix(1);
            else if (rest_[0] == '(')
                ++depth;
            else if (rest_[0] == ')')
                --depth;
            rest_.remove_prefix(1);
        }
        return depth == 0;
    }

    /// How many addresses there are: one, or those of a group.
    std::optional<std::size_t> address(bool or_group)
    {
        skip_space();
        if (rest_.empty()) return std::nullopt;
        if (spec()) {
            skip_space();
            if (consume('(') && !comment()) return std::nullopt;
            return 1;
        }
        if (rest_[0] != '<' && !phrase()) return std::nullopt;
        skip_space();
        if (or_group && consume(':')) return group();
        if (!consume('<') || !spec() || !consume('>')) return std::nullopt;
        return 1;
    }

    std::optional<std::size_t> group()
    {
        std::size_t members = 0;
        skip_space();
        bool ended = consume(';');
        while (!ended) {
            const auto found = address(false);
            if (!found || !skip_comments()) return std::nullopt;
            members += *found;
            ended = consume(';');
            if (!ended && !consume(',')) return std::nullopt;
        }
        if (!skip_comments()) return std::nullopt;
        return members;
    }

    /// `local@domain`. Reads nothing if it is none.
    bool spec()
    {
        const auto begin = rest_;
        if (local() && consume('@') && domain()) return true;
        rest_ = begin;
        return false;
    }

    bool local()
    {
        skip_space();
        if (!rest_.starts_with('"')) return dot_atom();
        const auto before = rest_.size();
        return quoted() && before - rest_.size() > 2;
    }

    bool domain()
    {
        skip_space();
        if (!consume('[')) return dot_atom();
        const auto end = rest_.find(']');
        if (end == std::string_view::npos) return false;
        const auto literal = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return is_ipv6_format(literal) || is_plain_ipv4(literal);
    }

    /// Without leading zeros.
    static bool is_plain_ipv4(std::string_view text)
    {
        if (text.find(':') != std::string_view::npos || !is_ipv4_format(text)) return false;
        for (std::size_t i = 0; i + 1 < text.size(); ++i)
            if ((i == 0 || text[i - 1] == '.') && text[i] == '0' && text[i + 1] != '.') return false;
        return true;
    }

    std::string_view atom()
    {
        std::size_t size = 0;
        while (size < rest_.size() && is_atom(rest_[size])) ++size;
        const auto out = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return out;
    }

    bool dot_atom()
    {
        const auto text = atom();
        return !text.empty() && text.front() != '.' && text.back() != '.' && text.find("..") == std::string_view::npos;
    }

    /// Words; it ends without a failure where something else follows.
    bool phrase()
    {
        bool any = false;
        while (true) {
            if (any && !skip_comments()) return false;
            skip_space();
            if (rest_.empty()) return true;
            if (rest_[0] == '"' ? !quoted() : atom().empty()) return any;
            any = true;
        }
    }

    /// Reads nothing if it is none.
    bool quoted()
    {
        for (std::size_t i = 1; i < rest_.size(); ++i) {
            const char c = rest_[i];
            if (c == '"') {
                rest_.remove_prefix(i + 1);
                return true;
            }
            if (c == '\\' && ++i == rest_.size()) return false;
            if (!is_visible(rest_[i]) && !is_space(rest_[i])) return false;
        }
        return false;
    }

    std::string_view rest_;
};

} // namespace

bool is_email_format(std::string_view text) { return is_utf8(text) && address_reader(text).single(); }

} // namespace kubecoro::detail
