#pragma once

#include <kubecoro/base/condition.hpp>
#include <kubecoro/base/status.hpp>

#include <boost/assert/source_location.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <iosfwd>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kubecoro {

/** Why an operation failed: a condition, our own words, the server's Status, the request, and the failure behind it.

    A value: copies share their immutable content and cost one reference count. Text of the server (status()) is kept
    apart from our own (message()), because it may contain what users wrote. Secrets never enter a failure: whoever
    creates one redacts. Distinct objects may be used from distinct threads. */
class failure
{
public:
    /// An internal failure without words: only there because result::error() of Boost 1.81 asks for it.
    failure() noexcept : condition_(cond::internal) {}

    /// @param message  What happened and what to do, in our words, without a trailing full stop. May be empty.
    explicit failure(cond condition, std::string message = {});

    /// The server answered with a Status (or a bare HTTP code); the condition follows from condition_of(status).
    explicit failure(server_status status);

    /// A system, Asio, OpenSSL or resolver error; the condition follows from the code (operation_aborted is cancelled).
    /// @param doing  What was being done, e.g. "connect to 127.0.0.1:6443".
    failure(boost::system::error_code code, std::string_view doing);

    /// How to react.
    [[nodiscard]] cond condition() const noexcept { return condition_; }
    /// The condition as an error code.
    [[nodiscard]] boost::system::error_code code() const noexcept { return make_error_code(condition_); }
    /// Our own words; never text from the server.
    [[nodiscard]] const std::string& message() const noexcept;
    /// The server's Status, of this failure or else of the nearest cause, or null.
    [[nodiscard]] const server_status* status() const noexcept;
    /// "GET" and "/api/v1/pods?..." of the request that failed; of this failure or else of the nearest cause; empty
    /// when no request was involved.
    [[nodiscard]] const std::string& method() const noexcept;
    /// The path and query of the request; empty = none.
    [[nodiscard]] const std::string& target() const noexcept;
    /// The failure behind this one, or null.
    [[nodiscard]] const failure* cause() const noexcept;
    /// How long the server asks to wait; empty when it did not say.
    [[nodiscard]] std::optional<std::chrono::seconds> retry_after() const noexcept;

    /// The same failure with the request it belongs to. Query values are kept; headers and bodies never are.
    [[nodiscard]] failure with_request(std::string method, std::string target) const;
    /// A failure of the same condition whose message is `message` and whose cause is this one.
    [[nodiscard]] failure because(std::string message) const;

    /// One line for people: condition, message, request, server's message, causes.
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

/// The condition a Status stands for, by reason, then causes, then code (Expired and Gone are
/// both `expired`; a 504 whose cause or message says so is `too_large_resource_version`).
[[nodiscard]] cond condition_of(const server_status& status) noexcept;

/// The condition of an error code of any category.
[[nodiscard]] cond condition_of(const boost::system::error_code& code) noexcept;

/// Thrown by result::value() when there is none, and nowhere else in the library.
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

/// Found by boost::system::result::value().
[[noreturn]] void throw_exception_from_error(const failure& f, const boost::source_location& where);

} // namespace kubecoro
