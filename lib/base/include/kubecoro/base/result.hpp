#pragma once

#include <kubecoro/base/condition.hpp>
#include <kubecoro/base/status.hpp>

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
