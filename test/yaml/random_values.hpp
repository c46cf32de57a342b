#pragma once
// JSON values whose texts are hard to write as YAML.

#include <boost/json/value.hpp>

#include <random>

namespace kubecoro::test {

[[nodiscard]] boost::json::value random_value(std::mt19937_64& random, int depth);

} // namespace kubecoro::test
