// The directory that keeps a server's certificate authority, tokens and cluster state across restarts.
#pragma once

#include <kubecoro/apiserver/tls.hpp>
#include <kubecoro/base/result.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::tool {

/** One directory, used by one server at a time. Every file is readable only by its owner and replaced atomically, so
    that a crash leaves either the old or the new file. */
class data_directory
{
public:
    /** Creates the directory and any missing files.

        Errors: misconfigured, naming the path; also when another server uses it. */
    [[nodiscard]] static result<std::unique_ptr<data_directory>> open(std::string path);
    ~data_directory();
    data_directory(const data_directory&) = delete;
    data_directory& operator=(const data_directory&) = delete;

    [[nodiscard]] const apiserver::tls_authority& authority() const noexcept { return authority_; }
    [[nodiscard]] const std::string& admin_token() const noexcept { return admin_token_; }
    [[nodiscard]] const std::string& limited_token() const noexcept { return limited_token_; }

    /// The state saved last; empty when there is none. Errors: misconfigured.
    [[nodiscard]] result<std::optional<std::string>> load_state() const;
    [[nodiscard]] result<> save_state(std::string_view state) const;

private:
    data_directory() = default;
    [[nodiscard]] result<> lock();
    /// The content of the file; if it does not exist, it is made by `make` and written.
    [[nodiscard]] result<std::string> kept(const char* name, result<std::string> (*make)()) const;
    [[nodiscard]] result<> keep_authority();

    std::string path_;
    int lock_ = -1;
    apiserver::tls_authority authority_;
    std::string admin_token_;
    std::string limited_token_;
};

} // namespace kubecoro::tool
