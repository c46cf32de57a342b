// A private file that is removed with its owner.
#pragma once

#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>

namespace kubecoro::tool {

class scratch_file
{
public:
    scratch_file() = default;
    ~scratch_file();
    scratch_file(const scratch_file&) = delete;
    scratch_file& operator=(const scratch_file&) = delete;

    /// Creates the file under TMPDIR, readable only by its owner. Errors: misconfigured.
    [[nodiscard]] result<> write(std::string_view text);
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

} // namespace kubecoro::tool
