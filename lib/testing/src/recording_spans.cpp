#include <kubecoro/testing/recording_spans.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace kubecoro::testing {
namespace {

struct as_text
{
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(double v) const
    {
        std::string out(40, '\0');
        out.resize(static_cast<std::size_t>(std::snprintf(out.data(), out.size(), "%g", v)));
        return out;
    }
};

} // namespace

void recording_spans::ended(const span_data& s)
{
    std::lock_guard lock(mutex_);
    spans_.push_back(s);
}

std::vector<span_data> recording_spans::all() const
{
    std::lock_guard lock(mutex_);
    return spans_;
}

std::vector<span_data> recording_spans::named(std::string_view name) const
{
    std::vector<span_data> out;
    std::lock_guard lock(mutex_);
    std::copy_if(spans_.begin(), spans_.end(), std::back_inserter(out),
                 [name](const auto& s) { return s.name == name; });
    return out;
}

void recording_spans::clear()
{
    std::lock_guard lock(mutex_);
    spans_.clear();
}

std::string attribute(const span_data& s, std::string_view name)
{
    for (const auto& a : s.attributes)
        if (a.name == name) return std::visit(as_text(), a.value);
    return {};
}

} // namespace kubecoro::testing
