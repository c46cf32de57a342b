#pragma once

#include <boost/assert/source_location.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <chrono>
#include <iosfwd>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kubecoro {

/// One entry of a Status's `details.causes`.
struct status_cause
{
    /// A CamelCase reason such as "FieldValueInvalid".
    std::string reason;
    /// The cause in words.
    std::string message;
    /// The field, as a path.
    std::string field;
};

/** The server's description of a failed request: the Kubernetes `Status` object as a value.

    All text comes from the server and may contain user data; the library's own text is in failure::message(). Parsed
    by read_status(). Absent fields are empty. */
struct server_status
{
    /// HTTP code stated in the Status, or the code of the response's status line if the Status has none.
    int code = 0;
    /// CamelCase reason such as "NotFound"; empty for plain-text responses.
    std::string reason;
    /// The server's message for people.
    std::string message;
    /// Kind (or plural resource), group and name of the object concerned.
    std::string kind;
    /// The API group.
    std::string group;
    /// The object's name.
    std::string name;
    /// Single causes, such as invalid fields.
    std::vector<status_cause> causes;
    /// `details.retryAfterSeconds` or the Retry-After header, whichever is present.
    std::optional<std::chrono::seconds> retry_after;
    /// `metadata.continue` of a 410: a token that continues at the newest version (inconsistent continuation).
    std::string continue_token;
};

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

namespace kubecoro {

/** The reason an operation failed: a condition, a message, the server's Status, the request, and the cause.

    A value type: copies share immutable content and cost one reference count. The server's text (status()) is kept
    apart from the library's own (message()), because it may contain user data. Secrets never enter a failure: the
    code that creates one redacts them. Distinct objects may be used from distinct threads. */
class failure
{
public:
    /// An internal failure without a message. Exists only because result::error() of Boost 1.81 requires it.
    failure() noexcept : condition_(cond::internal) {}

    /// @param message  States what happened and what to do, without a trailing full stop. May be empty.
    explicit failure(cond condition, std::string message = {});

    /// The server answered with a Status (or a bare HTTP code); the condition is condition_of(status).
    explicit failure(server_status status);

    /// A system, Asio, OpenSSL or resolver error; the condition follows from the code (operation_aborted is cancelled).
    /// @param doing  The operation that failed, e.g. "connect to 127.0.0.1:6443".
    failure(boost::system::error_code code, std::string_view doing);

    /// How to react.
    [[nodiscard]] cond condition() const noexcept { return condition_; }
    /// The condition as an error code.
    [[nodiscard]] boost::system::error_code code() const noexcept { return make_error_code(condition_); }
    /// Our own words; never text from the server.
    [[nodiscard]] const std::string& message() const noexcept;
    /// The server's Status: of this failure, else of the nearest cause, else null.
    [[nodiscard]] const server_status* status() const noexcept;
    /// "GET" and "/api/v1/pods?..." of the request that failed: of this failure, else of the nearest cause; empty when
    /// no request was involved.
    [[nodiscard]] const std::string& method() const noexcept;
    /// The path and query of the request; empty = none.
    [[nodiscard]] const std::string& target() const noexcept;
    /// The failure that caused this one, or null.
    [[nodiscard]] const failure* cause() const noexcept;
    /// The delay the server asked for; empty when it gave none.
    [[nodiscard]] std::optional<std::chrono::seconds> retry_after() const noexcept;

    /// A copy with the request it belongs to. Query values are kept; headers and bodies never are.
    [[nodiscard]] failure with_request(std::string method, std::string target) const;
    /// A new failure of the same condition with this message; this failure is its cause.
    [[nodiscard]] failure because(std::string message) const;

    /// One human-readable line: condition, message, request, server's message, causes.
    [[nodiscard]] std::string describe() const;

    friend bool operator==(const failure& f, cond c) noexcept { return f.condition_ == c; }

private:
    struct details;
    failure(cond condition, std::shared_ptr<const details> d) noexcept;
    [[nodiscard]] details copy_details() const;

    cond condition_;
    std::shared_ptr<const details> details_;
};

/// Writes failure::describe().
std::ostream& operator<<(std::ostream& out, const failure& f);

/// The condition of a Status, by reason, then causes, then code (Expired and Gone are both `expired`; a 504 whose cause
/// or message says so is `too_large_resource_version`).
[[nodiscard]] cond condition_of(const server_status& status) noexcept;

/// The condition of an error code of any category.
[[nodiscard]] cond condition_of(const boost::system::error_code& code) noexcept;

/// Thrown by result::value() on failure, and nowhere else in the library.
class error : public std::runtime_error
{
public:
    /// Keeps the failure, and describes it in what().
    explicit error(failure f) : std::runtime_error(f.describe()), failure_(std::move(f)) {}
    /// The failure.
    [[nodiscard]] const failure& why() const noexcept { return failure_; }

private:
    failure failure_;
};

/// Called by boost::system::result::value(), which finds it by argument-dependent lookup.
[[noreturn]] void throw_exception_from_error(const failure& f, const boost::source_location& where);

/** A value or the failure that prevented it.

    `if (!r)`, `*r`, `r->`, `r.error()`; `r.value()` throws kubecoro::error. Default-constructed `result<>` is success.
 */
template<class T = void>
using result = boost::system::result<T, failure>;

} // namespace kubecoro
