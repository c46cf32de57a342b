#pragma once

#include <kubecoro/api/selector.hpp>
#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/collections/collection.hpp>
#include <kubecoro/collections/detail/live_parts.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kubecoro {

namespace detail {

/// The elements of an informer or a collection.
template<class C>
struct elements_of
{
};
template<class T>
struct elements_of<collection<T>>
{
    using type = T;
    static live_source source(const collection<T>& c) { return {.table = c.table()}; }
};
template<class K>
struct elements_of<shared_informer<K>>
{
    using type = detail::object_handle<K>;
    static live_source source(const shared_informer<object>& i) { return {.informer = i}; }
};
template<class C>
concept readable = requires { typename elements_of<C>::type; };

template<class C>
using element_of = typename elements_of<C>::type;

} // namespace detail

/** Reads other collections for a result that is being computed, and remembers what was read: when that changes, the result is
    computed again. Informers are read as collections are.

        for (const auto& p : look.by_index(pods, "node", n.name())) out.cpu += requests_of(p);

    Elements are returned as handles, which may be kept: objects, or `std::shared_ptr<const T>`. Lists are in the order of the keys,
    so that equal inputs give equal results. All reads of a computation see one state of the inputs.

    Valid during the call that it was given to; a later use throws kubecoro::error with cond::misconfigured. So does reading a collection
    that was made after the one that is computed. */
class look
{
public:
    /// Used by live_queries.
    explicit look(detail::live_reader& reader) noexcept : reader_(&reader) {}
    look(const look&) = delete;
    look& operator=(const look&) = delete;

    /// Returns the element with that key; null if there is none.
    template<detail::readable C>
    [[nodiscard]] auto by_key(const C& from, std::string_view key) const
    {
        return detail::live_element<detail::element_of<C>>::read(reader_->by_key(source(from), key));
    }
    /// The same for the key of an object.
    template<detail::readable C>
    [[nodiscard]] auto by_key(const C& from, object_key_view key) const
    {
        return by_key(from, std::string_view(to_string(key)));
    }
    /// Returns the elements under a value of an index. A name that the collection or the informer does not have throws.
    template<detail::readable C>
    [[nodiscard]] auto by_index(const C& from, std::string_view index, std::string_view value) const
    {
        return detail::read_all<detail::element_of<C>>(reader_->by_index(source(from), index, value));
    }
    /// Returns the elements whose labels match. The cost is that of the matches of its most selective requirement.
    template<detail::readable C>
    [[nodiscard]] auto by_selector(const C& from, const label_selector& selector) const
    {
        return detail::read_all<detail::element_of<C>>(reader_->by_selector(source(from), selector));
    }
    /// Returns all elements: any change of the collection computes the result again.
    template<detail::readable C>
    [[nodiscard]] auto all(const C& from) const
    {
        return detail::read_all<detail::element_of<C>>(reader_->all(source(from)));
    }

private:
    template<class C>
    [[nodiscard]] static detail::live_source source(const C& from)
    {
        return detail::elements_of<C>::source(from);
    }

    detail::live_reader* reader_;
};

} // namespace kubecoro
