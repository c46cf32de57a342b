// JSONPath templates as in `kubectl get -o jsonpath=`.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::tool {

/** A path such as `.status.conditions[?(@.type=="Ready")].status`.

    Steps: `.name`, `['path']`, `[0]`, `[-1]`, `[0:2]`, `[*]`, `.*`, `..name`, `[a,b]`, and filters with `==`, `!=`,
    `<`, `<=`, `>`, `>=` or a path alone. In names a backslash escapes a dot, also within quotes: as for kubectl,
    `['a.b']` is the b of the a. A regular value. */
class json_path
{
public:
    /// With or without braces and the first dot. Errors: cond::invalid with the position.
    [[nodiscard]] static result<json_path> parse(std::string_view text);

    /// Every value that the path leads to, in document order. Pointers into `root`.
    [[nodiscard]] std::vector<const boost::json::value*> find(const boost::json::value& root) const;

    struct step;

private:
    friend class json_path_parser;
    std::vector<std::shared_ptr<const step>> steps_;
};

/// The position of the brace that closes the one before `at`, outside quotes; npos if there is none.
[[nodiscard]] std::size_t closing_brace(std::string_view text, std::size_t at);

/** A template: text with paths in braces, `{range .items[*]}...{end}`, and quoted text such as `{"\n"}`.

    A text without braces is one path. A regular value. */
class json_path_template
{
public:
    /// Errors: cond::invalid with the position.
    [[nodiscard]] static result<json_path_template> parse(std::string_view text);

    /// The text for a value. Several values of one path are separated by spaces; missing ones are empty.
    [[nodiscard]] std::string evaluate(const boost::json::value& root) const;

    struct part;

private:
    std::vector<std::shared_ptr<const part>> parts_;
};

} // namespace kubecoro::tool
