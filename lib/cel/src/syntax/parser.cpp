#include "syntax/parser.hpp"

#include <kubecoro/api/detail/utf8.hpp>

#include "syntax/lexer.hpp"
#include "syntax/tree_builder.hpp"
#include "text/escaping.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace kubecoro::cel::detail {

namespace {

/// A parser by recursive descent. After a failure nothing that it returns counts, and all loops end.
class expression_parser
{
public:
    expression_parser(std::string text, bool has_bind)
        : builder_(std::move(text)), lexer_(builder_.so_far().text), has_bind_(has_bind)
    {
        current_ = lexer_.next();
        following_ = lexer_.next();
    }

    result<tree> run()
    {
        const auto root = expression();
        if (current_.kind != token_kind::end) unexpected();
        if (builder_.failed()) return failure(cond::invalid, builder_.problem());
        return std::move(builder_).finish(root);
    }

private:
    void advance()
    {
        current_ = following_;
        following_ = lexer_.next();
    }

    bool take(std::string_view sign)
    {
        if (builder_.failed() || !current_.is(sign)) return false;
        advance();
        return true;
    }

    node_id unexpected()
    {
        if (current_.kind == token_kind::end)
            return builder_.fail(current_.begin, "Syntax error: mismatched input '<EOF>'");
        if (current_.kind == token_kind::bad)
            return builder_.fail(current_.begin,
                                 "Syntax error: token recognition error at: '" + std::string(current_.text) + "'");
        return builder_.fail(current_.begin, "Syntax error: mismatched input '" + std::string(current_.text) + "'");
    }

    void expect(std::string_view sign)
    {
        if (!take(sign)) unexpected();
    }

    node_id expression()
    {
        if (nesting_ >= deepest_nesting)
            return builder_.fail(current_.begin,
                                 "expression recursion limit exceeded: " + std::to_string(deepest_nesting));
        ++nesting_;
        const auto out = choice();
        --nesting_;
        return out;
    }

    node_id choice()
    {
        const auto condition = chain("||", node_kind::either);
        const auto at = current_.begin;
        if (!take("?")) return condition;
        const auto yes = chain("||", node_kind::either);
        expect(":");
        const auto no = expression();
        return builder_.make(node_kind::choice, at, {condition, yes, no});
    }

    node_id chain(std::string_view sign, node_kind kind)
    {
        const auto operand = [&] { return kind == node_kind::either ? chain("&&", node_kind::both) : relation(); };
        std::vector<node_id> operands{operand()};
        const auto at = current_.begin;
        while (take(sign)) operands.push_back(operand());
        return operands.size() == 1 ? operands[0] : builder_.make(kind, at, operands);
    }

    struct operator_name
    {
        std::string_view sign;
        std::string_view name;
    };

    template<std::size_t Size, class Operand>
    node_id left_chain(const std::array<operator_name, Size>& operators, Operand operand)
    {
        auto left = operand();
        while (!builder_.failed()) {
            const auto at = current_.begin;
            const operator_name* found = nullptr;
            for (const auto& each : operators)
                if (current_.is(each.sign)) found = &each;
            if (found == nullptr) break;
            advance();
            const node_id operands[] = {left, operand()};
            left = builder_.call(at, found->name, operands, false);
        }
        return left;
    }

    node_id relation()
    {
        static constexpr std::array<operator_name, 7> operators{{{"<", "_<_"},
                                                                 {"<=", "_<=_"},
                                                                 {">", "_>_"},
                                                                 {">=", "_>=_"},
                                                                 {"==", "_==_"},
                                                                 {"!=", "_!=_"},
                                                                 {"in", "@in"}}};
        return left_chain(operators, [this] { return sum(); });
    }

    node_id sum()
    {
        static constexpr std::array<operator_name, 2> operators{{{"+", "_+_"}, {"-", "_-_"}}};
        return left_chain(operators, [this] { return product(); });
    }

