#include "fields.hpp"

#include <charconv>

namespace kubecoro::bench {

std::string_view node_of(const object& o) noexcept { return o.path("spec.nodeName").as_string(); }

three_fields read_three(const object& o) noexcept
{
    return {.node = node_of(o),
            .phase = o.path("status.phase").as_string(),
            .stamp = o.annotations()["bench.example.com/stamp"].as_string()};
}

std::size_t read_five(const object& o) noexcept
{
    const auto three = read_three(o);
    const auto ip = o["status"]["podIP"].as_string();
    return three.node.size() + three.phase.size() + three.stamp.size() + o.name().size() + ip.size();
}

std::int64_t time_of(std::string_view stamp) noexcept
{
    std::int64_t ns = 0;
    std::from_chars(stamp.data(), stamp.data() + stamp.size(), ns);
    return ns;
}

} // namespace kubecoro::bench
