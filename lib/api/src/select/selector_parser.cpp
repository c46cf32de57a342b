// Parses the label selector grammar of apimachinery: a lexer and a recursive descent of one level.
#include "select/requirement_check.hpp"

#include <kubecoro/api/selector.hpp>

namespace kubecoro {
namespace {

using op = label_selector::op;
using requirement = label_selector::requirement;

constexpr std::string_view operators[] = {"==", "!=", "=", "!", ">", "<", "(", ")", ","};

struct token
{
    std::string_view text;
    std::size_t at = 0;
    bool is_word = false;

    [[nodiscard]] bool is(std::string_view symbol) const noexcept { return !is_word && text == symbol; }
    [[nodiscard]] bool at_end() const noexcept { return text.empty(); }
};

class lexer
{
public:
    explicit lexer(std::string_view text) noexcept : text_(text) { advance(); }
    [[nodiscard]] const token& peek() const noexcept { return now_; }
    token take() noexcept
    {
        const token t = now_;
        advance();
        return t;
    }

private:
    static bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

    void advance() noexcept
    {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
        const std::string_view rest = text_.substr(at_);
        now_ = {{}, at_, false};
        for (const std::string_view symbol : operators) {
            if (!rest.starts_with(symbol)) continue;
            now_.text = rest.substr(0, symbol.size());
            at_ += symbol.size();
            return;
        }
        std::size_t n = 0;
        while (n < rest.size() && !is_blank(rest[n]) && std::string_view("=!()<>,").find(rest[n]) == rest.npos) ++n;
        now_ = {rest.substr(0, n), at_, n != 0};
        at_ += n;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    token now_;
};

class parser
{
public:
    explicit parser(std::string_view text) noexcept : lex_(text) {}

    result<std::vector<requirement>> run()
    {
        std::vector<requirement> all;
        if (lex_.peek().at_end()) return all;
        if (!begins_requirement()) return found(lex_.peek(), ", expected: !, identifier, or 'end of string'");
        for (;;) {
            auto r = one();
            if (!r) return r.error();
            all.push_back(std::move(*r));
            const token t = lex_.take();
            if (t.at_end()) return all;
            if (!t.is(",")) return found(t, ", expected: ',' or 'end of string'");
            if (!begins_requirement()) return found(lex_.peek(), ", expected: identifier after ','");
        }
    }

private:
    [[nodiscard]] bool begins_requirement() const noexcept { return lex_.peek().is_word || lex_.peek().is("!"); }

    result<requirement> one()
    {
        requirement r;
        const bool negated = lex_.peek().is("!");
        if (negated) lex_.take();
        const token key = lex_.take();
        if (!key.is_word) return unable(found(key, ", expected: identifier"));
        if (const auto problem = detail::key_problem(key.text); !problem.empty())
            return unable(wrong("<nil>: " + problem, key));
        r.key = key.text;
        r.operation = negated ? op::not_exists : op::exists;
        if (negated || lex_.peek().at_end() || lex_.peek().is(",")) return r;
        const token t = lex_.take();
        if (t.text == "in" || t.text == "notin") {
            r.operation = t.text == "in" ? op::in : op::not_in;
            return set(std::move(r));
        }
        if (t.is("=") || t.is("=="))
            r.operation = op::equals;
        else if (t.is("!="))
            r.operation = op::not_equals;
        else if (t.is(">"))
            r.operation = op::greater;
        else if (t.is("<"))
            r.operation = op::less;
        else
            return unable(found(t, ", expected: in, notin, =, ==, !=, gt, lt"));
        return exact(std::move(r));
    }

    // An empty value is a value: "key=" matches a label that is present and empty.
    result<requirement> exact(requirement r)
    {
        const token value = lex_.peek();
        const bool none = value.at_end() || value.is(",");
        if (!none) lex_.take();
        if (!none && !value.is_word) return unable(found(value, ", expected: identifier"));
        r.values.emplace_back(none ? std::string_view() : value.text);
        return checked(std::move(r), value);
    }

    // So it is in a list: "key in ()" and "key in (,)" have one, which is empty.
    result<requirement> set(requirement r)
    {
        const token open = lex_.take();
        if (!open.is("(")) return unable(found(open, " expected: '('"));
        const token first = lex_.peek();
        if (!first.is_word && !first.is(",") && !first.is(")"))
            return unable(found(first, ", expected: ',', ')' or identifier"));
        for (;;) {
            const token value = lex_.peek();
            if (value.is_word)
                lex_.take();
            else if (!value.is(",") && !value.is(")"))
                return unable(found(value, ", expected: ',', or identifier"));
            r.values.emplace_back(value.is_word ? value.text : std::string_view());
            const token t = lex_.take();
            if (t.is(")")) break;
            if (!t.is(",")) return unable(found(t, ", expected: ',' or ')'"));
        }
        return checked(std::move(r), first);
    }

    /// @param at  The first value.
    static result<requirement> checked(requirement r, const token& at)
    {
        // A kube-apiserver checks the values in order, each once.
        detail::put_in_order(r);
        if (const auto problem = detail::value_problem(r); !problem.empty()) return unable(wrong(problem, at));
        return r;
    }

    // Uses kube-apiserver's own wording, which users know; the position is added.
    static failure found(const token& t, std::string_view expected)
    {
        return wrong("found '" + std::string(t.text) + "'" + std::string(expected), t);
    }

    static failure wrong(const std::string& what, const token& t)
    {
        return failure(cond::invalid, what + " at position " + std::to_string(t.at));
    }

    static failure unable(const failure& f)
    {
        return failure(cond::invalid, "unable to parse requirement: " + f.message());
    }

    lexer lex_;
};

} // namespace

result<label_selector> label_selector::parse(std::string_view text)
{
    auto requirements = parser(text).run();
    if (!requirements) return requirements.error();
    return label_selector(std::move(*requirements));
}

} // namespace kubecoro