    node_id product()
    {
        static constexpr std::array<operator_name, 3> operators{{{"*", "_*_"}, {"/", "_/_"}, {"%", "_%_"}}};
        return left_chain(operators, [this] { return unary(); });
    }

    node_id unary()
    {
        for (const auto& [sign, name] : {operator_name{"!", "!_"}, operator_name{"-", "-_"}}) {
            if (!current_.is(sign) || is_negative_number()) continue;
            const auto at = current_.begin;
            std::size_t count = 0;
            while (take(sign)) ++count;
            const node_id operand = member();
            return count % 2 == 0 ? operand : builder_.call(at, name, {&operand, 1}, false);
        }
        return member();
    }

    [[nodiscard]] bool is_negative_number() const noexcept
    {
        return current_.is("-") && (following_.kind == token_kind::integer || following_.kind == token_kind::real);
    }

    node_id member()
    {
        auto operand = primary();
        while (!builder_.failed()) {
            const auto at = current_.begin;
            if (take(".")) {
                operand = selection(at, operand);
            } else if (take("[")) {
                const bool is_optional = take("?");
                const node_id operands[] = {operand, expression()};
                expect("]");
                operand = builder_.call(at, is_optional ? "_[?_]" : "_[_]", operands, false);
            } else {
                if (!current_.is("{")) break;
                const auto name = dotted_name(builder_.so_far(), operand);
                if (name.empty()) break;
                advance();
                operand = message(at, name);
            }
        }
        return operand;
    }

    node_id selection(std::size_t at, node_id operand)
    {
        const bool is_optional = take("?");
        const auto name = current_;
        if (name.kind == token_kind::quoted_identifier) {
            advance();
            return builder_.select(at, operand, name.text.substr(1, name.text.size() - 2), is_optional);
        }
        if (name.kind != token_kind::identifier) return unexpected();
        advance();
        const auto open = current_.begin;
        if (!is_optional && take("(")) return member_call(open, operand, name.text);
        return builder_.select(at, operand, name.text, is_optional);
    }

    node_id member_call(std::size_t at, node_id receiver, std::string_view name)
    {
        auto operands = list_until(")", false);
        if (builder_.failed()) return 0;
        if (const auto macro = expand_macro(builder_, at, name, receiver, operands, has_bind_)) return *macro;
        if (const auto spelled = dotted_name(builder_.so_far(), receiver); !spelled.empty())
            if (find_function(spelled + '.' + std::string(name)) != nullptr)
                return builder_.call(at, spelled + '.' + std::string(name), operands, false);
        operands.insert(operands.begin(), receiver);
        return builder_.call(at, name, operands, true);
    }

    /// Expressions with commas between them, and the closing sign. A list may end with a comma.
    std::vector<node_id> list_until(std::string_view close, bool is_list)
    {
        std::vector<node_id> out;
        if (take(close)) return out;
        while (!builder_.failed()) {
            const auto at = current_.begin;
            const bool is_optional = is_list && take("?");
            auto item = expression();
            if (is_optional) item = builder_.make(node_kind::optional_item, at, {item});
            out.push_back(item);
            if (!take(",")) break;
            if (is_list && current_.is(close)) break;
        }
        expect(close);
        return out;
    }

    node_id primary()
    {
        const auto at = current_.begin;
        switch (current_.kind) {
        case token_kind::identifier:
            return named(false);
        case token_kind::integer:
        case token_kind::natural:
        case token_kind::real:
            return number(at, false);
        case token_kind::string:
        case token_kind::bytes:
            return text();
        case token_kind::sign:
            break;
        default:
            return unexpected();
        }
        if (is_negative_number()) {
            advance();
            return number(at, true);
        }
        if (take("(")) {
            const auto inner = expression();
            expect(")");
            return inner;
        }
        if (take("[")) {
            const auto items = list_until("]", true);
            return builder_.make(node_kind::list, at, items);
        }
        if (take("{")) return map(at);
        if (take("true")) return builder_.literal(at, value(true));
        if (take("false")) return builder_.literal(at, value(false));
        if (take("null")) return builder_.literal(at, value{});
        if (current_.is(".") && following_.kind == token_kind::identifier) {
            advance();
            return named(true);
        }
        return unexpected();
    }

