// The subset of JSONPath that columns of custom resources use.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/** A path such as `.spec.size`, `.metadata.labels['a.b']`, `.items[0].name`, `.list[*].name`, `.conditions[-1:].type` or
    `.status.conditions[?(@.type=="Ready")].status`. A path of another form leads nowhere. */
class json_path
{
public:
    static constexpr std::size_t longest = 1024;

    /// A text that is too long leads nowhere.
    explicit json_path(std::string_view text);

    /// Returns the first value at the path; null when it is absent.
    [[nodiscard]] const boost::json::value* find(const boost::json::value& v) const { return find(v, 0); }

private:
    struct filter
    {
        /// From an item.
        std::unique_ptr<const json_path> path;
        /// The text that it must have there.
        std::string value;
    };
    struct step
    {
        /// The member of an object.
        std::string name;
        /// Brackets also select items of lists.
        bool is_bracket = false;
        bool all_items = false;
        /// The index of an item, or of the first one of a range. Negative: from the end.
        std::optional<std::int64_t> index = {};
        /// The end of the range. Negative: from the end.
        std::optional<std::int64_t> end = {};
        std::optional<filter> items = {};
    };

    static step bracket(std::string_view inside);
    static std::optional<filter> filter_of(std::string_view inside);
    [[nodiscard]] const boost::json::value* find(const boost::json::value& v, std::size_t from) const;
    [[nodiscard]] const boost::json::value* find_item(const boost::json::array& list, std::size_t from) const;

    std::vector<step> steps_;
    bool leads_somewhere_;
};

} // namespace kubecoro::apiserver
