#pragma once

#include <kubecoro/collections/detail/make_rule.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro {

/** A collection with a result for each element of `from`, under the same key:

        auto loads = kubecoro::derive<node_load>(live, nodes, [=](const typed_object<node>& n, auto& look) -> std::optional<node_load> {
            node_load out{.name = std::string(n.name())};
            for (const auto& p : look.by_index(pods, "node", n.name())) out.cpu += requests_of(p);
            return out;
        });

    All functions below are of this kind. They run on the strand of `live`, one at a time: plain functions of their arguments and of what
    they read through `look`. One that throws is counted and logged once for a key; the last result stays, see collection::stale(); it is
    called again when something that it has read changes. A result that is equal (==) to the last one goes no further.

    @param from  An informer, or a collection of the same `live`.
    @param f     Takes an element of `from` (typed_object<K>, or `const T&`), and `look&` if it reads others; returns a T, or
                 std::optional<T>, where nothing means no result. Captures collections and informers by value. */
template<class T, detail::readable From, class F>
[[nodiscard]] collection<T> derive(live_queries& live, const From& from, F f,
                                   std::type_identity_t<collection_options<T>> options = {})
{
    using in = detail::element_of<From>;
    detail::expect_computes<F, in>();
    if constexpr (detail::computes<F, in>) {
        static_assert(detail::result_of<detail::computed<F, in>, T>,
                      "the function of derive<T>() returns a T or std::optional<T>");
        return detail::make<T>(
            live, options, {detail::elements_of<From>::source(from)},
            [f = std::move(f)](detail::computation& c) mutable {
                const auto& e = detail::live_element<in>::view(c.inputs.front().get());
                if (auto made = detail::item_of<T>(detail::compute(f, c.reads, e)))
                    c.results.emplace_back(std::string(), std::move(made));
            },
            false);
    }
}

/** The elements of a collection for which `f` returns true.
    @param f  Takes an element, and `look&` if it reads others. */
template<detail::readable From, class F>
[[nodiscard]] collection<detail::element_of<From>>
filter(live_queries& live, const From& from, F f,
       std::type_identity_t<collection_options<detail::element_of<From>>> options = {})
{
    using in = detail::element_of<From>;
    detail::expect_computes<F, in>();
    return detail::make<in>(
        live, options, {detail::elements_of<From>::source(from)},
        [f = std::move(f)](detail::computation& c) mutable {
            if (detail::compute(f, c.reads, detail::live_element<in>::view(c.inputs.front().get())))
                c.results.emplace_back(std::string(), c.inputs.front());
        },
        false);
}

/** Any number of results for each element, with keys of their own.

    Keys should be unique: of results with the same key that of the smallest key of `from` counts, and the others wait until it is gone.
    @param f  Returns a range of pairs of key and T, such as std::map<std::string, T>. The first of two equal keys counts. */
template<class T, detail::readable From, class F>
[[nodiscard]] collection<T> flat_map(live_queries& live, const From& from, F f,
                                     std::type_identity_t<collection_options<T>> options = {})
{
    using in = detail::element_of<From>;
    detail::expect_computes<F, in>();
    return detail::make<T>(
        live, options, {detail::elements_of<From>::source(from)},
        [f = std::move(f)](detail::computation& c) mutable {
            auto all = detail::compute(f, c.reads, detail::live_element<in>::view(c.inputs.front().get()));
            for (auto& [key, value] : all) c.results.emplace_back(std::string(key), detail::item_of<T>(T(value)));
        },
        true);
}

/** A result for each group of elements, under the name of the group.

    @param group   Returns the names of the groups that an element is in: a text, or a range of texts. A function of the element alone.
    @param reduce  Takes the name and the elements of the group (`const std::vector<collection<..>::shared>&`, never empty), and `look&` if
                   it reads others; returns a T or std::optional<T>. */
template<class T, detail::readable From, class Group, class Reduce>
[[nodiscard]] collection<T> group_by(live_queries& live, const From& from, Group group, Reduce reduce,
                                     std::type_identity_t<collection_options<T>> options = {})
{
    using in = detail::element_of<From>;
    using shared = typename detail::live_element<in>::shared;
    detail::expect_computes<Reduce, std::string, std::vector<shared>>();
    const auto source = detail::elements_of<From>::source(from);
    auto groups_of = [group](const in& e) mutable {
        std::vector<std::string> out;
        const auto names = group(e);
        if constexpr (std::convertible_to<decltype(names), std::string_view>)
            out.emplace_back(std::string_view(names));
        else
            for (const auto& name : names) out.emplace_back(std::string_view(name));
        return out;
    };
    const auto index = detail::add_hidden_index(live.engine(), source, [groups_of](const void* o) mutable {
        return groups_of(detail::live_element<in>::view(o));
    });
    const collection_options<std::string> of_names{.name =
                                                       options.name.empty() ? options.name : options.name + " groups"};
    const auto names = flat_map<std::string>(
        live, from,
        [groups_of](const in& e) mutable {
            std::vector<std::pair<std::string, std::string>> out;
            for (const auto& name : groups_of(e)) out.emplace_back(name, name);
            return out;
        },
        of_names);
    return derive<T>(
        live, names,
        [from, index, reduce = std::move(reduce)](const std::string& name, look& reads) mutable {
            const std::vector<shared> members = reads.by_index(from, index, name);
            return detail::compute(reduce, reads, name, members);
        },
        std::move(options));
}

/** The elements of two collections of one type.

    @param both  Takes the elements of `a` and of `b` with one key, and returns the one that counts, or another. */
template<detail::readable A, detail::readable B, class F>
[[nodiscard]] collection<detail::element_of<A>>
join(live_queries& live, const A& a, const B& b, F both,
     std::type_identity_t<collection_options<detail::element_of<A>>> options = {})
{
    using in = detail::element_of<A>;
    static_assert(std::same_as<in, detail::element_of<B>>,
                  "join() takes two collections of one type: derive() one from the other");
    return detail::make<in>(
        live, options, {detail::elements_of<A>::source(a), detail::elements_of<B>::source(b)},
        [f = std::move(both)](detail::computation& c) mutable {
            using element = detail::live_element<in>;
            if (!c.inputs[0] || !c.inputs[1])
                c.results.emplace_back(std::string(), c.inputs[c.inputs[0] ? 0 : 1]);
            else if (auto made =
                         detail::item_of<in>(f(element::view(c.inputs[0].get()), element::view(c.inputs[1].get()))))
                c.results.emplace_back(std::string(), std::move(made));
        },
        false);
}
/// The same; where both have a key, the element of `a` counts.
template<detail::readable A, detail::readable B>
[[nodiscard]] collection<detail::element_of<A>> join(live_queries& live, const A& a, const B& b)
{
    using in = detail::element_of<A>;
    return join(live, a, b, [](const in& first, const in&) { return first; });
}

} // namespace kubecoro
