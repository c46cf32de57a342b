#pragma once

#include <kubecoro/api/detail/struct_type.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kubecoro::testing {

/// Options of lost_in_round_trips().
struct round_trip_options
{
    /// The first seed. A failure names the one of its object.
    std::uint64_t seed = 1;
    /// The number of objects of each version.
    std::uint32_t objects = 200;
    /// Whether objects have fields that the structs do not know. A list whose name or type differs keeps the struct's
    /// fields alone.
    bool unknown_fields = true;
    /// Makes a random object one that the server accepts, beyond what field_rules say: for patterns, and fields that depend on
    /// others. Gets objects of both versions. Empty = they are taken as they are.
    std::function<void(boost::json::object&)> adjust = {};
};

namespace detail {

/// Converts an object to a version.
using object_conversion =
    std::function<result<boost::json::object>(const boost::json::object& from, std::string_view version)>;

/// A version of a kind.
struct struct_version
{
    resource_type resource;
    const kubecoro::detail::struct_type* type;
};

/// Objects of `a` to `b` and back.
[[nodiscard]] std::string lost(const object_conversion& convert, const struct_version& a, const struct_version& b,
                               const round_trip_options& options);

} // namespace detail

/** Converts random objects of both versions to the other one and back, and compares: the property that servers expect of
    conversions, because they store one version and return any.

        CHECK(lost_in_round_trips<site_v1, site>(hooks) == "");

    The objects have what the structs have, within the bounds of their field_rules, but no empty texts, lists, maps and
    parts, which are written as if they were missing; and fields that neither struct knows.

    @param hooks  kubecoro::webhooks, or another type with its function convert().
    @return  empty if every object came back as it was; else the first one that did not, with its seed, and what it became. */
template<class Spoke, class Hub, class Webhooks>
[[nodiscard]] std::string lost_in_round_trips(const Webhooks& hooks, const round_trip_options& options = {})
{
    const detail::object_conversion convert = [&hooks](const boost::json::object& from, std::string_view version) {
        return hooks.convert(from, version);
    };
    const detail::struct_version spoke{Spoke::resource(), &kubecoro::detail::struct_of<Spoke>()};
    const detail::struct_version hub{Hub::resource(), &kubecoro::detail::struct_of<Hub>()};
    auto out = detail::lost(convert, spoke, hub, options);
    return out.empty() ? detail::lost(convert, hub, spoke, options) : out;
}

} // namespace kubecoro::testing
