#include "envelope.hpp"

namespace kubecoro::bench {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

/// Built-in types: identity first, omitted from objects of a list.
class pods_envelope final : public envelope
{
public:
    std::string_view list_type() const override { return "application/json"; }
    std::string_view watch_type() const override { return "application/json"; }

    std::string list_head(const list_position& page, std::uint64_t) const override
    {
        std::string out =
            R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + number(page.version) + '"';
        if (!page.token.empty())
            out += R"(,"continue":")" + page.token + R"(","remainingItemCount":)" + number(page.remaining);
        return out + R"(},"items":[)";
    }

    std::string list_tail(const list_position&) const override { return "]}\n"; }

    void append_event_head(std::string& out, std::string_view type, std::uint64_t) const override
    {
        out += R"({"type":")";
        out += type;
        out += R"(","object":{)";
        out += pod_identity;
    }

    std::string_view event_tail() const override { return "}\n"; }

    std::string bookmark(std::uint64_t version, bool initial_events_end) const override
    {
        return R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":")" +
               number(version) +
               (initial_events_end ? R"(","annotations":{"k8s.io/initial-events-end":"true"}})" : R"("})") +
               R"(,"spec":{"containers":null},"status":{}}})" + "\n";
    }

    std::string expired(std::uint64_t asked, std::uint64_t oldest) const override
    {
        return R"({"type":"ERROR","object":)" + status_json(410, "Expired", expired_message(asked, oldest)) + "}\n";
    }
};

/// Custom resources: members in alphabetical order, objects of a list with their identity.
class widgets_envelope final : public envelope
{
public:
    std::string_view list_type() const override { return "application/json"; }
    std::string_view watch_type() const override { return "application/json"; }

    std::string list_head(const list_position&, std::uint64_t) const override
    {
        return R"({"apiVersion":"bench.example.com/v1","items":[)";
    }

    std::string list_tail(const list_position& page) const override
    {
        std::string out = R"(],"kind":"WidgetList","metadata":{"continue":")" + page.token + '"';
        if (!page.token.empty()) out += R"(,"remainingItemCount":)" + number(page.remaining);
        return out + R"(,"resourceVersion":")" + number(page.version) + "\"}}\n";
    }

    void append_event_head(std::string& out, std::string_view type, std::uint64_t) const override
    {
        out += R"({"type":")";
        out += type;
        out += R"(","object":)";
    }

    std::string_view event_tail() const override { return "}\n"; }

    std::string bookmark(std::uint64_t version, bool initial_events_end) const override
    {
        return std::string(
                   R"({"type":"BOOKMARK","object":{"apiVersion":"bench.example.com/v1","kind":"Widget","metadata":{)") +
               (initial_events_end ? R"("annotations":{"k8s.io/initial-events-end":"true"},)" : "") +
               R"("creationTimestamp":null,"resourceVersion":")" + number(version) + "\"}}}\n";
    }

    std::string expired(std::uint64_t asked, std::uint64_t oldest) const override
    {
        return R"({"type":"ERROR","object":)" + status_json(410, "Expired", expired_message(asked, oldest)) + "}\n";
    }
};

} // namespace

std::unique_ptr<envelope> make_json_envelope(resource_kind kind)
{
    if (kind == resource_kind::pods) return std::make_unique<pods_envelope>();
    return std::make_unique<widgets_envelope>();
}

std::string status_json(int code, std::string_view reason, std::string_view message)
{
    std::string out = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" +
                      std::string(message) + '"';
    if (!reason.empty()) out += R"(,"reason":")" + std::string(reason) + '"';
    return out + R"(,"code":)" + std::to_string(code) + '}';
}

std::string expired_message(std::uint64_t asked, std::uint64_t oldest)
{
    return "too old resource version: " + number(asked) + " (" + number(oldest) + ")";
}

} // namespace kubecoro::bench
