#pragma once
// Includes the distribution's Catch2: version 2 (Debian 12) or 3 (Debian 13, Ubuntu 24.04), with the names of version 2.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

using Catch::Approx;
namespace Catch {
inline auto Contains(const std::string& text) { return Matchers::ContainsSubstring(text); }
} // namespace Catch
#else
#include <catch2/catch.hpp>
#endif

#include <kubecoro/base/result.hpp>

// Prints the failure of a result in a failed check; the value need not be printable.
template<class T>
struct Catch::StringMaker<boost::system::result<T, kubecoro::failure>>
{
    static std::string convert(const boost::system::result<T, kubecoro::failure>& r)
    {
        return r ? "a value" : "failure: " + r.error().describe();
    }
};
