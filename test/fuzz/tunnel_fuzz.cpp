// A proxy that says anything: the first byte chooses the conversation, the rest is the proxy's. Chunking must not change
// the outcome, and the login must not appear in a failure.
#include "fuzz.hpp"

#include "connect/tunnel_core.hpp"

#include <algorithm>
#include <string>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

enum class ending
{
    waits,
    open,
    too_early,
    failed
};

struct outcome
{
    ending how = ending::waits;
    std::string sent = {};
};

std::unique_ptr<tunnel_core> make(char kind)
{
    const tunnel_target server{kind & 4 ? "fd00::1" : "api.example", "6443"};
    const bool socks = (kind & 1) != 0;
    const std::string login = kind & 2 ? "geheimrat:geheim@" : "";
    const auto proxy = proxy_address::parse((socks ? "socks5://" : "http://") + login + "proxy.example:3128");
    fuzz::require(proxy.has_value(), "the proxy's URL is valid");
    return socks ? make_socks5_tunnel(*proxy, server) : make_http_tunnel(*proxy, server);
}

outcome talk(char kind, std::string_view text, std::size_t chunk)
{
    const auto core = make(kind);
    outcome out{.sent = core->begin()};
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size()))) {
        const auto next = core->feed(text.substr(0, chunk));
        if (!next) {
            const auto words = next.error().describe();
            const bool told = words.find("geheim") != words.npos || words.find("Z2VoZWlt") != words.npos;
            fuzz::require(!told || (kind & 2) == 0, "the login is in no failure");
            fuzz::require(words.size() < 600, "a failure is short");
            fuzz::require(!core->feed("x"), "a failure is final");
            out.how = words.find("before the server could") == words.npos ? ending::failed : ending::too_early;
            return out;
        }
        if (next->open) {
            out.how = ending::open;
            return out;
        }
        out.sent += next->send;
        fuzz::require(out.sent.size() < 1024, "what is sent does not grow with the input");
    }
    return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::text(data, size);
    if (text.empty()) return 0;
    const auto rest = text.substr(1);
    const auto whole = talk(text[0], rest, size);
    const auto parts = talk(text[0], rest, fuzz::chunk_of(size));
    // Bytes that follow the proxy's last one are noticed if they come with it.
    const bool early = whole.how == ending::too_early;
    // A broken line of a head may be noticed only when the head is complete.
    fuzz::require(early || (whole.how == ending::open) == (parts.how == ending::open),
                  "chunking does not affect whether a tunnel opens");
    fuzz::require(early || whole.sent == parts.sent, "chunking does not affect what is sent");
    return 0;
}
