// Conditions, failures, and how answers and the error codes of libraries map to them.
#include <kubecoro/base/result.hpp>

#include <kubecoro/base/printable.hpp>

#include <boost/asio/error.hpp>
#include <boost/throw_exception.hpp>

#include <ostream>
#include <utility>

namespace kubecoro {

namespace {

// The base class has a protected non-virtual destructor by design: categories are never deleted.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
class category final : public boost::system::error_category
{
public:
    [[nodiscard]] const char* name() const noexcept override { return "kubecoro"; }
    [[nodiscard]] std::string message(int value) const override
    {
        return std::string(to_string(static_cast<cond>(value)));
    }
};
#pragma GCC diagnostic pop

} // namespace

std::string_view to_string(cond c) noexcept
{
    switch (c) {
    case cond::not_found:
        return "not_found";
    case cond::already_exists:
        return "already_exists";
    case cond::conflict:
        return "conflict";
    case cond::invalid:
        return "invalid";
    case cond::unauthorized:
        return "unauthorized";
    case cond::forbidden:
        return "forbidden";
    case cond::expired:
        return "expired";
    case cond::too_large_resource_version:
        return "too_large_resource_version";
    case cond::retry_later:
        return "retry_later";
    case cond::unreachable:
        return "unreachable";
    case cond::timed_out:
        return "timed_out";
    case cond::cancelled:
        return "cancelled";
    case cond::corrupt:
        return "corrupt";
    case cond::internal:
        return "internal";
    case cond::misconfigured:
        return "misconfigured";
    }
    return "unknown";
}

const boost::system::error_category& kubecoro_category() noexcept
{
    static const category instance;
    return instance;
}

namespace {

struct reason_row
{
    std::string_view reason;
    cond condition;
};

/// metav1.StatusReason. "Timeout" is decided by its causes and message; ServerTimeout means "try again".
constexpr reason_row reasons[] = {
    {"NotFound", cond::not_found},
    {"AlreadyExists", cond::already_exists},
    {"Conflict", cond::conflict},
    {"Invalid", cond::invalid},
    {"BadRequest", cond::invalid},
    {"MethodNotAllowed", cond::invalid},
    {"NotAcceptable", cond::invalid},
    {"RequestEntityTooLarge", cond::invalid},
    {"UnsupportedMediaType", cond::invalid},
    {"Unauthorized", cond::unauthorized},
    {"Forbidden", cond::forbidden},
    {"Expired", cond::expired},
    {"Gone", cond::expired},
    {"TooManyRequests", cond::retry_later},
    {"ServiceUnavailable", cond::retry_later},
    {"ServerTimeout", cond::retry_later},
    {"InternalError", cond::internal},
    {"StorageReadError", cond::internal},
};

/// The cause is sufficient: servers have sent it with a timeout and with a conflict. The message counts in a timeout
/// only.
bool says_too_large(const server_status& s) noexcept
{
    for (const auto& c : s.causes)
        if (c.reason == "ResourceVersionTooLarge") return true;
    const bool timeout = s.reason == "Timeout" || s.code == 504;
    return timeout && s.message.find("Too large resource version") != std::string::npos;
}

cond condition_of_http(int code) noexcept
{
    switch (code) {
    case 401:
        return cond::unauthorized;
    case 403:
        return cond::forbidden;
    case 404:
        return cond::not_found;
    case 408:
    case 504:
        return cond::timed_out;
    case 409:
        return cond::conflict;
    case 410:
        return cond::expired;
    case 429:
    case 503:
        return cond::retry_later;
    default:
        return code >= 300 && code < 500 ? cond::invalid : cond::internal;
    }
}

/// Recognises the categories of libraries that base does not link by their name and documented values.
cond condition_of_foreign(const boost::system::error_code& code) noexcept
{
    const std::string_view name = code.category().name();
    if (name == "asio.channel") return cond::cancelled;                                     // closed or cancelled
    if (name == "beast.http") return code.value() <= 2 ? cond::unreachable : cond::corrupt; // ended early, else syntax
    if (name == "boost.beast") return code.value() == 1 ? cond::timed_out : cond::internal; // 1 is error::timeout
    if (name == "boost.json" || name == "boost.url") return cond::corrupt;
    if (name.starts_with("asio.")) return cond::unreachable; // netdb, addrinfo, misc (end of file), ssl, ssl.stream
    return cond::internal;
}

} // namespace

cond condition_of(const server_status& status) noexcept
{
    if (says_too_large(status)) return cond::too_large_resource_version;
    if (status.reason == "Timeout") return cond::timed_out;
    for (const auto& row : reasons)
        if (row.reason == status.reason) return row.condition;
    return condition_of_http(status.code);
}

cond condition_of(const boost::system::error_code& code) noexcept
{
    namespace errc = boost::system::errc;
    if (code.category() == kubecoro_category()) return static_cast<cond>(code.value());
    if (code == boost::asio::error::operation_aborted || code == errc::operation_canceled) return cond::cancelled;
    if (code == errc::timed_out) return cond::timed_out;
    if (code.category() != boost::system::system_category() && code.category() != boost::system::generic_category())
        return condition_of_foreign(code);
    switch (static_cast<errc::errc_t>(code.default_error_condition().value())) {
    case errc::no_such_file_or_directory:
    case errc::permission_denied:
    case errc::is_a_directory:
    case errc::not_a_directory:
    case errc::address_in_use:
        return cond::misconfigured;
    case errc::connection_refused:
    case errc::connection_reset:
    case errc::connection_aborted:
    case errc::broken_pipe:
    case errc::network_unreachable:
    case errc::network_reset:
    case errc::network_down:
    case errc::host_unreachable:
    case errc::not_connected:
    case errc::no_link:
    case errc::io_error:
    case errc::address_not_available:
    case errc::bad_file_descriptor:
        return cond::unreachable; // the socket was closed during the operation
    default:
        return cond::internal;
    }
}

namespace {

const std::string no_text;

void append_server_words(std::string& out, const server_status& s)
{
    out += " (server:";
    if (s.code != 0) out += ' ' + std::to_string(s.code);
    if (!s.reason.empty()) {
        out += ' ';
        out += printable(s.reason);
    }
    if (!s.message.empty()) {
        out += ": ";
        out += printable(s.message);
    }
    out += ')';
}

std::string describe_code(const boost::system::error_code& code, std::string_view doing)
{
    std::string text(doing);
    if (!text.empty()) text += ": ";
    return text + code.message();
}

} // namespace

struct failure::details
{
    std::string message;
    std::optional<server_status> status;
    std::string method;
    std::string target;
    std::optional<failure> cause;
};

failure::failure(cond condition, std::shared_ptr<const details> d) noexcept
    : condition_(condition), details_(std::move(d))
{
}

failure::failure(cond condition, std::string message) : condition_(condition)
{
    if (message.empty()) return;
    auto d = std::make_shared<details>();
    d->message = std::move(message);
    details_ = std::move(d);
}

failure::failure(server_status status) : condition_(condition_of(status))
{
    auto d = std::make_shared<details>();
    d->status = std::move(status);
    details_ = std::move(d);
}

failure::failure(boost::system::error_code code, std::string_view doing)
    : failure(condition_of(code), describe_code(code, doing))
{
}

failure::details failure::copy_details() const { return details_ ? *details_ : details{}; }

const std::string& failure::message() const noexcept { return details_ ? details_->message : no_text; }

const failure* failure::cause() const noexcept { return details_ && details_->cause ? &*details_->cause : nullptr; }

const server_status* failure::status() const noexcept
{
    for (const failure* f = this; f; f = f->cause())
        if (f->details_ && f->details_->status) return &*f->details_->status;
    return nullptr;
}

const std::string& failure::method() const noexcept
{
    for (const failure* f = this; f; f = f->cause())
        if (f->details_ && !f->details_->method.empty()) return f->details_->method;
    return no_text;
}

const std::string& failure::target() const noexcept
{
    for (const failure* f = this; f; f = f->cause())
        if (f->details_ && !f->details_->target.empty()) return f->details_->target;
    return no_text;
}

std::optional<std::chrono::seconds> failure::retry_after() const noexcept
{
    const server_status* s = status();
    return s ? s->retry_after : std::nullopt;
}

failure failure::with_request(std::string method, std::string target) const
{
    auto d = std::make_shared<details>(copy_details());
    d->method = std::move(method);
    d->target = std::move(target);
    return {condition_, std::shared_ptr<const details>(std::move(d))};
}

failure failure::because(std::string message) const
{
    auto d = std::make_shared<details>();
    d->message = std::move(message);
    d->cause = *this;
    return {condition_, std::shared_ptr<const details>(std::move(d))};
}

std::string failure::describe() const
{
    std::string out(to_string(condition_));
    for (const failure* f = this; f && f->details_; f = f->cause()) {
        const details& d = *f->details_;
        if (!d.message.empty()) {
            out += ": ";
            out += printable(d.message);
        }
        if (!d.method.empty() || !d.target.empty()) {
            out += " [";
            out += printable(d.method);
            out += ' ';
            out += printable(d.target);
            out += ']';
        }
        if (d.status) append_server_words(out, *d.status);
    }
    return out;
}

std::ostream& operator<<(std::ostream& out, const failure& f) { return out << f.describe(); }

void throw_exception_from_error(const failure& f, const boost::source_location& where)
{
    boost::throw_exception(error(f), where);
}

} // namespace kubecoro
