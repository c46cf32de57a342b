// The parts that copies of values share.
#pragma once

#include <kubecoro/api/quantity.hpp>
#include <kubecoro/api/value_view.hpp>
#include <kubecoro/cel/value.hpp>

#include "schema/schema_node.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kubecoro::cel::detail {

/// A part of an object: a view, or a JSON value.
struct source
{
    value_view view;
    const boost::json::value* json = nullptr;
};

struct text_data : payload
{
    explicit text_data(std::string from) : text(std::move(from)) {}
    std::string text;
};

/// A list. One that is part of an object is read when it is first looked at.
struct list_data : payload
{
    explicit list_data(std::vector<value> from, const schema_node* list_schema = nullptr)
        : schema(list_schema), items_(std::move(from))
    {
    }
    list_data(source from, const schema_node* list_schema) : schema(list_schema), from_(from), loaded_(false) {}

    [[nodiscard]] const std::vector<value>& items() const
    {
        if (!loaded_) load();
        return items_;
    }

    /// Null for most lists that an expression made. A sum has that of its first list.
    const schema_node* schema = nullptr;

private:
    void load() const;

    mutable std::vector<value> items_;
    source from_;
    mutable bool loaded_ = true;
};

struct map_entry
{
    value key;
    value item;
};

/// A map. One that is part of an object is read when it is first looked at.
struct map_data : payload
{
    explicit map_data(std::vector<map_entry> from) : entries_(std::move(from)), size_(entries_.size()) {}
    map_data(source from, const schema_node* map_schema) : schema_(map_schema), from_(from), loaded_(false) {}

    /// The entries in their order.
    [[nodiscard]] const std::vector<map_entry>& entries() const
    {
        if (!loaded_) load();
        return entries_;
    }
    /// The number of entries, also of those that expressions cannot see.
    [[nodiscard]] std::size_t size() const
    {
        if (!loaded_) load();
        return size_;
    }
    /// The item of a key, or null. Numbers of different types that are equal are the same key.
    [[nodiscard]] const value* find(const value& key) const;
    /// The members that expressions cannot see.
    [[nodiscard]] const std::vector<std::pair<std::string_view, source>>& hidden() const
    {
        if (!loaded_) load();
        return hidden_;
    }

private:
    void load() const;
    void add(std::string_view name, source item) const;
    [[nodiscard]] const value* find_entry(const value& key) const;

    const schema_node* schema_ = nullptr;
    mutable std::vector<map_entry> entries_;
    mutable std::size_t size_ = 0;
    mutable std::vector<std::pair<std::string_view, source>> hidden_;
    mutable std::unordered_multimap<std::size_t, std::uint32_t> places_;
    source from_;
    mutable bool loaded_ = true;
};

struct optional_data : payload
{
    explicit optional_data(value from) : item(std::move(from)) {}
    value item;
};

/// The kinds of opaque values.
enum class opaque_kind : std::uint8_t
{
    ip,
    cidr,
    url,
    quantity,
    semver,
    format,
    /// A part of an object without a type.
    preserved
};

struct ip_address
{
    bool is_v6 = false;
    std::array<std::uint8_t, 16> bytes{};
    friend bool operator==(const ip_address&, const ip_address&) = default;
};

struct opaque_data : payload
{
    explicit opaque_data(opaque_kind of) : kind(of) {}
    opaque_kind kind;
};

/// An IP address; with a prefix, a CIDR.
struct ip_data : opaque_data
{
    ip_data(ip_address from) : opaque_data(opaque_kind::ip), address(from) {}
    ip_data(ip_address from, int bits) : opaque_data(opaque_kind::cidr), address(from), prefix(bits) {}
    ip_address address;
    int prefix = 0;
};

struct url_data : opaque_data
{
    url_data() : opaque_data(opaque_kind::url) {}
    std::string scheme, host, path, query, text;
};

struct quantity_data : opaque_data
{
    quantity_data(quantity from, std::optional<int> power)
        : opaque_data(opaque_kind::quantity), amount(std::move(from)), scale(power)
    {
    }
    quantity amount;
    /// The power of ten whose multiple in 64 bits Go has for it. Nothing if Go has a decimal of any size.
    std::optional<int> scale;
};

struct semver_data : opaque_data
{
    semver_data() : opaque_data(opaque_kind::semver) {}
    std::array<std::uint64_t, 3> numbers{};
    std::vector<std::string> prerelease;
    std::vector<std::string> build;
};

struct format_data : opaque_data
{
    explicit format_data(std::size_t number) : opaque_data(opaque_kind::format), index(number) {}
    std::size_t index;
};

struct preserved_data : opaque_data
{
    explicit preserved_data(source part) : opaque_data(opaque_kind::preserved), from(part) {}
    source from;
};

} // namespace kubecoro::cel::detail
