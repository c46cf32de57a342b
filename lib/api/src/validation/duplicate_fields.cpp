#include <kubecoro/api/detail/duplicate_fields.hpp>

#include "validation/value_path.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <set>

namespace kubecoro::detail {
namespace {

constexpr std::size_t most_named = 100;

/// A parser handler that tracks the current path and the names seen in each open object.
class name_collector
{
public:
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

    std::vector<std::string> found;

    using code = boost::system::error_code;
    using text = boost::json::string_view;

    bool on_document_begin(code&) { return true; }
    bool on_document_end(code&) { return true; }
    bool on_object_begin(code&) { return open(true); }
    bool on_object_end(std::size_t, code&) { return close(); }
    bool on_array_begin(code&) { return open(false); }
    bool on_array_end(std::size_t, code&) { return close(); }
    bool on_key_part(text part, std::size_t, code&)
    {
        key_.append(part.data(), part.size());
        return true;
    }
    bool on_key(text part, std::size_t, code&)
    {
        key_.append(part.data(), part.size());
        level& here = levels_.back();
        here.name = key_;
        if (!here.names.insert(std::move(key_)).second) note_place();
        key_.clear();
        return true;
    }
    bool on_string_part(text, std::size_t, code&) { return true; }
    bool on_string(text, std::size_t, code&) { return value(); }
    bool on_number_part(text, code&) { return true; }
    bool on_int64(std::int64_t, text, code&) { return value(); }
    bool on_uint64(std::uint64_t, text, code&) { return value(); }
    bool on_double(double, text, code&) { return value(); }
    bool on_bool(bool, code&) { return value(); }
    bool on_null(code&) { return value(); }
    bool on_comment_part(text, code&) { return true; }
    bool on_comment(text, code&) { return true; }

private:
    struct level
    {
        bool object;
        std::size_t index = 0;
        std::string name = {};
        std::set<std::string> names = {};
    };

    bool open(bool object)
    {
        levels_.push_back({object});
        return true;
    }
    bool close()
    {
        levels_.pop_back();
        return value();
    }
    bool value()
    {
        if (!levels_.empty()) ++levels_.back().index;
        return true;
    }
    void note_place()
    {
        if (found.size() >= most_named || bytes_ >= max_path_bytes) return;
        found.push_back(path());
        bytes_ += found.back().size();
    }
    [[nodiscard]] std::string path() const
    {
        std::string out;
        for (const level& l : levels_) {
            if (!l.object)
                out += "[" + std::to_string(l.index) + "]";
            else
                out += (out.empty() ? "" : ".") + l.name;
        }
        return out;
    }

    std::string key_;
    std::vector<level> levels_;
    std::size_t bytes_ = 0;
};

} // namespace

std::vector<std::string> duplicate_fields(std::string_view text, std::size_t max_depth)
{
    boost::json::parse_options options;
    options.max_depth = max_depth;
    boost::json::basic_parser<name_collector> parser(options);
    boost::system::error_code ec;
    parser.write_some(false, text.data(), text.size(), ec);
    return std::move(parser.handler().found);
}

} // namespace kubecoro::detail
