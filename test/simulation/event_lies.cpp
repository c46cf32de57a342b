#include "event_lies.hpp"

#include "protobuf_lies.hpp"
#include "world/stale_reads.hpp"

#include <array>
#include <utility>

namespace kubecoro::simulation {

using testing::detail::status_text;

namespace {

class json_lies final : public event_lies
{
public:
    std::size_t first_event(std::string_view bytes) const override
    {
        const auto end = bytes.find('\n');
        return end == std::string_view::npos ? 0 : end + 1;
    }

    bool is_bookmark(std::string_view event) const override
    {
        return event.find(R"("type":"BOOKMARK")") != std::string_view::npos;
    }

    lie ending(detail::random_source& random, std::string_view line) const override
    {
        const auto how = below(random, 5);
        static constexpr std::array<std::string_view, 5> words{"the watch ends inside a line", "a broken line",
                                                               "ERROR 410 in the watch", "ERROR 429 in the watch",
                                                               "ERROR 500 in the watch"};
        const auto error = [](const std::string& status) { return R"({"type":"ERROR","object":)" + status + "}\n"; };
        std::string bytes;
        switch (how) {
        case 0:
            bytes = line.substr(0, 1 + below(random, line.size() - 2));
            break;
        case 1:
            bytes = std::string(line.substr(0, line.size() / 2)) + "}}]\n";
            break;
        case 2:
            bytes = error(status_text(410, "Expired"));
            break;
        case 3:
            bytes = error(status_text(429, "TooManyRequests"));
            break;
        default:
            bytes = error(status_text(500, "InternalError"));
        }
        return {std::string(words[how]), std::move(bytes)};
    }

    lie wrong_event(detail::random_source& random) const override
    {
        // A version far ahead: a client that accepts it misses real events.
        static constexpr std::string_view meta =
            R"("metadata":{"name":"lie","namespace":"a","uid":"lie","resourceVersion":"999999"})";
        const auto which = below(random, 4);
        std::string bytes;
        switch (which) {
        case 0:
            bytes = R"({"type":"RENAMED","object":{"kind":"Pod","apiVersion":"v1",)" + std::string(meta) + "}}\n";
            break;
        case 1:
            bytes = R"({"type":"MODIFIED","object":{"kind":"Lie","apiVersion":"v1",)" + std::string(meta) + "}}\n";
            break;
        case 2:
            bytes = R"({"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}})"
                    "\n";
            break;
        default:
            break;
        }
        return {"a wrong line: " + std::to_string(which), std::move(bytes)};
    }
};

} // namespace

std::unique_ptr<event_lies> lies_in(wire_form form)
{
    if (form == wire_form::protobuf) return make_protobuf_lies();
    return std::make_unique<json_lies>();
}

} // namespace kubecoro::simulation
