#pragma once
// Catch2 as the distribution ships it: version 2 (Debian 12) or 3 (Ubuntu 24.04).

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <kubecoro/base/result.hpp>

// A failed check of a result says why it failed; the value itself need not be printable.
template<class T>
struct Catch::StringMaker<boost::system::result<T, kubecoro::failure>>
{
    static std::string convert(const boost::system::result<T, kubecoro::failure>& r)
    {
        return r ? "a value" : "failure: " + r.error().describe();
    }
};
