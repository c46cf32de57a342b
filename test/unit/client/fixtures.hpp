#pragma once
// Response bodies of a kube-apiserver 1.36, byte for byte, from data/.

#include <kubecoro/api/object.hpp>
#include <kubecoro/test/catch.hpp>

#include <fstream>
#include <iterator>
#include <string>

namespace kubecoro::test {

inline std::string body_of(const std::string& name)
{
    std::ifstream in(std::string(KUBECORO_TEST_DATA) + "/" + name, std::ios::binary);
    REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline object document(const std::string& name)
{
    auto parsed = object::parse(body_of(name));
    REQUIRE(parsed);
    return *parsed;
}

} // namespace kubecoro::test
