// The webhooks of websites: a default that the schema cannot express, the rules of names and sizes, and the first version.
#pragma once

#include "website.hpp"

#include <kubecoro/manager/manager.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

namespace kubecoro::website_operator {

/// A site without index.html gets one with links to its pages. One that was made so follows the pages.
void add_index(website& site);

/// The rules of a site's name and pages, which are the keys and values of a config map. Errors: invalid.
[[nodiscard]] result<> check(const website& site);

/// Adds the webhooks to the manager: both of admission, and the conversion of v1alpha1.
webhooks add_webhooks(manager& m, webhooks_options options);

} // namespace kubecoro::website_operator
