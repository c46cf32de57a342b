// Random JSON values of the types that schemas name.
#pragma once

#include <kubecoro/base/detail/random.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kubecoro::test {

/// Makes values that are right for their type, odd ones among them: empty, huge, escaped, written in another way.
class random_values
{
public:
    explicit random_values(std::uint64_t seed) : random_(seed) {}

    [[nodiscard]] bool one_in(std::size_t n) { return below(n) == 0; }
    /// Below n, which is not 0.
    [[nodiscard]] std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
    template<class T, std::size_t N>
    [[nodiscard]] T one_of(const T (&of)[N])
    {
        return of[below(N)];
    }

    /// A name of a member of a map, or of a field that no schema has.
    [[nodiscard]] std::string name();
    [[nodiscard]] std::string text();
    [[nodiscard]] boost::json::value int32();
    [[nodiscard]] boost::json::value int64();
    [[nodiscard]] boost::json::value real();
    [[nodiscard]] std::string base64();
    /// A text, or a number, which servers read as well.
    [[nodiscard]] boost::json::value quantity();
    [[nodiscard]] boost::json::value int_or_string();
    [[nodiscard]] std::string time();
    [[nodiscard]] std::string micro_time();
    [[nodiscard]] std::string duration();
    /// Any JSON but null, of few values. @param depth  0: no lists and objects with content.
    [[nodiscard]] boost::json::value any(int depth);

private:
    /// "2026-01-02T03:04:05", from year 1 to 9999.
    [[nodiscard]] std::string date();

    detail::random_source random_;
};

} // namespace kubecoro::test
