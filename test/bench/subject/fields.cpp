#include "fields.hpp"

#include <charconv>

namespace kubecoro::bench {

field_paths paths_of(std::string_view plural) noexcept
{
    if (plural == "widgets") return {.first = "spec.color", .fifth = "spec.schedule"};
    return {};
}

std::string_view read_first(const object& o, const field_paths& paths) noexcept
{
    return o.path(paths.first).as_string();
}

three_fields read_three(const object& o, const field_paths& paths) noexcept
{
    return {.first = read_first(o, paths),
            .phase = o.path("status.phase").as_string(),
            .stamp = o.annotations()["bench.example.com/stamp"].as_string()};
}

std::size_t read_five(const object& o, const field_paths& paths) noexcept
{
    const auto three = read_three(o, paths);
    const auto fifth = o.path(paths.fifth).as_string();
    return three.first.size() + three.phase.size() + three.stamp.size() + o.name().size() + fifth.size();
}

std::int64_t time_of(std::string_view stamp) noexcept
{
    std::int64_t ns = 0;
    std::from_chars(stamp.data(), stamp.data() + stamp.size(), ns);
    return ns;
}

} // namespace kubecoro::bench
