// Debug pages of lists, as long as a page may be.
#pragma once

#include <kubecoro/endpoints/debug_pages.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Each line made safe for a terminal: descriptions hold names that tenants choose, and words of servers.
[[nodiscard]] std::string printable_lines(std::string_view text);
/// The last line of a page that is not complete.
[[nodiscard]] std::string text_of_rest(std::ptrdiff_t n);
/// The last element of an array that is not complete.
[[nodiscard]] std::string json_of_rest(std::ptrdiff_t n);

/// Joins the forms of the elements, as far as a page may be long. @param left_out  Made of the number of the others.
template<class List, class Form, class LeftOut>
std::string joined(const List& all, Form form, LeftOut left_out)
{
    std::string out;
    for (auto at = all.begin(); at != all.end(); ++at) {
        const std::string one = form(*at);
        if (out.size() + one.size() > most_debug_page_bytes) return out + left_out(all.end() - at);
        out += one;
    }
    return out;
}

/// The same as a JSON array. @param form  Makes an element's JSON text.
template<class List, class Form>
std::string json_array_of(const List& all, Form form)
{
    const auto out = joined(
        all, [&form](const auto& one) { return "," + form(one); }, json_of_rest);
    return "[" + (out.empty() ? out : out.substr(1)) + "]";
}

} // namespace kubecoro::detail
