#include "print/json_path_step.hpp"

#include <boost/json/parse.hpp>

#include <charconv>

namespace kubecoro::tool {

namespace json = boost::json;

using step = json_path::step;

namespace {

constexpr std::int64_t largest_index = 1'000'000'000;

} // namespace

/// Reads paths. Throws nothing: the first problem is kept, and everything after it is empty.
class json_path_parser
{
public:
    explicit json_path_parser(std::string_view text) : text_(text) {}

    // NOLINTNEXTLINE(misc-no-recursion): bounded by max_json_path_depth
    json_path path(std::string_view ends, int depth = 0)
    {
        json_path out;
        if (depth > max_json_path_depth) fail("a filter within filters");
        if (!done() && (peek() == '$' || peek() == '@')) ++at_;
        while (!done() && !problem_ && ends.find(peek()) == ends.npos) {
            if (text_.substr(at_).starts_with("..")) {
                at_ += 2;
                if (done() || ends.find(peek()) != ends.npos) fail("expected a name after ..");
                if (!done() && peek() != '[') --at_;
                add(out, step::descend{});
            } else if (peek() == '[') {
                out.steps_.push_back(bracket(depth));
            } else {
                if (peek() == '.') ++at_;
                if (done() || ends.find(peek()) != ends.npos) break;
                if (peek() == '[') continue;
                name_step(out, ends);
            }
        }
        return out;
    }

    [[nodiscard]] bool done() const { return at_ >= text_.size(); }
    [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }
    [[nodiscard]] failure failed() const
    {
        return failure(cond::invalid, "the JSONPath cannot be read at position " + std::to_string(problem_at_ + 1) +
                                          ": " + problem_.value_or(""));
    }

private:
    [[nodiscard]] char peek() const { return text_[at_]; }

    void fail(std::string why)
    {
        if (problem_) return;
        problem_ = std::move(why);
        problem_at_ = std::min(at_, text_.size());
        at_ = text_.size();
    }

    void expect(char c)
    {
        if (done() || peek() != c) return fail(std::string("expected ") + c);
        ++at_;
    }

    void skip_space()
    {
        while (!done() && peek() == ' ') ++at_;
    }

    template<class Step>
    static void add(json_path& out, Step s)
    {
        out.steps_.push_back(std::make_shared<const step>(step{{std::move(s)}}));
    }

    void name_step(json_path& out, std::string_view ends)
    {
        std::string name;
        while (!done() && peek() != '.' && peek() != '[' && ends.find(peek()) == ends.npos) {
            if (peek() == '\\' && at_ + 1 < text_.size()) ++at_;
            name += text_[at_++];
        }
        if (name.empty()) return fail("expected a name");
        if (name == "*")
            add(out, step::every{});
        else
            add(out, step::member{std::move(name)});
    }

    // NOLINTNEXTLINE(misc-no-recursion): bounded by max_json_path_depth
    std::shared_ptr<const step> bracket(int depth)
    {
        step out;
        expect('[');
        do {
            skip_space();
            out.any.push_back(inside(depth));
            skip_space();
        } while (!done() && peek() == ',' && ++at_ != 0);
        expect(']');
        return std::make_shared<const step>(std::move(out));
    }

    // NOLINTNEXTLINE(misc-no-recursion): bounded by max_json_path_depth
    step::one inside(int depth)
    {
        if (done()) {
            fail("expected ]");
            return step::every{};
        }
        if (peek() == '*') {
            ++at_;
            return step::every{};
        }
        if (peek() == '\'' || peek() == '"') return quoted_path(depth);
        if (peek() == '?') return filter(depth);
        return slice();
    }

    // NOLINTNEXTLINE(misc-no-recursion): bounded by max_json_path_depth
    step::nested quoted_path(int depth)
    {
        const char quote = text_[at_++];
        const auto begin = at_;
        while (!done() && peek() != quote) at_ += peek() == '\\' ? 2 : 1;
        json_path_parser inner(text_.substr(0, std::min(at_, text_.size())));
        inner.at_ = begin;
        auto path = inner.path("", depth + 1);
        if (at_ == begin) fail("expected a name");
        if (inner.problem_ && !problem_) {
            at_ = inner.problem_at_;
            fail(*inner.problem_);
        }
        expect(quote);
        return {std::move(path)};
    }

    std::optional<std::int64_t> integer()
    {
        std::int64_t value = 0;
        const auto [end, ec] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (ec == std::errc::invalid_argument) return {};
        at_ = static_cast<std::size_t>(end - text_.data());
        if (ec != std::errc() || value > largest_index || value < -largest_index) fail("a number is out of range");
        return value;
    }

    step::one slice()
    {
        step::slice out;
        out.begin = integer();
        if (done() || peek() != ':') {
            if (!out.begin) fail("expected a number, a quoted name, * or a filter");
            const auto at = out.begin.value_or(0);
            out.end = at == -1 ? std::nullopt : std::optional(at + 1);
            return out;
        }
        ++at_;
        out.end = integer();
        if (!done() && peek() == ':') {
            ++at_;
            out.stride = integer().value_or(1);
            if (out.stride < 1) fail("a stride is at least 1");
        }
        return out;
    }

    // NOLINTNEXTLINE(misc-no-recursion): bounded by max_json_path_depth
    step::one filter(int depth)
    {
        step::filter out;
        ++at_;
        expect('(');
        skip_space();
        out.left = path(" =!<>)", depth + 1);
        skip_space();
        for (const char* known : {"==", "!=", "<=", ">=", "<", ">"})
            if (out.comparison.empty() && text_.substr(std::min(at_, text_.size())).starts_with(known))
                out.comparison = known;
        at_ += out.comparison.size();
        skip_space();
        if (!out.comparison.empty()) read_right(out, depth);
        skip_space();
        expect(')');
        return out;
    }

    // NOLINTNEXTLINE(misc-no-recursion): bounded by max_json_path_depth
    void read_right(step::filter& out, int depth)
    {
        if (done()) return fail("expected a value");
        if (peek() == '@' || peek() == '.') {
            out.right = path(" )", depth + 1);
            return;
        }
        if (peek() == '\'' || peek() == '"') {
            const std::string text = quoted();
            out.right = json::value(json::string_view(text.data(), text.size()));
            return;
        }
        const auto end = std::min(text_.find_first_of(" )", at_), text_.size());
        const auto word = text_.substr(at_, end - at_);
        boost::system::error_code ec;
        auto value = json::parse(json::string_view(word.data(), word.size()), ec);
        if (ec) return fail("expected a number, true, false, null or a quoted text");
        out.right = std::move(value);
        at_ = end;
    }

    std::string quoted()
    {
        const char quote = text_[at_++];
        std::string out;
        while (!done() && peek() != quote) {
            if (peek() == '\\' && at_ + 1 < text_.size()) ++at_;
            out += text_[at_++];
        }
        expect(quote);
        return out;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::optional<std::string> problem_;
    std::size_t problem_at_ = 0;
};

result<json_path> json_path::parse(std::string_view text)
{
    if (text.starts_with('{') && !text.ends_with('}'))
        return failure(cond::invalid, "the JSONPath has a { without its }");
    if (text.starts_with('{')) text = text.substr(1, text.size() - 2);
    json_path_parser parser(text);
    auto out = parser.path("");
    if (parser.problem()) return parser.failed();
    return out;
}

} // namespace kubecoro::tool
