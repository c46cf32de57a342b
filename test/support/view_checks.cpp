#include <kubecoro/test/view_checks.hpp>

#include <boost/json/array.hpp>

#include <utility>

namespace kubecoro::test {

namespace json = boost::json;

namespace {

std::optional<std::string_view> text_in(const json::value* v)
{
    if (!v || !v->is_string()) return {};
    return std::string_view(v->get_string());
}

std::optional<bool> bool_in(const json::value* v)
{
    if (!v || !v->is_bool()) return {};
    return v->get_bool();
}

template<class Int>
std::optional<Int> whole_in(const json::value* v)
{
    if (!v || !v->is_number() || v->is_double()) return {};
    if (v->is_uint64() || !std::in_range<Int>(v->get_int64())) return {};
    return static_cast<Int>(v->get_int64());
}

std::optional<double> real_in(const json::value* v)
{
    if (!v || !v->is_number()) return {};
    return v->to_number<double>();
}

/// Whether a value whose JSON is text is the one that was written.
template<class T>
bool is_text(const std::optional<T>& read, std::optional<std::string_view> expected)
{
    return expected ? read && read->text() == *expected : !read;
}

} // namespace

void view_checker::compare(std::string_view read, const json::value* expected)
{
    require(read == text_in(expected).value_or(std::string_view{}));
}
void view_checker::compare(bool read, const json::value* expected)
{
    require(read == bool_in(expected).value_or(false));
}
void view_checker::compare(std::int32_t read, const json::value* expected)
{
    require(read == whole_in<std::int32_t>(expected).value_or(0));
}
void view_checker::compare(std::int64_t read, const json::value* expected)
{
    require(read == whole_in<std::int64_t>(expected).value_or(0));
}
void view_checker::compare(double read, const json::value* expected) { require(read == real_in(expected).value_or(0)); }

void view_checker::compare(const std::optional<std::string_view>& read, const json::value* expected)
{
    require(read == text_in(expected));
}
void view_checker::compare(const std::optional<bool>& read, const json::value* expected)
{
    require(read == bool_in(expected));
}
void view_checker::compare(const std::optional<std::int32_t>& read, const json::value* expected)
{
    require(read == whole_in<std::int32_t>(expected));
}
void view_checker::compare(const std::optional<std::int64_t>& read, const json::value* expected)
{
    require(read == whole_in<std::int64_t>(expected));
}
void view_checker::compare(const std::optional<double>& read, const json::value* expected)
{
    require(read == real_in(expected));
}

void view_checker::compare(const std::optional<quantity>& read, const json::value* expected)
{
    if (const auto number = whole_in<std::int64_t>(expected))
        require(read && read->text() == std::to_string(*number));
    else
        require(is_text(read, text_in(expected)));
}
void view_checker::compare(const std::optional<timestamp>& read, const json::value* expected)
{
    require(is_text(read, text_in(expected)));
}
void view_checker::compare(const std::optional<micro_timestamp>& read, const json::value* expected)
{
    require(is_text(read, text_in(expected)));
}
void view_checker::compare(const std::optional<go_duration>& read, const json::value* expected)
{
    require(is_text(read, text_in(expected)));
}

void view_checker::compare(const bytes_view& read, const json::value* expected)
{
    const auto text = text_in(expected).value_or(std::string_view{});
    require(read.base64() == text && read.empty() == text.empty());
    // A text that is no base64 is read as it is.
    const auto decoded = read.decode();
    require(!decoded || decoded->base64() == text);
}

void view_checker::compare(const int_or_string_view& read, const json::value* expected)
{
    require(read.text() == text_in(expected).value_or(std::string_view{}));
    require(read.number() == whole_in<std::int32_t>(expected));
    require(static_cast<bool>(read) == (text_in(expected) || whole_in<std::int32_t>(expected)));
}

void view_checker::compare(const value_view& read, const json::value* expected)
{
    require(expected ? read && read.to_json() == *expected : !read);
}

} // namespace kubecoro::test
