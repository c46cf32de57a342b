#include <kubecoro/base/result.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/experimental/channel_error.hpp>

using kubecoro::cond;
using kubecoro::condition_of;
using kubecoro::server_status;

namespace {

server_status status(int code, std::string reason, std::string message = {})
{
    server_status s;
    s.code = code;
    s.reason = std::move(reason);
    s.message = std::move(message);
    return s;
}

} // namespace

TEST_CASE("condition: each has its own name and is an error code of the kubecoro category", "[base][condition]")
{
    std::vector<std::string> seen;
    for (int i = 1; i <= static_cast<int>(cond::misconfigured); ++i) {
        const auto c = static_cast<cond>(i);
        const std::string name(to_string(c));
        INFO(name);
        CHECK(name != "unknown");
        CHECK(std::count(seen.begin(), seen.end(), name) == 0);
        seen.push_back(name);
        const boost::system::error_code code = c;
        CHECK(code.message() == name);
        CHECK(condition_of(code) == c);
    }
    CHECK(to_string(static_cast<cond>(0)) == "unknown");
}

TEST_CASE("condition: a Status is mapped by its reason first", "[base][condition]")
{
    CHECK(condition_of(status(404, "NotFound")) == cond::not_found);
    CHECK(condition_of(status(409, "AlreadyExists")) == cond::already_exists);
    CHECK(condition_of(status(409, "Conflict")) == cond::conflict);
    CHECK(condition_of(status(410, "Expired")) == cond::expired);
    CHECK(condition_of(status(410, "Gone")) == cond::expired);
    CHECK(condition_of(status(200, "Expired")) == cond::expired);
    CHECK(condition_of(status(422, "Invalid")) == cond::invalid);
    CHECK(condition_of(status(500, "ServerTimeout")) == cond::retry_later);
    CHECK(condition_of(status(504, "Timeout")) == cond::timed_out);
    CHECK(condition_of(status(500, "InternalError")) == cond::internal);
    CHECK(condition_of(status(0, "Forbidden")) == cond::forbidden);
}

TEST_CASE("condition: a Status without a known reason is mapped by its code", "[base][condition]")
{
    const std::vector<std::pair<int, cond>> rows = {
        {400, cond::invalid},     {401, cond::unauthorized}, {403, cond::forbidden}, {404, cond::not_found},
        {405, cond::invalid},     {406, cond::invalid},      {408, cond::timed_out}, {409, cond::conflict},
        {410, cond::expired},     {413, cond::invalid},      {415, cond::invalid},   {422, cond::invalid},
        {429, cond::retry_later}, {500, cond::internal},     {502, cond::internal},  {503, cond::retry_later},
        {504, cond::timed_out},   {302, cond::invalid},      {0, cond::internal},    {200, cond::internal},
    };
    for (const auto& [code, expected] : rows) {
        INFO(code);
        CHECK(condition_of(status(code, "")) == expected);
        CHECK(condition_of(status(code, "SomethingNew")) == expected);
    }
}

TEST_CASE("condition: a too large resource version is distinguished from other timeouts and conflicts",
          "[base][condition]")
{
    auto by_cause = status(504, "Timeout");
    by_cause.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
    CHECK(condition_of(by_cause) == cond::too_large_resource_version);
    CHECK(condition_of(status(504, "Timeout", "Too large resource version: 9, current: 3")) ==
          cond::too_large_resource_version);
    CHECK(condition_of(status(504, "", "Too large resource version: 9, current: 3")) ==
          cond::too_large_resource_version);
    auto conflict = status(409, "Conflict", "Too large resource version: 9, current: 3");
    CHECK(condition_of(conflict) == cond::conflict);
    conflict.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
    CHECK(condition_of(conflict) == cond::too_large_resource_version);
    CHECK(condition_of(status(400, "BadRequest", "Too large resource version")) == cond::invalid);
}

TEST_CASE("condition: error codes of the system and of Asio map to conditions", "[base][condition]")
{
    namespace errc = boost::system::errc;
    namespace error = boost::asio::error;
    const auto of = [](auto code) { return condition_of(boost::system::error_code(code)); };
    CHECK(of(error::operation_aborted) == cond::cancelled);
    CHECK(of(errc::make_error_code(errc::operation_canceled)) == cond::cancelled);
    CHECK(of(boost::asio::experimental::error::channel_cancelled) == cond::cancelled);
    CHECK(of(error::timed_out) == cond::timed_out);
    CHECK(of(error::connection_refused) == cond::unreachable);
    CHECK(of(error::connection_reset) == cond::unreachable);
    CHECK(of(error::broken_pipe) == cond::unreachable);
    CHECK(of(error::eof) == cond::unreachable);
    CHECK(of(error::host_not_found) == cond::unreachable);
    CHECK(of(error::host_not_found_try_again) == cond::unreachable);
    CHECK(of(error::service_not_found) == cond::unreachable);
    CHECK(of(errc::make_error_code(errc::no_such_file_or_directory)) == cond::misconfigured);
    CHECK(of(error::no_memory) == cond::internal);
}

namespace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor" // protected in the base class by design
/// A category of a library that base knows only by name.
class named_category final : public boost::system::error_category
{
public:
    explicit named_category(const char* name) : name_(name) {}
    const char* name() const noexcept override { return name_; }
    std::string message(int) const override { return "text"; }

private:
    const char* name_;
};
#pragma GCC diagnostic pop

} // namespace

TEST_CASE("condition: error codes of TLS, HTTP and JSON are mapped by the name of their category", "[base][condition]")
{
    const auto of = [](const char* name, int value) {
        const named_category category(name);
        return condition_of(boost::system::error_code(value, category));
    };
    CHECK(of("asio.ssl", 337047686) == cond::unreachable);
    CHECK(of("asio.ssl.stream", 1) == cond::unreachable);
    CHECK(of("beast.http", 1) == cond::unreachable);
    CHECK(of("beast.http", 2) == cond::unreachable);
    CHECK(of("beast.http", 17) == cond::corrupt);
    CHECK(of("boost.beast", 1) == cond::timed_out);
    CHECK(of("boost.json", 1) == cond::corrupt);
    CHECK(of("another library", 1) == cond::internal);
}
