// How members without members of their own are read and written: numbers, texts, times, free-form JSON.
#pragma once

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/detail/struct_type.hpp>
#include <kubecoro/api/value_members.hpp>

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <string>

namespace kubecoro::detail {

/// The operations on a C++ type: read, write, and whether a value is set.
template<class T>
struct value_operations;

template<class T, value_form Form>
struct comparable_operations
{
    static constexpr value_form form = Form;
    static bool equal(const T& a, const T& b) { return a == b; }
};

/// A scalar member is always written: it has no value that means "absent".
template<class T, value_form Form>
struct scalar_operations : comparable_operations<T, Form>
{
    static bool is_set(const T&) noexcept { return true; }
};

// Bodies in value_types.cpp.
template<>
struct value_operations<std::string> : comparable_operations<std::string, value_form::text>
{
    static fit read(value_view from, std::string& into, struct_reading& course);
    static void write(const std::string& value, std::string& out);
    static bool is_set(const std::string& value) noexcept { return !value.empty(); }
};
template<>
struct value_operations<bool> : scalar_operations<bool, value_form::boolean>
{
    static fit read(value_view from, bool& into, struct_reading& course);
    static void write(bool value, std::string& out);
};
template<>
struct value_operations<std::int32_t> : scalar_operations<std::int32_t, value_form::int32>
{
    static fit read(value_view from, std::int32_t& into, struct_reading& course);
    static void write(std::int32_t value, std::string& out);
};
template<>
struct value_operations<std::int64_t> : scalar_operations<std::int64_t, value_form::int64>
{
    static fit read(value_view from, std::int64_t& into, struct_reading& course);
    static void write(std::int64_t value, std::string& out);
};
template<>
struct value_operations<double> : scalar_operations<double, value_form::number>
{
    static fit read(value_view from, double& into, struct_reading& course);
    static void write(double value, std::string& out);
};
template<>
struct value_operations<bytes> : comparable_operations<bytes, value_form::bytes>
{
    static fit read(value_view from, bytes& into, struct_reading& course);
    static void write(const bytes& value, std::string& out);
    static bool is_set(const bytes& value) noexcept { return !value.data.empty(); }
};
// A zero is a value, so that these count as set; lists and maps hold them, and std::optional.
template<>
struct value_operations<quantity> : scalar_operations<quantity, value_form::quantity>
{
    static fit read(value_view from, quantity& into, struct_reading& course);
    static void write(const quantity& value, std::string& out);
};
template<>
struct value_operations<timestamp> : scalar_operations<timestamp, value_form::timestamp>
{
    static fit read(value_view from, timestamp& into, struct_reading& course);
    static void write(const timestamp& value, std::string& out);
};
template<>
struct value_operations<micro_timestamp> : scalar_operations<micro_timestamp, value_form::micro_timestamp>
{
    static fit read(value_view from, micro_timestamp& into, struct_reading& course);
    static void write(const micro_timestamp& value, std::string& out);
};
template<>
struct value_operations<go_duration> : scalar_operations<go_duration, value_form::duration>
{
    static fit read(value_view from, go_duration& into, struct_reading& course);
    static void write(const go_duration& value, std::string& out);
};
template<>
struct value_operations<int_or_string> : scalar_operations<int_or_string, value_form::int_or_string>
{
    static fit read(value_view from, int_or_string& into, struct_reading& course);
    static void write(const int_or_string& value, std::string& out);
};
/// Any JSON; null is "absent".
template<>
struct value_operations<boost::json::value> : comparable_operations<boost::json::value, value_form::any>
{
    static fit read(value_view from, boost::json::value& into, struct_reading& course);
    static void write(const boost::json::value& value, std::string& out);
    static bool is_set(const boost::json::value& value) noexcept;
};

} // namespace kubecoro::detail
