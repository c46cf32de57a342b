#pragma once
// Reads and writes of kinds that have C++ types. Included by client.hpp.

#include <kubecoro/api/detail/typed_outcome.hpp>
#include <kubecoro/api/structs.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro {

/// A list of objects of kind T, see list_page.
template<class T>
struct typed_page
{
    /// The objects, in the server's order.
    std::vector<typed_object<T>> items = {};
    /// The version of the list.
    std::string resource_version = {};
    /// Empty on the last page.
    std::string continue_token = {};
    /// How many objects follow this page, if the server says so.
    std::optional<std::int64_t> remaining = {};
    /// Items that the server sent and that are missing from `items`.
    std::vector<left_out_object> left_out = {};

    /// The first object: `for (const auto& pod : page)` visits the items.
    [[nodiscard]] auto begin() const noexcept { return items.begin(); }
    /// The same to change or sort: `std::ranges::sort(page, {}, by_name)`.
    [[nodiscard]] auto begin() noexcept { return items.begin(); }
    /// Behind the last object.
    [[nodiscard]] auto end() const noexcept { return items.end(); }
    /// Behind the last object.
    [[nodiscard]] auto end() noexcept { return items.end(); }
};

/** A client bound to the objects of kind T in one namespace: as resource_client<object>, which it also is, with typed
    objects, and structs to write.

        const auto pods = cluster.resource<core_v1::pod>("shop");
        const core_v1::pod wanted{.metadata = {.name = "web"}, .spec = {...}};
        const auto made = co_await pods.create(wanted);

    Structs name their object by `metadata.name`. Errors, beside those of the client: cond::invalid for one without. */
template<class T>
class resource_client : public resource_client<object>
{
public:
    using resource_client<object>::create;
    using resource_client<object>::update;
    using resource_client<object>::apply;

    /// @param untyped  Bound to kind T.
    explicit resource_client(resource_client<object> untyped) : resource_client<object>(std::move(untyped)) {}

    /// Reads an object.
    [[nodiscard]] boost::asio::awaitable<result<typed_object<T>>> get(kept_text name, get_options options = {}) const
    {
        return detail::typed_outcome<T>(untyped().get(std::move(name), std::move(options)));
    }
    /// One page.
    [[nodiscard]] boost::asio::awaitable<result<typed_page<T>>> list(list_options options = {}) const
    {
        return typed(untyped().list(std::move(options)));
    }
    /// All pages in one.
    [[nodiscard]] boost::asio::awaitable<result<typed_page<T>>> list_all(list_options options = {}) const
    {
        return typed(untyped().list_all(std::move(options)));
    }
    /// Creates the object.
    [[nodiscard]] boost::asio::awaitable<result<typed_object<T>>> create(const T& wanted,
                                                                         write_options options = {}) const
    {
        return detail::typed_outcome<T>(untyped().create_struct(described(wanted), std::move(options)));
    }
    /// Replaces the object. Fails with cond::conflict when `wanted` has a resource version that is no longer the newest.
    [[nodiscard]] boost::asio::awaitable<result<typed_object<T>>> update(const T& wanted, write_options options = {},
                                                                         kept_text subresource = {}) const
    {
        return detail::typed_outcome<T>(
            untyped().update_struct(name_of(wanted), described(wanted), std::move(options), std::move(subresource)));
    }
    /// Server-side apply: sends the fields that are set, and no others.
    [[nodiscard]] boost::asio::awaitable<result<typed_object<T>>> apply(const T& wanted, write_options options,
                                                                        kept_text subresource = {}) const
    {
        json_text body(to_text(wanted));
        body.partial = detail::is_partial(described(wanted));
        return detail::typed_outcome<T>(
            untyped().apply(name_of(wanted), std::move(body), std::move(options), std::move(subresource)));
    }

    /// The same client without the type.
    [[nodiscard]] const resource_client<object>& untyped() const noexcept KUBECORO_LIFETIME_BOUND { return *this; }

private:
    static detail::struct_view described(const T& wanted) noexcept { return {&detail::struct_of<T>(), &wanted}; }
    static std::string name_of(const T& wanted)
    {
        static_assert(
            requires { wanted.metadata.name; }, "the struct has no metadata.name: use untyped()");
        if constexpr (std::is_convertible_v<decltype(wanted.metadata.name), std::string>)
            return wanted.metadata.name;
        else
            return wanted.metadata.name.value_or(std::string());
    }
    static boost::asio::awaitable<result<typed_page<T>>> typed(boost::asio::awaitable<result<list_page>> operation)
    {
        auto page = co_await std::move(operation);
        if (!page) co_return page.error();
        typed_page<T> out;
        out.items = detail::typed_all<T>(std::move(page->items));
        out.resource_version = std::move(page->resource_version);
        out.continue_token = std::move(page->continue_token);
        out.remaining = page->remaining;
        out.left_out = std::move(page->left_out);
        co_return out;
    }
};

} // namespace kubecoro
