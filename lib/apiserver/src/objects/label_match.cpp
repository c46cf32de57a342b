#include "objects/label_match.hpp"

#include "text/json_text.hpp"

#include <kubecoro/api/typed_selector.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace kubecoro::apiserver {
namespace {

using op = label_selector::op;

std::optional<std::int64_t> number(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

} // namespace

void label_match::rule::add(const label_selector::requirement& r)
{
    auto values = r.values;
    std::sort(values.begin(), values.end());
    switch (r.operation) {
    case op::equals:
    case op::in:
        must_exist = true;
        if (among) {
            std::vector<std::string> both;
            std::set_intersection(among->begin(), among->end(), values.begin(), values.end(), std::back_inserter(both));
            values = std::move(both);
        }
        among = std::move(values);
        break;
    case op::not_equals:
    case op::not_in:
        not_among.insert(not_among.end(), values.begin(), values.end());
        break;
    case op::exists:
        must_exist = true;
        break;
    case op::not_exists:
        must_be_absent = true;
        break;
    case op::greater:
    case op::less: {
        must_exist = true;
        const auto bound = values.empty() ? std::nullopt : number(values.front());
        if (!bound)
            impossible = true;
        else if (r.operation == op::greater)
            above = std::max(above.value_or(*bound), *bound);
        else
            below = std::min(below.value_or(*bound), *bound);
        break;
    }
    }
}

bool label_match::rule::takes(const std::string& value) const
{
    if (must_be_absent) return false;
    if (among && !std::binary_search(among->begin(), among->end(), value)) return false;
    if (std::binary_search(not_among.begin(), not_among.end(), value)) return false;
    if (!above && !below) return true;
    const auto have = number(value);
    return have && (!above || *have > *above) && (!below || *have < *below);
}

label_match::label_match(const label_selector& selector)
{
    for (const auto& r : selector.requirements()) rules_[r.key].add(r);
    for (auto& [key, asked] : rules_) {
        std::sort(asked.not_among.begin(), asked.not_among.end());
        if (asked.must_exist) ++needed_;
        impossible_ = impossible_ || asked.impossible || (asked.must_exist && asked.must_be_absent);
    }
}

std::optional<label_match> label_match::of(const json::value& selector)
{
    const auto read = object::parse(to_text(selector));
    if (!read) return {};
    const auto parsed = selector_of(read->root());
    if (!parsed) return {};
    return label_match(*parsed);
}

bool label_match::matches(const stored_object& object) const
{
    if (impossible_ || needed_ > object.labels.size()) return false;
    std::size_t missing = needed_;
    for (const auto& [key, value] : object.labels) {
        const auto asked = rules_.find(key);
        if (asked == rules_.end()) continue;
        if (!asked->second.takes(value)) return false;
        if (asked->second.must_exist) --missing;
    }
    return missing == 0;
}

} // namespace kubecoro::apiserver
