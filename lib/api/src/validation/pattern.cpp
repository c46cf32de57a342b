#include <kubecoro/api/detail/pattern.hpp>

#include <re2/re2.h>

#include <utility>

namespace kubecoro::detail {

namespace {

/// A compiled expression and the states that matching caches.
constexpr std::int64_t max_memory = 2 << 20;

/// Go's names of groups, `(?<name>`, are `(?P<name>` in RE2. Escapes and classes of characters stay as they are, but for
/// `\C`, which Go does not know: it becomes an escape that RE2 does not know either.
std::string in_syntax_of_re2(std::string_view text)
{
    std::string out;
    bool in_class = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto rest = text.substr(i);
        if (rest.starts_with("\\Q") && !in_class) {
            const auto end = rest.find("\\E");
            const auto quoted = rest.substr(0, end == std::string_view::npos ? end : end + 2);
            out += quoted;
            i += quoted.size() - 1;
        } else if (rest[0] == '\\' && rest.size() > 1) {
            out += rest.substr(0, 2) == "\\C" && !in_class ? "\\y" : rest.substr(0, 2);
            ++i;
        } else if (!in_class && rest.starts_with("(?<")) {
            out += "(?P<";
            i += 2;
        } else {
            if (rest[0] == '[' && !in_class) {
                in_class = true;
                // A bracket at the beginning is a member.
                const std::size_t begin = rest.starts_with("[^") ? 2 : 1;
                const auto opening = rest.substr(0, begin + (rest.substr(begin).starts_with(']') ? 1 : 0));
                out += opening;
                i += opening.size() - 1;
                continue;
            }
            if (rest[0] == ']') in_class = false;
            out += rest[0];
        }
    }
    return out;
}

std::string_view go_words(re2::RE2::ErrorCode code)
{
    switch (code) {
    case re2::RE2::ErrorBadEscape:
        return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
        return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
        return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
        return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
        return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
        return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
        return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
        return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
        return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
        return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
        return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
        return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
        return "invalid named capture";
    default:
        return "expression too large";
    }
}

std::string problem_of(const re2::RE2& compiled)
{
    if (compiled.ok()) return {};
    std::string out = "error parsing regexp: ";
    out += go_words(compiled.error_code());
    if (compiled.error_code() == re2::RE2::ErrorPatternTooLarge) return out;
    const auto& where = compiled.error_arg();
    return out + ": `" + (where == "\\y" ? "\\C" : where) + '`';
}

} // namespace

pattern::pattern(std::string_view text) : text_(text)
{
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(max_memory);
    options.set_never_capture(true);
    compiled_ = std::make_unique<const re2::RE2>(in_syntax_of_re2(text), options);
    problem_ = problem_of(*compiled_);
    if (problem_.empty()) size_ = static_cast<std::size_t>(compiled_->ProgramSize());
}

pattern::~pattern() = default;

bool pattern::matches(std::string_view text) const
{
    return re2::RE2::PartialMatch({text.data(), text.size()}, *compiled_);
}

std::optional<std::string_view> pattern::find(std::string_view text, std::size_t from) const
{
    re2::StringPiece found;
    if (!compiled_->Match({text.data(), text.size()}, from, text.size(), re2::RE2::UNANCHORED, &found, 1)) return {};
    return std::string_view(found.data(), found.size());
}

std::shared_ptr<const pattern> pattern_set::compile(std::string_view text)
{
    if (const auto found = known_.find(text); found != known_.end()) return found->second;
    auto compiled = std::make_shared<const pattern>(text);
    size_ += compiled->size();
    if (size_ > max_size) return nullptr;
    known_.emplace(text, compiled);
    return compiled;
}

} // namespace kubecoro::detail
