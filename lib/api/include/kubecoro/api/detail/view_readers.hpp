// How the types that accessors of views return are read. Included by view.hpp.
#pragma once

#include <kubecoro/api/view.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/// Items of lists and values of maps are read in the same way as members.
template<class T>
struct item_reader
{
    [[nodiscard]] static T read_at(const item_iterator& at) { return view_reader<T>::read(*at); }
};

/// A scalar has `find`, which returns none for what is absent or has another type.
template<class T>
struct scalar_reader : item_reader<T>
{
    [[nodiscard]] static T read(value_view v) { return view_reader<T>::find(v).value_or(T{}); }
};

template<>
struct view_reader<std::string_view> : scalar_reader<std::string_view>
{
    [[nodiscard]] static std::optional<std::string_view> find(value_view v) noexcept
    {
        if (!v.is_string()) return {};
        return v.as_string();
    }
};

template<>
struct view_reader<bool> : scalar_reader<bool>
{
    [[nodiscard]] static std::optional<bool> find(value_view v) noexcept
    {
        if (v.kind() != value_kind::boolean) return {};
        return v.as_bool();
    }
};

template<>
struct view_reader<std::int64_t> : scalar_reader<std::int64_t>
{
    [[nodiscard]] static std::optional<std::int64_t> find(value_view v) noexcept
    {
        if (v.kind() != value_kind::integer) return {};
        return v.as_int64();
    }
};

template<>
struct view_reader<std::int32_t> : scalar_reader<std::int32_t>
{
    /// None beyond 32 bits, not another number.
    [[nodiscard]] static std::optional<std::int32_t> find(value_view v) noexcept
    {
        const auto n = view_reader<std::int64_t>::find(v);
        if (!n || !std::in_range<std::int32_t>(*n)) return {};
        return static_cast<std::int32_t>(*n);
    }
};

template<>
struct view_reader<double> : scalar_reader<double>
{
    [[nodiscard]] static std::optional<double> find(value_view v) noexcept
    {
        if (v.kind() != value_kind::integer && v.kind() != value_kind::number) return {};
        return v.as_double();
    }
};

template<class T>
struct view_reader<std::optional<T>> : item_reader<std::optional<T>>
{
    [[nodiscard]] static std::optional<T> read(value_view v) { return view_reader<T>::find(v); }
};

template<>
struct view_reader<bytes_view> : item_reader<bytes_view>
{
    [[nodiscard]] static bytes_view read(value_view v) noexcept { return bytes_view(v); }
};

template<>
struct view_reader<value_view> : item_reader<value_view>
{
    [[nodiscard]] static value_view read(value_view v) noexcept { return v; }
};

template<class T>
struct view_reader<view<T>> : item_reader<view<T>>
{
    [[nodiscard]] static view<T> read(value_view v) noexcept { return view<T>(v); }
};

template<class T>
struct view_reader<list_view<T>> : item_reader<list_view<T>>
{
    [[nodiscard]] static list_view<T> read(value_view v) noexcept { return list_view<T>(v); }
};

template<class T>
struct view_reader<map_view<T>> : item_reader<map_view<T>>
{
    [[nodiscard]] static map_view<T> read(value_view v) noexcept { return map_view<T>(v); }
};

template<class T>
struct view_reader<std::pair<std::string_view, T>>
{
    [[nodiscard]] static std::pair<std::string_view, T> read_at(const member_iterator& at)
    {
        const member m = *at;
        return {m.key, view_reader<T>::read(m.value)};
    }
};

inline std::optional<std::string_view> view_base::find_text(std::string_view name) const noexcept
{
    return view_reader<std::string_view>::find(at_[name]);
}
inline std::optional<bool> view_base::find_boolean(std::string_view name) const noexcept
{
    return view_reader<bool>::find(at_[name]);
}
inline std::optional<std::int32_t> view_base::find_int32(std::string_view name) const noexcept
{
    return view_reader<std::int32_t>::find(at_[name]);
}
inline std::optional<std::int64_t> view_base::find_int64(std::string_view name) const noexcept
{
    return view_reader<std::int64_t>::find(at_[name]);
}
inline std::optional<double> view_base::find_number(std::string_view name) const noexcept
{
    return view_reader<double>::find(at_[name]);
}

} // namespace kubecoro::detail
