#pragma once
// Label selectors that are parts of objects, such as spec.selector of a Deployment.

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/selector.hpp>
#include <kubecoro/api/structs.hpp>
#include <kubecoro/api/view.hpp>
#include <kubecoro/base/result.hpp>

namespace kubecoro {

namespace detail {

/// A view of a LabelSelector, whatever its type is called: definitions of custom resources have types of their own.
template<class View>
concept views_selector = requires(const View& part) {
    part.matchLabels();
    part.matchExpressions();
    part.untyped();
};
/// A struct of one.
template<class T>
concept has_selector = known_struct<T> && requires(const T& part) {
    part.matchLabels.begin();
    part.matchExpressions.begin();
};

} // namespace detail

/** Reads a LabelSelector of an object, for lister::list() and label_selector::matches(), as Go's LabelSelectorAsSelector:

        KUBECORO_TRY(auto selected, selector_of(policy->spec().namespaceSelector()));
        for (const auto& ns : namespaces.list(selected)) ...

    `matchLabels` and `matchExpressions` are joined by AND; without any, `{}` selects everything.

    @par Errors  cond::invalid, with the place in the selector: one that is absent or null, which for Kubernetes selects
                 nothing; an unknown operator; `In` and `NotIn` without values, `Exists` and `DoesNotExist` with some; what is
                 no label key or label value; any other member, without which more would be selected than is meant. */
[[nodiscard]] result<label_selector> selector_of(value_view selector);
/// The same for the view of a part: `selector_of(deployment->spec().selector())`.
template<detail::views_selector View>
[[nodiscard]] result<label_selector> selector_of(const View& part)
{
    return selector_of(part.untyped());
}
/// The same for a struct: `selector_of(wanted.spec.targets)`.
template<detail::has_selector T>
[[nodiscard]] result<label_selector> selector_of(const T& part)
{
    const auto read = object::parse(to_text(part));
    if (!read) return read.error();
    return selector_of(read->root());
}

} // namespace kubecoro
