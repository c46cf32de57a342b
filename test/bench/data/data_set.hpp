// The objects that one run of the bench lists and watches.
#pragma once

#include "pod_values.hpp"

#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::bench {

enum class data_kind : std::uint8_t
{
    /// Pods of about 5 KB JSON, 36 % of it managedFields, 50 per template with few values of their own.
    small,
    /// Pods of about 11.4 KB, 39 % managedFields: several containers, long environments.
    large,
    /// Pods of about 8 KB with their own environments and annotations: little repeats.
    low,
    /// Custom resources of 5 to 11 KB: widgets.bench.example.com.
    custom
};

/// "small", "large", "low" or "custom". Errors: cond::misconfigured.
[[nodiscard]] result<data_kind> data_kind_of(std::string_view name);

struct data_options
{
    data_kind kind = data_kind::small;
    /// At least 1; names stay distinct up to some hundred thousands.
    std::uint32_t objects = 1000;
    std::uint64_t seed = 1;
    /// Pods only: spread evenly over this number of namespaces, "ns-0" first. 0: about 500 pods in each.
    std::uint32_t namespaces = 0;
};

/** Seeded objects in the order of a list ("/namespace/name" bytewise), each in two states of equal length.

    Names, uids, addresses and versions are distinct. Everything follows from the options. Objects are generated on
    request, so a data set holds little memory. Confined to one thread at a time. */
class data_set
{
public:
    explicit data_set(const data_options& options);
    data_set(data_set&&) noexcept;
    data_set& operator=(data_set&&) noexcept;
    ~data_set();

    [[nodiscard]] std::uint32_t size() const;
    /// Appends the JSON of an object with its kind and apiVersion, compact, members in a server's order.
    void append(std::string& out, std::uint32_t object, object_state state);
    /// The namespace of an object.
    [[nodiscard]] std::string name_space(std::uint32_t object) const;
    /// The resourceVersion of a list of all objects in their first state.
    [[nodiscard]] std::uint64_t list_version() const;

private:
    struct content;
    std::unique_ptr<content> content_;
};

} // namespace kubecoro::bench
