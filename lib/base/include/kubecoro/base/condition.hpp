#pragma once

#include <boost/system/error_code.hpp>

#include <string_view>
#include <type_traits>

namespace kubecoro {

/** What went wrong, named by how a caller should react.

    Every failure of the library has exactly one condition. It is also an error code of the `kubecoro` category, so that
    code written against Boost.System can carry it. */
enum class cond
{
    /// The object, resource or path does not exist (404).
    not_found = 1,
    /// An object of this name exists (409 AlreadyExists).
    already_exists,
    /// Somebody else changed the object first: read again, apply the change again (409 Conflict).
    conflict,
    /// The server or the library refuses the request as it stands; repeating it cannot help (400, 405, 406, 413, 415,
    /// 422).
    invalid,
    /// The server does not know who asks (401): renew the credentials.
    unauthorized,
    /// The server knows who asks and says no (403).
    forbidden,
    /// The resource version or continue token is too old (410): list again.
    expired,
    /// The resource version is newer than what this server has seen (504 with that cause).
    too_large_resource_version,
    /// The server asks for patience (429, 503): the same request may succeed later; see failure::retry_after().
    retry_later,
    /// No connection, or it broke: refused, reset, name not resolved, TLS refused, closed in mid-answer.
    unreachable,
    /// A deadline of ours or the server's passed.
    timed_out,
    /// The operation was cancelled by its owner.
    cancelled,
    /// What arrived cannot be understood: broken JSON, wrong kind, beyond a limit.
    corrupt,
    /// The server failed (5xx without a better name), or user code threw.
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
