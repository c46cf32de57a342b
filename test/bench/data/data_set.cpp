#include "data_set.hpp"

#include "widget_template.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace kubecoro::bench {
namespace {

constexpr std::array<std::pair<std::string_view, data_kind>, 4> kinds{
    {{"small", data_kind::small}, {"large", data_kind::large}, {"low", data_kind::low}, {"custom", data_kind::custom}}};

constexpr std::uint32_t replicas = 50;
constexpr std::uint32_t pods_per_node = 30;

pod_shape shape_of(data_kind kind)
{
    pod_shape out{{1, 1}, {0, 0}, {0, 1}, {0, 0}, {1, 1}};
    if (kind == data_kind::large) {
        out = {{2, 2}, {0, 1}, {1, 3}, {0, 1}, {1, 3}};
        out.full_containers = true;
    }
    if (kind == data_kind::low) {
        out = {{1, 1}, {0, 0}, {7, 11}, {0, 0}, {8, 10}};
        out.own_values = true;
    }
    return out;
}

} // namespace

result<data_kind> data_kind_of(std::string_view name)
{
    for (const auto& [text, kind] : kinds)
        if (text == name) return kind;
    return failure{cond::misconfigured, "unknown data " + std::string(name) + ": use small, large, low or custom"};
}

struct data_set::content
{
    data_options options;
    pod_shape shape;
    /// Numbers of the objects in the order of a list.
    std::vector<std::uint32_t> order;
    /// The rank of each object in the assignment to nodes, and in the order of last writes.
    std::vector<std::uint32_t> spread;
    std::vector<std::uint32_t> written;
    std::vector<workload> workloads;
    std::vector<std::optional<text_template>> templates;

    explicit content(const data_options& o)
        : options(o),
          shape(shape_of(o.kind)),
          order(o.objects),
          spread(permutation(o.objects, seeded(o.seed, 20))),
          written(permutation(o.objects, seeded(o.seed, 21))),
          templates((o.objects + replicas - 1) / replicas)
    {
        for (std::uint32_t i = 0; i < templates.size(); ++i) {
            workloads.push_back(make_workload(o.seed, i));
            if (o.namespaces != 0) workloads.back().name_space = "ns-" + std::to_string(i % o.namespaces);
        }
        std::vector<std::string> keys(o.objects);
        for (std::uint32_t i = 0; i < o.objects; ++i) keys[i] = key(i);
        std::iota(order.begin(), order.end(), 0U);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    }

    [[nodiscard]] std::string name(std::uint32_t number) const
    {
        const std::uint32_t work = number / replicas;
        return pod_name(workloads[work], options.seed, work, number % replicas);
    }

    [[nodiscard]] std::string key(std::uint32_t number) const
    {
        if (options.kind != data_kind::custom) return workloads[number / replicas].name_space + "/" + name(number);
        const widget_name widget = make_widget_name(options.seed, number);
        return widget.name_space + "/" + widget.name;
    }

    const text_template& template_of(std::uint32_t work)
    {
        if (!templates[work])
            templates[work].emplace(make_pod_template(workloads[work], shape, seeded(options.seed, 22, work)));
        return *templates[work];
    }
};

data_set::data_set(const data_options& options) : content_(std::make_unique<content>(options)) {}
data_set::data_set(data_set&&) noexcept = default;
data_set& data_set::operator=(data_set&&) noexcept = default;
data_set::~data_set() = default;

std::uint32_t data_set::size() const { return content_->options.objects; }

std::string data_set::name_space(std::uint32_t object) const
{
    const std::string key = content_->key(content_->order[object]);
    return key.substr(0, key.find('/'));
}

std::uint64_t data_set::list_version() const { return first_version + size(); }

void data_set::append(std::string& out, std::uint32_t object, object_state state)
{
    content& c = *content_;
    const std::uint32_t number = c.order[object];
    const std::uint64_t version = first_version + c.written[number];
    if (c.options.kind == data_kind::custom) return append_widget(out, c.options.seed, number, version, state);
    const std::uint32_t work = number / replicas;
    const pod_place place{number % replicas, c.spread[number] / pods_per_node, c.spread[number] % pods_per_node,
                          version};
    const std::vector<std::string> values = pod_values(c.workloads[work], c.name(number), place,
                                                       seeded(c.options.seed, 23, number), state, c.shape.own_values);
    c.template_of(work).render(out, values);
}

} // namespace kubecoro::bench
