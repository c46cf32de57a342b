#include "output.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include <cerrno>
#include <cstdlib>

#include <unistd.h>

namespace kubecoro::tool {

namespace {

bool write_all(std::string_view text)
{
    while (!text.empty()) {
        const auto n = ::write(STDOUT_FILENO, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

} // namespace

output::output(std::function<void(result<>)> on_closed) : on_closed_(std::move(on_closed)) {}

void output::line(std::string_view words)
{
    std::string whole(words);
    whole += '\n';
    text(whole);
}

void output::text(std::string_view whole)
{
    const std::lock_guard lock(mutex_);
    if (closed_ || write_all(whole)) return;
    closed_ = true;
    if (!on_closed_) return;
    const boost::system::error_code why(errno, boost::system::system_category());
    on_closed_(why == boost::system::errc::broken_pipe ? result<>() : failure(why, "write to standard output"));
}

bool output::shows_colours()
{
    const char* terminal = std::getenv("TERM");
    return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr && terminal != nullptr &&
           std::string_view(terminal) != "dumb";
}

std::string shortened(std::string_view text)
{
    constexpr std::size_t longest = 80;
    if (text.size() <= longest) return std::string(text);
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end; // do not split a character
    return std::string(text.substr(0, end)) + "...";
}

std::string json_quoted(std::string_view text)
{
    return boost::json::serialize(boost::json::value(boost::json::string_view(text.data(), text.size())));
}

} // namespace kubecoro::tool
