// How the C++ types of struct members are read and written. Included where structs are described, not where they are used.
#pragma once

#include <kubecoro/api/boxed.hpp>
#include <kubecoro/api/detail/scalar_types.hpp>
#include <kubecoro/api/detail/struct_type.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro::detail {

template<class T>
constexpr const value_type* item_type_of() noexcept;
template<class T>
constexpr auto struct_function_of() noexcept -> const struct_type& (*)() noexcept
{
    if constexpr (known_struct<T>) return &struct_of<T>;
    return nullptr;
}

template<class T>
constexpr auto visit_function_of() noexcept -> bool (*)(const void*, inner_values&)
{
    if constexpr (requires { typename value_operations<T>::item_type; })
        return [](const void* value, inner_values& to) {
            return value_operations<T>::visit(*static_cast<const T*>(value), to);
        };
    return nullptr;
}

/// The operations of T without its type.
template<class T>
inline constexpr value_type value_type_of{
    value_operations<T>::form,
    item_type_of<T>(),
    struct_function_of<T>(),
    visit_function_of<T>(),
    [](value_view from, void* into, struct_reading& course) {
        return value_operations<T>::read(from, *static_cast<T*>(into), course);
    },
    [](const void* value, std::string& out) { value_operations<T>::write(*static_cast<const T*>(value), out); },
    [](const void* value) noexcept { return value_operations<T>::is_set(*static_cast<const T*>(value)); },
    [](const void* a, const void* b) {
        return value_operations<T>::equal(*static_cast<const T*>(a), *static_cast<const T*>(b));
    },
    [](value_view json, const void* value) {
        using operations = value_operations<T>;
        const T& now = *static_cast<const T*>(value);
        T read = T();
        struct_reading course;
        const bool set = operations::read(json, read, course) != fit::none && operations::is_set(read);
        return set == operations::is_set(now) && (!set || operations::equal(read, now));
    }};

template<class T>
constexpr const value_type* item_type_of() noexcept
{
    if constexpr (requires { typename value_operations<T>::item_type; })
        return &value_type_of<typename value_operations<T>::item_type>;
    return nullptr;
}

/// Describes a member.
template<class T>
constexpr struct_field describe(std::string_view name, std::size_t offset, bool required = false) noexcept
{
    return {name, &value_type_of<T>, static_cast<std::uint32_t>(offset), required};
}

/// Appends an item of a list. An item has no other writer, so its required texts are written even if they are
/// empty.
void write_item(const struct_type& type, const void* value, std::string& out);

/// Appends a JSON string.
void write_text(std::string_view text, std::string& out);

template<known_struct T>
struct value_operations<T>
{
    static constexpr value_form form = value_form::part;
    static fit read(value_view from, T& into, struct_reading& course)
    {
        if (is_set(into)) into = T();
        return read_struct(struct_of<T>(), from, &into, course);
    }
    static void write(const T& value, std::string& out) { write_struct(struct_of<T>(), &value, out); }
    static bool is_set(const T& value) noexcept { return is_struct_set(struct_of<T>(), &value); }
    static bool equal(const T& a, const T& b) { return equal_structs(struct_of<T>(), &a, &b); }
};

/// std::optional and boxed: set if there is a value, even an empty one.
template<class Optional>
struct optional_operations
{
    static constexpr value_form form = value_form::optional;
    using item_type = typename Optional::value_type;
    static fit read(value_view from, Optional& into, struct_reading& course)
    {
        into.reset();
        if (from.kind() == value_kind::null) return fit::none;
        // In place: structs are large.
        const fit fits = value_type_of<item_type>.read(from, &make(into), course);
        if (fits == fit::none) into.reset();
        return fits;
    }
    static item_type& make(Optional& into)
    {
        if constexpr (requires { into.emplace(); })
            return into.emplace();
        else
            return into.ensure();
    }
    static void write(const Optional& value, std::string& out) { value_type_of<item_type>.write(&*value, out); }
    static bool visit(const Optional& value, inner_values& to) { return !value || to.see({}, &*value); }
    static bool is_set(const Optional& value) noexcept { return value.has_value(); }
    static bool equal(const Optional& a, const Optional& b)
    {
        return a && b ? value_type_of<item_type>.equal(&*a, &*b) : a.has_value() == b.has_value();
    }
};
template<class T>
struct value_operations<std::optional<T>> : optional_operations<std::optional<T>>
{
};
template<class T>
struct value_operations<boxed<T>> : optional_operations<boxed<T>>
{
};

