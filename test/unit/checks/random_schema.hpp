#pragma once
// Random structural schemas, objects that match them, and ways to break one rule of a schema.

#include <boost/json.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace checks_test {

namespace json = boost::json;

class dice
{
public:
    explicit dice(std::uint64_t seed) : engine_(seed) {}
    /// A number below `n`.
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
    std::int64_t between(std::int64_t least, std::int64_t most)
    {
        return least + static_cast<std::int64_t>(below(static_cast<std::size_t>(most - least + 1)));
    }
    bool chance(std::size_t percent) { return below(100) < percent; }

private:
    std::mt19937_64 engine_;
};

/// The schema of an object with some properties.
[[nodiscard]] json::object random_schema(dice& d, int depth = 3);
/// A value that matches a schema of random_schema().
[[nodiscard]] json::value matching_value(dice& d, const json::object& schema);

/// An error, as "FieldValueInvalid|spec.a[0]"; "unknown|spec.a" for a member without a schema.
using finding = std::string;

/// Breaks one rule at a random place of a value that matches, or that has been broken before.
/// @return the finding that the value then has; empty if the place had no rule to break.
[[nodiscard]] finding break_one(dice& d, const json::object& schema, json::value& v);

} // namespace checks_test
