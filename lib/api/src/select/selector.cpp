// Label selectors: their normal form, text and matching, the rules of apimachinery's NewRequirement for each requirement,
// and a parser of apimachinery's grammar: a lexer and a recursive descent of one level.
#include <kubecoro/api/selector.hpp>

#include <kubecoro/api/detail/go_format.hpp>

#include <kubecoro/api/detail/label_rules.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>

namespace kubecoro::detail {

namespace {

using op = label_selector::op;

// Each takes hundreds of bytes, a bad value two.
constexpr std::size_t most_problems = 10;

bool is_integer(std::string_view text) noexcept
{
    std::int64_t value = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
    return r.ec == std::errc{} && r.ptr == text.data() + text.size();
}

std::string joined(std::string_view between, const std::vector<std::string>& texts)
{
    std::string out;
    for (const auto& t : texts) out += (out.empty() ? "" : std::string(between)) + t;
    return out;
}

std::string invalid(std::string_view value, const std::string& why)
{
    return "Invalid value: " + go_quoted(value) + ": " + why;
}

/// Sorts the values of a set, each once.
void put_in_order(label_selector::requirement& r)
{
    if (r.operation != op::in && r.operation != op::not_in) return;
    std::sort(r.values.begin(), r.values.end());
    r.values.erase(std::unique(r.values.begin(), r.values.end()), r.values.end());
}

/// Problem of the key, empty if there is none; in the words of a kube-apiserver.
std::string key_problem(std::string_view key)
{
    if (is_label_key(key)) return {};
    return invalid(key, joined("; ", label_key_problems(key)));
}

/// The same for the number of values.
std::string count_problem(const label_selector::requirement& r)
{
    const auto count = r.values.size();
    switch (r.operation) {
    case op::in:
    case op::not_in:
        return count != 0 ? "" : "for 'in', 'notin' operators, values set can't be empty";
    case op::equals:
    case op::not_equals:
        return count == 1 ? "" : "exact-match compatibility requires one single value";
    case op::exists:
    case op::not_exists:
        return count == 0 ? "" : "values set must be empty for exists and does not exist";
    case op::greater:
    case op::less:
        return count == 1 ? "" : "for 'Gt', 'Lt' operators, exactly one value is required";
    }
    return "there is no such operator";
}

/// The same for the values, in their order.
std::string value_problem(const label_selector::requirement& r)
{
    const bool ordered = r.operation == op::greater || r.operation == op::less;
    std::vector<std::string> problems;
    for (std::size_t i = 0; i < r.values.size(); ++i) {
        const std::string& value = r.values[i];
        const std::string place = "values[" + std::to_string(i) + "]";
        if (ordered && !is_integer(value))
            problems.push_back(place + ": " + invalid(value, "for 'Gt', 'Lt' operators, the value must be an integer"));
        if (!is_label_value(value))
            problems.push_back(place + "[" + r.key + "]: " + invalid(value, joined("; ", label_value_problems(value))));
        if (problems.size() >= most_problems && i + 1 < r.values.size()) {
            problems.emplace_back("further values were not checked");
            break;
        }
    }
    return problems.size() < 2 ? joined("", problems) : "[" + joined(", ", problems) + "]";
}

} // namespace

} // namespace kubecoro::detail

namespace kubecoro {

namespace {

using op = label_selector::op;

std::optional<std::int64_t> as_integer(std::string_view text) noexcept
{
    std::int64_t value = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
    if (r.ec != std::errc{} || r.ptr != text.data() + text.size()) return std::nullopt;
    return value;
}

bool matches_one(const label_selector::requirement& r, value_view label) noexcept
{
    const bool present = label.is_string();
    const std::string_view value = label.as_string();
    const auto listed = [&] {
        return present && std::any_of(r.values.begin(), r.values.end(), [&](const auto& v) { return v == value; });
    };
    switch (r.operation) {
    case op::equals:
    case op::in:
        return listed();
    case op::not_equals:
    case op::not_in:
        return !listed();
    case op::exists:
        return present;
    case op::not_exists:
        return !present;
    case op::greater:
    case op::less:
        break;
    }
    if (!present || r.values.empty()) return false;
    const auto have = as_integer(value);
    const auto limit = as_integer(r.values.front());
    if (!have || !limit) return false;
    return r.operation == op::greater ? *have > *limit : *have < *limit;
}

// The values between the parentheses.
std::string joined(const std::vector<std::string>& values)
{
    std::string out;
    for (const auto& v : values) {
        if (&v != &values.front()) out += ',';
        out += v;
    }
    return out;
}

std::string first_of(const std::vector<std::string>& values) { return values.empty() ? std::string{} : values.front(); }

std::string text_of(const label_selector::requirement& r)
{
    switch (r.operation) {
    case op::equals:
        return r.key + "=" + first_of(r.values);
    case op::not_equals:
        return r.key + "!=" + first_of(r.values);
    case op::in:
        return r.key + " in (" + joined(r.values) + ")";
    case op::not_in:
        return r.key + " notin (" + joined(r.values) + ")";
    case op::exists:
        return r.key;
    case op::not_exists:
        return "!" + r.key;
    case op::greater:
        return r.key + ">" + first_of(r.values);
    case op::less:
        return r.key + "<" + first_of(r.values);
    }
    return {};
}

} // namespace

label_selector::label_selector(std::vector<requirement> requirements) : requirements_(std::move(requirements))
{
    for (auto& r : requirements_) {
        detail::put_in_order(r);
        for (const auto& problem : {detail::key_problem(r.key), detail::count_problem(r), detail::value_problem(r)})
            if (!problem.empty()) throw error(failure(cond::invalid, "label selector: " + problem));
    }
    // A canonical order, so that equivalent selectors compare equal and share a watch.
    const auto order = [](const requirement& r) { return std::tie(r.key, r.operation, r.values); };
    std::sort(requirements_.begin(), requirements_.end(),
              [&](const requirement& a, const requirement& b) { return order(a) < order(b); });
    requirements_.erase(std::unique(requirements_.begin(), requirements_.end()), requirements_.end());
}

bool label_selector::matches(value_view labels) const noexcept
{
    return std::all_of(requirements_.begin(), requirements_.end(),
                       [&](const requirement& r) { return matches_one(r, labels[r.key]); });
}

std::string label_selector::to_string() const
{
    std::string out;
    for (const auto& r : requirements_) {
        if (!out.empty()) out += ',';
        out += text_of(r);
    }
    return out;
}

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
