#pragma once

#include <boost/system/error_code.hpp>

#include <string_view>
#include <type_traits>

namespace kubecoro {

/** The class of a failure, named by how a caller should react.

    Every failure of the library has exactly one condition. A condition is also an error code of the `kubecoro`
    category, so code written against Boost.System can carry it. */
enum class cond
{
    /// The object, resource or path does not exist (404).
    not_found = 1,
    /// An object of this name exists (409 AlreadyExists).
    already_exists,
    /// Another client changed the object first: read it again and reapply the change (409 Conflict).
    conflict,
    /// The server or the library rejects the request; repeating it cannot help (400, 405, 406, 413, 415, 422).
    invalid,
    /// The server does not accept the credentials (401): renew them.
    unauthorized,
    /// The credentials are valid but do not permit the request (403).
    forbidden,
    /// The resource version or continue token is too old (410): list again.
    expired,
    /// The resource version is newer than what this server has seen (504 with that cause).
    too_large_resource_version,
    /// The server asks to retry later (429, 503): the same request may succeed then; see failure::retry_after().
    retry_later,
    /// No connection, or the connection broke: refused, reset, name not resolved, TLS failure, closed in mid-response.
    unreachable,
    /// A deadline of the client or the server passed.
    timed_out,
    /// The operation was cancelled by its owner.
    cancelled,
    /// The received data cannot be parsed: broken JSON, wrong kind, beyond a limit.
    corrupt,
    /// The server failed (5xx without a more specific condition), or user code threw.
    internal,
    /// A configuration is wrong or incomplete: kubeconfig, certificate file, option value.
    misconfigured,
};

/// The enumerator's name, e.g. "not_found". Static storage.
[[nodiscard]] std::string_view to_string(cond c) noexcept;

/// The error category whose values are those of `cond`; its name is "kubecoro".
[[nodiscard]] const boost::system::error_category& kubecoro_category() noexcept;

/// Lets a `cond` be used as an error code of kubecoro_category().
[[nodiscard]] inline boost::system::error_code make_error_code(cond c) noexcept
{
    return {static_cast<int>(c), kubecoro_category()};
}

} // namespace kubecoro

template<>
struct boost::system::is_error_code_enum<kubecoro::cond> : std::true_type
{
};