// No algorithms and no iterators of vectors in these: they would be half of what a struct costs to compile.

/// An empty list counts as absent.
template<class T>
struct value_operations<std::vector<T>>
{
    static constexpr value_form form = value_form::list;
    using item_type = T;
    static fit read(value_view from, std::vector<T>& into, struct_reading& course)
    {
        into.clear();
        if (!from.is_array()) return course.misfit("a list", from), fit::none;
        into.reserve(from.size());
        fit all = fit::exact;
        for (const value_view item : from.items()) {
            const struct_reading::step at(course, into.size());
            const fit fits = read_last(item, into, course);
            if (fits == fit::none) return into.clear(), fit::none;
            all = std::max(all, fits);
        }
        return all;
    }
    /// Reads an item in place, behind the others: structs are large.
    static fit read_last(value_view item, std::vector<T>& into, struct_reading& course)
    {
        if constexpr (std::is_same_v<T, bool>) {
            bool value = false;
            const fit fits = value_type_of<T>.read(item, &value, course);
            into.push_back(value);
            return fits;
        } else {
            return value_type_of<T>.read(item, &into.emplace_back(), course);
        }
    }
    static void write(const std::vector<T>& value, std::string& out)
    {
        out += '[';
        bool first = true;
        for (auto&& element : value) {
            if (!first) out += ',';
            first = false;
            const T& item = element; // binds to a copy for std::vector<bool>
            if constexpr (known_struct<T>)
                write_item(struct_of<T>(), &item, out);
            else
                value_type_of<T>.write(&item, out);
        }
        out += ']';
    }
    static bool visit(const std::vector<T>& value, inner_values& to)
    {
        for (std::size_t at = value.size(); at > 0; --at) {
            const T& item = value[at - 1]; // binds to a copy for std::vector<bool>
            if (!to.see({}, &item)) return false;
        }
        return true;
    }
    static bool is_set(const std::vector<T>& value) noexcept { return !value.empty(); }
    static bool equal(const std::vector<T>& a, const std::vector<T>& b)
    {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const T& x = a[i]; // binds to copies for std::vector<bool>
            const T& y = b[i];
            if (!value_type_of<T>.equal(&x, &y)) return false;
        }
        return true;
    }
};

/// An empty map counts as absent.
template<class T>
struct value_operations<std::map<std::string, T>>
{
    static constexpr value_form form = value_form::map;
    using item_type = T;
    using map = std::map<std::string, T>;
    static fit read(value_view from, map& into, struct_reading& course)
    {
        into.clear();
        if (!from.is_object()) return course.misfit("an object", from), fit::none;
        fit all = fit::exact;
        for (const auto& [key, item] : from.members()) {
            const struct_reading::step at(course, key);
            T value = T();
            const fit fits = value_type_of<T>.read(item, &value, course);
            if (fits == fit::none) return into.clear(), fit::none;
            all = std::max(all, fits);
            into.insert_or_assign(std::string(key), std::move(value));
        }
        return all;
    }
    static void write(const map& value, std::string& out)
    {
        out += '{';
        bool first = true;
        for (const auto& [key, item] : value) {
            if (!first) out += ',';
            first = false;
            write_text(key, out);
            out += ':';
            value_type_of<T>.write(&item, out);
        }
        out += '}';
    }
    static bool visit(const map& value, inner_values& to)
    {
        for (auto at = value.end(); at != value.begin();)
            if (--at; !to.see(at->first, &at->second)) return false;
        return true;
    }
    static bool is_set(const map& value) noexcept { return !value.empty(); }
    static bool equal(const map& a, const map& b)
    {
        if (a.size() != b.size()) return false;
        for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
            if (x->first != y->first || !value_type_of<T>.equal(&x->second, &y->second)) return false;
        return true;
    }
};

} // namespace kubecoro::detail
