// Changes a file that other programs change as well.
#pragma once

#include <kubecoro/base/result.hpp>

#include <functional>
#include <string>

namespace kubecoro::tool {

/** Replaces the content of a file by what `change` makes of it, in one step: readers see the old or the new text.

    While it works, `<path>.lock` exists, as with kubectl. Owner, permissions and symbolic links stay.
    Errors: cond::misconfigured; the file is then as before. */
[[nodiscard]] result<> replace_file(const std::string& path,
                                    const std::function<result<std::string>(const std::string& text)>& change);

} // namespace kubecoro::tool
