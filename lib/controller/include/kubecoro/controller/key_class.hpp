#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/hash.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kubecoro {

namespace detail {

/// Keyed, because tenants choose their names.
[[nodiscard]] inline std::uint64_t class_number(std::string_view name) noexcept { return hash_text(name); }
template<std::integral Number>
[[nodiscard]] std::uint64_t class_number(Number n) noexcept
{
    return hash_text({reinterpret_cast<const char*>(&n), sizeof n});
}

template<std::integral Number>
[[nodiscard]] std::string class_text(Number n)
{
    return std::to_string(n);
}
[[nodiscard]] inline std::string class_text(std::string_view name) { return std::string(name); }

/// A function that names the class of a key: it returns a text or an integer.
template<class F, class Key>
concept names_class = std::is_invocable_v<const F&, const Key&> &&
                      (std::convertible_to<std::invoke_result_t<const F&, const Key&>, std::string_view> ||
                       std::integral<std::remove_cvref_t<std::invoke_result_t<const F&, const Key&>>>);

} // namespace detail

/** The class of each key of a queue, such as its tenant: classes take turns, so that one with many keys does not delay
    those of another. Made from a function that returns a text or an integer:

        controller_options{.name = "shops", .fair_by = by_namespace}
        controller_options{.name = "shops", .fair_by = [](const object_key& k) { return tenant_of(k.ns); }}

    The function is called once for each key that the queue does not hold yet, and for describing the queue. It is
    called with the queue's lock held: it must not block or call the queue. Keys for which it throws form one class.
    Empty = no classes: all keys take turns by priority and age alone, at no cost. */
template<class Key>
class key_class
{
public:
    key_class() = default;
    /// @param f  Returns the name of a key's class. A returned view must not refer to a temporary.
    template<class F>
        requires(detail::names_class<F, Key> && !std::same_as<std::remove_cvref_t<F>, key_class>)
    key_class(F f) // NOLINT(google-explicit-constructor): the option takes a function
        : text_([f](const Key& key) { return detail::class_text(f(key)); }),
          number_([f = std::move(f)](const Key& key) { return detail::class_number(f(key)); })
    {
    }

    /// Whether keys have classes.
    [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(number_); }
    /// Identifies the class. Different in every process.
    [[nodiscard]] std::uint64_t number(const Key& key) const { return number_(key); }
    /// The name of the class.
    [[nodiscard]] std::string text(const Key& key) const { return text_(key); }

private:
    std::function<std::string(const Key&)> text_;
    std::function<std::uint64_t(const Key&)> number_;
};

/// For `.fair_by`: namespaces take turns. The class of an object is its namespace; those without one share a class.
inline constexpr auto by_namespace = [](const object_key& key) noexcept -> std::string_view { return key.ns; };

} // namespace kubecoro
