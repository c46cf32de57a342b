#include "print/json_lines.hpp"
#include "print/json_path_step.hpp"

#include <algorithm>

namespace kubecoro::tool {

namespace json = boost::json;
using values = std::vector<const json::value*>;

namespace {

using step = json_path::step;

void apply(const step::member& m, const json::value& v, values& out)
{
    if (const auto* found = find_member(v, {m.name})) out.push_back(found);
}

void apply(const step::every&, const json::value& v, values& out)
{
    if (const auto* object = v.if_object())
        for (const auto& member : *object) out.push_back(&member.value());
    if (const auto* array = v.if_array())
        for (const auto& item : *array) out.push_back(&item);
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of the document
void apply(const step::descend& d, const json::value& v, values& out)
{
    out.push_back(&v);
    values children;
    apply(step::every{}, v, children);
    for (const auto* child : children)
        if (child->is_structured()) apply(d, *child, out);
}

void apply(const step::slice& s, const json::value& v, values& out)
{
    const auto* array = v.if_array();
    if (!array) return;
    const auto size = static_cast<std::int64_t>(array->size());
    const auto at = [&](std::int64_t i) { return std::clamp(i < 0 ? i + size : i, std::int64_t{0}, size); };
    for (auto i = at(s.begin.value_or(0)), end = at(s.end.value_or(size)); i < end; i += s.stride)
        out.push_back(&(*array)[static_cast<std::size_t>(i)]);
}

std::optional<double> number(const json::value& v)
{
    if (const auto* i = v.if_int64()) return static_cast<double>(*i);
    if (const auto* u = v.if_uint64()) return static_cast<double>(*u);
    if (const auto* d = v.if_double()) return *d;
    return {};
}

bool compare(const json::value& a, const std::string& by, const json::value& b)
{
    const auto ordered = [&](const auto& x, const auto& y) {
        if (by == "==") return x == y;
        if (by == "!=") return x != y;
        if (by == "<") return x < y;
        if (by == "<=") return x <= y;
        return by == ">" ? x > y : x >= y;
    };
    const auto x = number(a), y = number(b);
    return x && y ? ordered(*x, *y) : ordered(scalar_text(a), scalar_text(b));
}

bool passes(const step::filter& f, const json::value& item)
{
    const auto left = f.left.find(item);
    if (left.empty()) return false;
    if (f.comparison.empty()) return true;
    if (const auto* literal = std::get_if<json::value>(&f.right)) return compare(*left.front(), f.comparison, *literal);
    const auto right = std::get<json_path>(f.right).find(item);
    return !right.empty() && compare(*left.front(), f.comparison, *right.front());
}

void apply(const step::filter& f, const json::value& v, values& out)
{
    values children;
    apply(step::every{}, v, children);
    for (const auto* child : children)
        if (passes(f, *child)) out.push_back(child);
}

void apply(const step::nested& n, const json::value& v, values& out)
{
    const auto found = n.path.find(v);
    out.insert(out.end(), found.begin(), found.end());
}

} // namespace

values json_path::find(const json::value& root) const
{
    values now{&root};
    for (const auto& next_step : steps_) {
        values next;
        // As in kubectl, [a,b] gives the a of all values, then the b of all.
        for (const auto& one : next_step->any)
            for (const auto* v : now) std::visit([&](const auto& s) { apply(s, *v, next); }, one);
        now = std::move(next);
    }
    return now;
}

} // namespace kubecoro::tool
