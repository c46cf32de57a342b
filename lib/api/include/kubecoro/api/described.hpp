#pragma once

#include <kubecoro/api/detail/value_types.hpp>
#include <kubecoro/api/field_rule.hpp>
#include <kubecoro/api/other_fields.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/api/structs.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>

/** Structs that a program writes by hand and describes with Boost.Describe, used like generated ones.

        struct site_spec { std::string host; std::optional<int> replicas; };
        BOOST_DESCRIBE_STRUCT(site_spec, (), (host, replicas))
        struct site
        {
            static kubecoro::resource_type resource() { return {"example.com", "v1", "sites", "Site"}; }
            kubecoro::meta_v1::object_meta metadata;
            site_spec spec;
        };
        BOOST_DESCRIBE_STRUCT(site, (), (metadata, spec))

    Members are text, bool, 32- and 64-bit integers, double, bytes, quantity, times, durations, int_or_string,
    boost::json::value, described or generated structs, and std::optional, boxed, std::vector and std::map of these. A
    field has the member's name without an underscore at its end. Plain numbers and booleans are always written; text,
    lists, maps and parts only if they are not empty; in items of lists also an empty text that a rule requires. A
    member of type other_fields, which is not described, keeps unknown fields; without one they are lost when the struct
    is written. A static function `field_rules` adds to the schema that crd.hpp prints: see field_rule.hpp. */
namespace kubecoro::detail {

template<class T>
concept described_struct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;

/// Collects the description of a struct once, when it is used first.
template<described_struct T>
class described_fields
{
public:
    described_fields()
    {
        // A real object: offsets are those of its members.
        const auto sample = std::make_unique<T>();
        std::size_t i = 0;
        boost::mp11::mp_for_each<members>([&](auto member) {
            const auto& value = (*sample).*member.pointer;
            fields_[i++] =
                describe<std::remove_cvref_t<decltype(value)>>(name_of(member.name), distance(*sample, value));
        });
        if constexpr (requires { T::field_rules(); }) note_required();
        std::iota(by_name_.begin(), by_name_.end(), std::uint16_t{0});
        std::ranges::sort(by_name_, {}, [&](auto at) { return fields_[at].name; });
        if constexpr (requires { T::resource(); }) {
            const resource_type type = T::resource();
            api_version_ = type.api_version();
            kind_ = type.kind;
        }
        type_ = {api_version_, kind_, fields_, by_name_, others(*sample)};
        if constexpr (requires { T::field_rules(); }) type_.rules = &T::field_rules;
    }
    described_fields(const described_fields&) = delete;
    described_fields& operator=(const described_fields&) = delete;

    [[nodiscard]] const struct_type& type() const noexcept { return type_; }

private:
    using members = boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;
    static constexpr std::size_t count = boost::mp11::mp_size<members>::value;

    void note_required()
    {
        for (const field_rule& rule : T::field_rules())
            for (auto& field : fields_) field.required |= rule.required.value_or(false) && rule.field == field.name;
    }
    static constexpr std::string_view name_of(std::string_view member) noexcept
    {
        if (member.ends_with('_')) member.remove_suffix(1);
        return member;
    }
    template<class M>
    static std::uint32_t distance(const T& of, const M& member) noexcept
    {
        const auto* const begin = reinterpret_cast<const unsigned char*>(std::addressof(of));
        return static_cast<std::uint32_t>(reinterpret_cast<const unsigned char*>(std::addressof(member)) - begin);
    }
    static std::uint32_t others(const T& sample) noexcept
    {
        if constexpr (requires {
                          requires std::same_as<std::remove_cvref_t<decltype(sample.other_fields)>, other_fields>;
                      })
            return distance(sample, sample.other_fields);
        else
            return struct_type::no_others;
    }

    std::array<struct_field, count> fields_{};
    std::array<std::uint16_t, count> by_name_{};
    std::string api_version_;
    std::string kind_;
    struct_type type_{};
};

template<described_struct T>
struct external_struct<T>
{
    static const struct_type& type()
    {
        static const described_fields<T> described;
        return described.type();
    }
};

} // namespace kubecoro::detail
