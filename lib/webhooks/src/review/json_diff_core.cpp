#include "review/json_diff_core.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

/// Cells of the table for the longest common sequence. Beyond it the items are compared by their places.
constexpr std::size_t max_cells = 16 * 1024;

/// About the bytes of its text.
std::size_t text_size(const json::value& v)
{
    if (v.is_string()) return v.get_string().size() + 2;
    std::size_t sum = 4;
    if (const auto* items = v.if_array())
        for (const auto& item : *items) sum += text_size(item) + 1;
    else if (const auto* members = v.if_object())
        for (const auto& m : *members) sum += m.key().size() + 4 + text_size(m.value());
    return sum;
}

std::string below(const std::string& path, std::string_view name)
{
    std::string out = path + '/';
    for (const char c : name) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

/// Items that both lists have: matches[i] is the place in `b` of a[i], or none. In rising order.
class common_items
{
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    common_items(const json::array& a, const json::array& b) : matches_(a.size(), none)
    {
        std::size_t front = 0;
        while (front < a.size() && front < b.size() && a[front] == b[front]) {
            matches_[front] = front;
            ++front;
        }
        std::size_t back = 0;
        while (back < a.size() - front && back < b.size() - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) {
            matches_[a.size() - 1 - back] = b.size() - 1 - back;
            ++back;
        }
        match_middle(a, b, front, back);
    }
    [[nodiscard]] const std::vector<std::size_t>& matches() const noexcept { return matches_; }

private:
    /// The longest common sequence of what is neither the common beginning nor the common end.
    void match_middle(const json::array& a, const json::array& b, std::size_t front, std::size_t back)
    {
        const std::size_t rows = a.size() - front - back, columns = b.size() - front - back;
        if (rows == 0 || columns == 0 || columns > max_cells / rows) return;
        // length[i][j]: of the items from i and j on.
        std::vector<std::uint32_t> length((rows + 1) * (columns + 1));
        const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return length[i * (columns + 1) + j]; };
        for (std::size_t i = rows; i-- > 0;)
            for (std::size_t j = columns; j-- > 0;)
                at(i, j) = a[front + i] == b[front + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
        for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
            if (a[front + i] == b[front + j])
                matches_[front + i++] = front + j++;
            else if (at(i + 1, j) >= at(i, j + 1))
                ++i;
            else
                ++j;
        }
    }

    std::vector<std::size_t> matches_;
};

class patch_writer
{
public:
    void members(const json::object& before, const json::object& after, const std::string& path)
    {
        for (const auto& m : before)
            if (!after.contains(m.key())) remove(below(path, m.key()));
        for (const auto& m : after) {
            const auto* old = before.if_contains(m.key());
            if (old == nullptr)
                put("add", below(path, m.key()), m.value());
            else
                change(*old, m.value(), below(path, m.key()));
        }
    }
    [[nodiscard]] json::array take() && { return std::move(operations_); }

private:
    void change(const json::value& before, const json::value& after, const std::string& path)
    {
        if (before == after) return;
        const std::size_t first = operations_.size();
        if (before.is_object() && after.is_object())
            members(before.get_object(), after.get_object(), path);
        else if (before.is_array() && after.is_array())
            items(before.get_array(), after.get_array(), path);
        else
            return put("replace", path, after);
        if (operations_.size() - first < 2) return;
        std::size_t size = 0;
        for (std::size_t i = first; i < operations_.size(); ++i) size += text_size(operations_[i]);
        if (size <= path.size() + text_size(after) + 32) return;
        operations_.erase(operations_.begin() + static_cast<std::ptrdiff_t>(first), operations_.end());
        put("replace", path, after);
    }
    /// Between two common items, as many as possible are changed in place.
    void items(const json::array& before, const json::array& after, const std::string& path)
    {
        const common_items common(before, after);
        std::size_t place = 0, done = 0; // of the list that is patched; of `after`
        for (std::size_t i = 0; i <= before.size();) {
            std::size_t run = i;
            while (run < before.size() && common.matches()[run] == common_items::none) ++run;
            const std::size_t until = run < before.size() ? common.matches()[run] : after.size();
            for (; i < run && done < until; ++i, ++done, ++place)
                change(before[i], after[done], below(path, std::to_string(place)));
            for (; i < run; ++i) remove(below(path, std::to_string(place)));
            for (; done < until; ++done, ++place) put("add", below(path, std::to_string(place)), after[done]);
            ++i, ++done, ++place; // the common item
        }
    }
    void put(std::string_view op, const std::string& path, const json::value& v)
    {
        operations_.push_back(json::object{{"op", op}, {"path", path}, {"value", v}});
    }
    void remove(const std::string& path) { operations_.push_back(json::object{{"op", "remove"}, {"path", path}}); }

    json::array operations_;
};

} // namespace

json::array json_patch(const json::object& before, const json::object& after)
{
    patch_writer writer;
    writer.members(before, after, {});
    return std::move(writer).take();
}

} // namespace kubecoro::detail
