// Random objects of built-in kinds, made from their schemas, and random changes of them.
#pragma once

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace kubecoro::test {

/// Makes objects whose lists often have keys in common: their vocabulary is small.
class object_maker
{
public:
    explicit object_maker(detail::random_source random) : random_(std::move(random)) {}

    /// An object of a kind, without status.
    [[nodiscard]] boost::json::object make(const detail::schema_kind& kind);
    /// A version of an object in which some members and items are removed, exchanged, or those of another object.
    [[nodiscard]] boost::json::object changed(const boost::json::object& from, const boost::json::object& other);
    [[nodiscard]] bool one_in(unsigned n) { return random_() % n == 0; }
    [[nodiscard]] std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

private:
    void fill(boost::json::object& out, std::uint16_t message, int depth);
    [[nodiscard]] boost::json::value value_of(const detail::schema_field& field, int depth);
    [[nodiscard]] boost::json::value single(const detail::schema_field& field, int depth);
    [[nodiscard]] boost::json::value special(detail::json_form form);
    [[nodiscard]] boost::json::value list_of(const detail::schema_field& field, int depth);
    void change(boost::json::value& v, const boost::json::value* other);

    detail::random_source random_;
};

} // namespace kubecoro::test
