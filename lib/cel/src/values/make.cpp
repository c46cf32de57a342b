#include "values/make.hpp"

namespace kubecoro::cel {

value value::made(value_type type, std::int64_t integer, std::int32_t nanoseconds, std::string_view text,
                  std::shared_ptr<const detail::payload> held) noexcept
{
    value out;
    out.type_ = type;
    out.number_.integer = integer;
    out.nanoseconds_ = nanoseconds;
    out.text_ = text;
    out.held_ = std::move(held);
    return out;
}

namespace detail {

namespace {

value with_text(value_type type, std::string from)
{
    auto held = std::make_shared<const text_data>(std::move(from));
    const std::string_view text = held->text;
    return value::made(type, 0, 0, text, std::move(held));
}

} // namespace

value make_error(std::string words) { return with_text(value_type::error, std::move(words)); }
value no_such_overload() { return value::made(value_type::error, 0, 0, "no such overload", nullptr); }
value make_static(std::string_view text) { return value::made(value_type::string, 0, 0, text, nullptr); }
value make_bytes(std::string from) { return with_text(value_type::bytes, std::move(from)); }
value make_duration(std::int64_t nanoseconds) { return value::made(value_type::duration, nanoseconds, 0, {}, nullptr); }
value make_type(std::string_view name) { return value::made(value_type::type, 0, 0, name, nullptr); }
value make_none() { return value::made(value_type::optional, 0, 0, {}, nullptr); }

value make_part(std::string_view text, std::shared_ptr<const payload> held)
{
    return value::made(value_type::string, 0, 0, text, std::move(held));
}

value make_map(std::vector<map_entry> entries)
{
    return value::made(value_type::map, 0, 0, {}, std::make_shared<const map_data>(std::move(entries)));
}

value make_timestamp(instant time)
{
    return value::made(value_type::timestamp, time.seconds, time.nanoseconds, {}, nullptr);
}

value make_optional(value item)
{
    return value::made(value_type::optional, 0, 0, {}, std::make_shared<const optional_data>(std::move(item)));
}

value make_opaque(std::shared_ptr<const opaque_data> held)
{
    return value::made(value_type::opaque, 0, 0, {}, std::move(held));
}

const value* inside(const value& optional) noexcept
{
    return optional.held() ? &static_cast<const optional_data&>(*optional.held()).item : nullptr;
}

const opaque_data* opaque_of(const value& of, opaque_kind kind) noexcept
{
    if (!of.is(value_type::opaque)) return nullptr;
    const auto& held = static_cast<const opaque_data&>(*of.held());
    return held.kind == kind ? &held : nullptr;
}

std::string_view type_name(const value& of) noexcept
{
    static constexpr std::string_view names[] = {"null_type",
                                                 "bool",
                                                 "int",
                                                 "uint",
                                                 "double",
                                                 "string",
                                                 "bytes",
                                                 "list",
                                                 "map",
                                                 "google.protobuf.Timestamp",
                                                 "google.protobuf.Duration",
                                                 "type",
                                                 "optional_type",
                                                 "",
                                                 "error"};
    static constexpr std::string_view opaque_names[] = {
        "net.IP", "net.CIDR", "kubernetes.URL", "kubernetes.Quantity", "kubernetes.Semver", "kubernetes.NamedFormat",
        "unknown"};
    if (of.is(value_type::opaque)) {
        const auto kind = static_cast<const opaque_data&>(*of.held()).kind;
        return opaque_names[static_cast<std::size_t>(kind)];
    }
    return names[static_cast<std::size_t>(of.type())];
}

} // namespace detail

value::value(std::string from) { *this = detail::with_text(value_type::string, std::move(from)); }

value value::of_int(std::int64_t from) noexcept { return made(value_type::integer, from, 0, {}, nullptr); }

value value::of_uint(std::uint64_t from) noexcept
{
    value out;
    out.type_ = value_type::unsigned_integer;
    out.number_.natural = from;
    return out;
}

value value::of_double(double from) noexcept
{
    value out;
    out.type_ = value_type::real;
    out.number_.real = from;
    return out;
}

value value::of_list(std::vector<value> items)
{
    return made(value_type::list, 0, 0, {}, std::make_shared<const detail::list_data>(std::move(items)));
}

value value::of_view(value_view from) { return detail::make_from({from, nullptr}, nullptr); }

value value::of_json(const boost::json::value& from) { return detail::make_from({{}, &from}, nullptr); }

} // namespace kubecoro::cel
