// Families whose fields are read by typed views: a field that the kind does not have does not compile.
#pragma once

#include "family.hpp"

#include <kubecoro/api/timestamp.hpp>
#include <kubecoro/api/view.hpp>

#include <optional>
#include <type_traits>

namespace kubecoro::cluster_metrics {

namespace detail {

template<class T>
struct found_part;
template<class F, class Part, class Object>
struct found_part<Part (F::*)(Object) const>
{
    using object_type = Object;
    using type = Part;
};
template<auto Find>
using found = found_part<decltype(&decltype(Find)::operator())>;

// Functions are copied before they are called: clang 19 at -O0 does not link calls of a parameter whose type is local to a file.

template<auto Find>
value_view find_part(value_view object)
{
    constexpr auto find = Find;
    return find(typename found<Find>::object_type(object)).untyped();
}

template<class Part, auto Write>
void write_part(const subject& s, series_sink& out)
{
    constexpr auto write = Write;
    if constexpr (std::is_invocable_v<decltype(Write), Part, const subject&, series_sink&>)
        write(Part(s.part), s, out);
    else
        write(Part(s.part), out);
}

/// Writes nothing for a missing value and for the time "none".
template<class T>
void add_value(const T& value, series_sink& out)
{
    if constexpr (std::is_same_v<T, timestamp>) {
        if (!value.is_zero()) out.add(static_cast<double>(value.time().time_since_epoch().count()));
    } else if constexpr (std::is_arithmetic_v<T>) {
        out.add(static_cast<double>(value));
    } else if (value) {
        add_value(*value, out);
    }
}

template<class Part, auto Read>
void write_value(const subject& s, series_sink& out)
{
    constexpr auto read = Read;
    add_value(read(Part(s.part)), out);
}

} // namespace detail

/** A family of several series, or of series with labels.

    @tparam Find   Returns a part of an object: a view, a list or a map.
    @tparam Write  Called with the part and the sink, or with the part, the subject and the sink. */
template<auto Find, auto Write>
constexpr family series_of(std::string_view name, std::string_view help, family_type type = family_type::gauge)
{
    return {name, help, detail::write_part<typename detail::found<Find>::type, Write>, detail::find_part<Find>, type};
}

/** A family of one series without labels: a number, 1 for true, or seconds since 1970. A missing value has none.

    @tparam Read  Returns the value in the part that `Find` returns. */
template<auto Find, auto Read>
constexpr family value_of(std::string_view name, std::string_view help, family_type type = family_type::gauge)
{
    return {name, help, detail::write_value<typename detail::found<Find>::type, Read>, detail::find_part<Find>, type};
}

// ---- parts of every kind

template<class T>
inline constexpr auto whole = [](view<T> o) { return o; };
template<class T>
inline constexpr auto metadata_of = [](view<T> o) { return o.metadata(); };
template<class T>
inline constexpr auto spec_of = [](view<T> o) { return o.spec(); };
template<class T>
inline constexpr auto status_of = [](view<T> o) { return o.status(); };
template<class T>
inline constexpr auto conditions_of = [](view<T> o) { return o.status().conditions(); };

} // namespace kubecoro::cluster_metrics