    node_id named(bool is_root)
    {
        const auto name = current_;
        advance();
        const auto open = current_.begin;
        if (take("(")) {
            const auto operands = list_until(")", false);
            if (builder_.failed()) return 0;
            if (const auto macro = expand_macro(builder_, open, name.text, std::nullopt, operands, has_bind_))
                return *macro;
            return builder_.call(open, name.text, operands, false);
        }
        if (is_reserved(name.text)) return builder_.fail(name.begin, "reserved identifier: " + std::string(name.text));
        return builder_.identifier(name.begin, name.text, is_root);
    }

    /// A message behind its name.
    node_id message(std::size_t at, const std::string& name)
    {
        while (!builder_.failed() && !current_.is("}")) {
            static_cast<void>(take("?"));
            if (current_.kind != token_kind::identifier && current_.kind != token_kind::quoted_identifier)
                return unexpected();
            advance();
            expect(":");
            static_cast<void>(expression());
            if (!take(",")) break;
        }
        expect("}");
        const auto id = builder_.make(node_kind::message, at, {});
        if (!builder_.failed()) builder_.at(id).content = builder_.name(name);
        return id;
    }

    node_id map(std::size_t at)
    {
        std::vector<node_id> entries;
        while (!builder_.failed() && !current_.is("}")) {
            const auto mark = current_.begin;
            const bool is_optional = take("?");
            entries.push_back(expression());
            expect(":");
            const auto item = expression();
            entries.push_back(is_optional ? builder_.make(node_kind::optional_item, mark, {item}) : item);
            if (!take(",")) break;
        }
        expect("}");
        return builder_.make(node_kind::map, at, entries);
    }

    node_id text()
    {
        const auto from = current_;
        advance();
        auto contents = unquote(from);
        if (is_error(contents)) return builder_.fail(from.begin, std::string(contents.as_string()));
        return builder_.literal(from.begin, std::move(contents));
    }

    node_id number(std::size_t at, bool is_negative)
    {
        const auto from = current_;
        advance();
        std::string digits(from.text);
        if (from.kind == token_kind::real) {
            const double found = std::strtod(digits.c_str(), nullptr);
            if (std::isinf(found)) return builder_.fail(at, "invalid double literal");
            return builder_.literal(at, value::of_double(is_negative ? -found : found));
        }
        const bool is_natural = from.kind == token_kind::natural;
        if (is_natural) digits.pop_back();
        const bool is_hexadecimal = digits.starts_with("0x");
        if (is_hexadecimal) digits.erase(0, 2);
        if (is_negative) digits.insert(0, "-");
        const auto read = [&](auto& out) {
            const auto [end, error] =
                std::from_chars(digits.data(), digits.data() + digits.size(), out, is_hexadecimal ? 16 : 10);
            return error == std::errc{} && end == digits.data() + digits.size();
        };
        std::uint64_t natural = 0;
        std::int64_t whole = 0;
        if (is_natural ? !read(natural) : !read(whole))
            return builder_.fail(at, is_natural ? "invalid uint literal" : "invalid int literal");
        return builder_.literal(at, is_natural ? value::of_uint(natural) : value::of_int(whole));
    }

    tree_builder builder_;
    lexer lexer_;
    token current_;
    token following_;
    std::size_t nesting_ = 0;
    bool has_bind_;
};

} // namespace

result<tree> parse(std::string text, bool has_bind)
{
    if (text.size() > longest_expression)
        return failure(cond::invalid, "expression size exceeds limit: size: " + std::to_string(text.size()) +
                                          ", limit " + std::to_string(longest_expression));
    if (!kubecoro::detail::is_utf8(text)) return failure(cond::invalid, "expression is not UTF-8");
    return expression_parser(std::move(text), has_bind).run();
}

} // namespace kubecoro::cel::detail
