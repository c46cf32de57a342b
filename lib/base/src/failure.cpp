#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/throw_exception.hpp>

#include <ostream>
#include <utility>

namespace kubecoro {
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
