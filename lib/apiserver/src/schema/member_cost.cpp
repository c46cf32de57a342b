#include "schema/member_cost.hpp"

#include <boost/json/basic_parser_impl.hpp>

namespace kubecoro::apiserver {
namespace {

/// `{"":0}` and its comma: a text this short cannot cost too much.
constexpr std::size_t shortest_costly_text = 50'000;

std::size_t of_members(std::size_t count) { return count * count / 2; }

class member_counter
{
public:
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

    std::size_t comparisons = 0;

    using code = boost::system::error_code;
    using text = boost::json::string_view;

    bool on_document_begin(code&) { return true; }
    bool on_document_end(code&) { return true; }
    bool on_object_begin(code&) { return true; }
    bool on_object_end(std::size_t members, code&)
    {
        comparisons += of_members(members);
        return true;
    }
    bool on_array_begin(code&) { return true; }
    bool on_array_end(std::size_t, code&) { return true; }
    bool on_key_part(text, std::size_t, code&) { return true; }
    bool on_key(text, std::size_t, code&) { return true; }
    bool on_string_part(text, std::size_t, code&) { return true; }
    bool on_string(text, std::size_t, code&) { return true; }
    bool on_number_part(text, code&) { return true; }
    bool on_int64(std::int64_t, text, code&) { return true; }
    bool on_uint64(std::uint64_t, text, code&) { return true; }
    bool on_double(double, text, code&) { return true; }
    bool on_bool(bool, code&) { return true; }
    bool on_null(code&) { return true; }
    bool on_comment_part(text, code&) { return true; }
    bool on_comment(text, code&) { return true; }
};

} // namespace

std::size_t key_comparisons(std::string_view text, std::size_t max_depth)
{
    if (text.size() < shortest_costly_text) return 0;
    boost::json::parse_options options;
    options.max_depth = max_depth;
    boost::json::basic_parser<member_counter> parser(options);
    boost::system::error_code ec;
    parser.write_some(false, text.data(), text.size(), ec);
    return parser.handler().comparisons;
}

std::size_t key_comparisons(const boost::json::value& v)
{
    std::size_t sum = 0;
    if (const auto* items = v.if_array())
        for (const auto& item : *items) sum += key_comparisons(item);
    if (const auto* object = v.if_object()) {
        sum += of_members(object->size());
        for (const auto& member : *object) sum += key_comparisons(member.value());
    }
    return sum;
}

} // namespace kubecoro::apiserver
