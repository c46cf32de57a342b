// Response bodies of a kube-apiserver 1.36, byte for byte, from data/.
#pragma once

#include <kubecoro/test/catch.hpp>

#include <fstream>
#include <iterator>
#include <string>

inline std::string fixture(const std::string& name)
{
    std::ifstream in(std::string(KUBECORO_TEST_DATA) + "/" + name, std::ios::binary);
    REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
