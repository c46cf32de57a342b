// Values that are parts of objects, by the types of their schemas.
#include <kubecoro/api/bytes.hpp>
#include <kubecoro/base/hash.hpp>

#include "text/escaping.hpp"
#include "values/compare.hpp"
#include "values/make.hpp"

#include <cmath>

namespace kubecoro::cel::detail {

namespace {

value_kind kind_of(const source& from) noexcept
{
    if (from.json == nullptr) return from.view.kind();
    switch (from.json->kind()) {
    case boost::json::kind::null:
        return value_kind::null;
    case boost::json::kind::bool_:
        return value_kind::boolean;
    case boost::json::kind::int64:
        return value_kind::integer;
    case boost::json::kind::uint64:
        return std::in_range<std::int64_t>(from.json->get_uint64()) ? value_kind::integer : value_kind::number;
    case boost::json::kind::double_:
        return value_kind::number;
    case boost::json::kind::string:
        return value_kind::string;
    case boost::json::kind::array:
        return value_kind::array;
    case boost::json::kind::object:
        return value_kind::object;
    }
    return value_kind::absent;
}

std::string_view text_of_part(const source& from)
{
    return from.json != nullptr ? std::string_view(from.json->get_string()) : from.view.as_string();
}

std::int64_t integer_of(const source& from)
{
    return from.json != nullptr ? from.json->to_number<std::int64_t>() : from.view.as_int64();
}

double real_of(const source& from)
{
    return from.json != nullptr ? from.json->to_number<double>() : from.view.as_double();
}

value bool_of(const source& from) { return value(from.json != nullptr ? from.json->get_bool() : from.view.as_bool()); }

value list_from(const source& from, const schema_node* schema)
{
    return value::made(value_type::list, 0, 0, {}, std::make_shared<const list_data>(from, schema));
}

value map_from(const source& from, const schema_node* schema)
{
    return value::made(value_type::map, 0, 0, {}, std::make_shared<const map_data>(from, schema));
}

value untyped(const source& from)
{
    switch (kind_of(from)) {
    case value_kind::boolean:
        return bool_of(from);
    case value_kind::integer:
        return value::of_int(integer_of(from));
    case value_kind::number:
        return value::of_double(real_of(from));
    case value_kind::string:
        return make_static(text_of_part(from));
    case value_kind::array:
        return list_from(from, nullptr);
    case value_kind::object:
        return map_from(from, nullptr);
    default:
        return {};
    }
}

value bad_data(std::string_view expected) { return make_error("invalid data, expected " + std::string(expected)); }

value text_by_format(std::string_view text, schema_kind kind)
{
    const auto bad = [text](std::string_view what) { return make_error(std::string(what) + " " + std::string(text)); };
    if (kind == schema_kind::string) return make_static(text);
    if (kind == schema_kind::duration) {
        const auto length = parse_schema_length(text);
        return length ? make_duration(*length) : bad("Invalid duration");
    }
    if (kind == schema_kind::bytes) {
        const auto decoded = bytes::from_base64(text);
        return decoded ? make_bytes(std::string(decoded->data)) : bad("Invalid byte formatted string");
    }
    const auto time = kind == schema_kind::date ? parse_day(text) : parse_instant(text);
    if (time) return make_timestamp(*time);
    return bad(kind == schema_kind::date ? "Invalid date formatted string" : "Invalid date-time formatted string");
}

value typed(const source& from, const schema_node& schema)
{
    const auto kind = kind_of(from);
    if (kind == value_kind::null || kind == value_kind::absent)
        return schema.nullable ? value{} : make_error("invalid data, got null for schema with nullable=false");
    switch (schema.kind) {
    case schema_kind::object:
    case schema_kind::map:
        if (kind == value_kind::object) return map_from(from, &schema);
        return bad_data("a map for the provided schema with type=object");
    case schema_kind::list:
        if (kind != value_kind::array) return bad_data("an array for the provided schema with type=array");
        return list_from(from, &schema);
    case schema_kind::boolean:
        return kind == value_kind::boolean ? bool_of(from) : bad_data("bool");
    case schema_kind::number:
        if (kind == value_kind::integer || kind == value_kind::number) return value::of_double(real_of(from));
        return bad_data("float");
    case schema_kind::integer:
        return kind == value_kind::integer ? value::of_int(integer_of(from)) : bad_data("int");
    case schema_kind::int_or_string:
        if (kind == value_kind::integer) return value::of_int(integer_of(from));
        if (kind == value_kind::string) return make_static(text_of_part(from));
        return bad_data("XIntOrString value to be either a string or integer");
    case schema_kind::preserved:
        return make_opaque(std::make_shared<const preserved_data>(from));
    case schema_kind::unknown:
        return make_error("invalid type, expected object, array, number, integer, boolean or string, or no type with "
                          "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true");
    default:
        return kind == value_kind::string ? text_by_format(text_of_part(from), schema.kind) : bad_data("string");
    }
}

template<class T>
std::size_t hash_of_bytes(T number) noexcept
{
    return kubecoro::detail::text_hash{}(std::string_view(reinterpret_cast<const char*>(&number), sizeof number));
}

constexpr std::size_t few_entries = 12;

} // namespace

std::size_t hash_of_key(const value& key) noexcept
{
    switch (key.type()) {
    case value_type::boolean:
        return key.as_bool() ? 3 : 5;
    case value_type::integer:
        return hash_of_bytes(static_cast<std::uint64_t>(key.as_int()));
    case value_type::unsigned_integer:
        return hash_of_bytes(key.as_uint());
    case value_type::real: {
        const double number = key.as_double();
        if (number >= -9e18 && number <= 9e18 && number == std::trunc(number))
            return hash_of_bytes(static_cast<std::uint64_t>(static_cast<std::int64_t>(number)));
        return number > 0 && number < 1.8e19 && number == std::trunc(number)
                   ? hash_of_bytes(static_cast<std::uint64_t>(number))
                   : hash_of_bytes(number);
    }
    default:
        return kubecoro::detail::text_hash{}(key.as_string());
    }
}

value make_from(source from, const schema_node* schema)
{
    return schema != nullptr ? typed(from, *schema) : untyped(from);
}

void list_data::load() const
{
    const schema_node* item = schema != nullptr ? schema->items.get() : nullptr;
    loaded_ = true;
    if (from_.json != nullptr) {
        for (const auto& each : from_.json->get_array()) items_.push_back(make_from({{}, &each}, item));
    } else {
        for (const auto each : from_.view.items()) items_.push_back(make_from({each, nullptr}, item));
    }
}

void map_data::add(std::string_view name, source item) const
{
    if (schema_ == nullptr) {
        entries_.push_back({make_static(name), make_from(item, nullptr)});
        return;
    }
    const auto* schema = schema_->member(name);
    if (schema == nullptr) {
        hidden_.emplace_back(name, item);
        return;
    }
    if (!schema_->has_properties) {
        entries_.push_back({make_static(name), make_from(item, schema)});
        return;
    }
    // A null of an object is the same as a missing member.
    if (kind_of(item) == value_kind::null) return;
    auto escaped = escape_name(name);
    if (!escaped) {
        hidden_.emplace_back(name, item);
        return;
    }
    entries_.push_back({*escaped == name ? make_static(name) : value(*std::move(escaped)), make_from(item, schema)});
}

void map_data::load() const
{
    loaded_ = true;
    if (from_.json != nullptr) {
        for (const auto& member : from_.json->get_object()) add(member.key(), {{}, &member.value()});
        size_ = from_.json->get_object().size();
    } else {
        for (const auto [name, item] : from_.view.members()) add(name, {item, nullptr});
        size_ = from_.view.size();
    }
}

const value* map_data::find(const value& key) const
{
    if (schema_ == nullptr || !schema_->has_properties || !key.is(value_type::string)) return find_entry(key);
    // `if` finds what `__if__` does.
    const auto name = unescape_name(key.as_string());
    auto identifier = name ? escape_name(*name) : std::nullopt;
    if (!identifier) return nullptr;
    return *identifier == key.as_string() ? find_entry(key) : find_entry(value(*std::move(identifier)));
}

const value* map_data::find_entry(const value& key) const
{
    const auto& all = entries();
    if (all.size() <= few_entries) {
        for (const auto& entry : all)
            if (same_key(entry.key, key)) return &entry.item;
        return nullptr;
    }
    if (places_.empty())
        for (std::size_t i = 0; i < all.size(); ++i)
            places_.emplace(hash_of_key(all[i].key), static_cast<std::uint32_t>(i));
    const auto [begin, end] = places_.equal_range(hash_of_key(key));
    for (auto at = begin; at != end; ++at)
        if (same_key(all[at->second].key, key)) return &all[at->second].item;
    return nullptr;
}

} // namespace kubecoro::cel::detail
