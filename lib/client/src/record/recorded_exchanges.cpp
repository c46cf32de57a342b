#include <kubecoro/client/detail/recording.hpp>

#include "http/content_encoding.hpp"

#include <kubecoro/api/detail/decoders.hpp>

#include <boost/json.hpp>

#include <charconv>
#include <map>
#include <utility>

namespace json = boost::json;

namespace kubecoro::detail {
namespace {

constexpr std::string_view protobuf_type = "application/vnd.kubernetes.protobuf";

/// Takes a line without its end.
std::string_view take_line(std::string_view& text)
{
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : text.size());
    return line;
}

/// The value of a line with this name, or nothing.
std::string_view header_of(std::string_view line, std::string_view name)
{
    if (!line.starts_with(name) || !line.substr(name.size()).starts_with(": ")) return {};
    return line.substr(name.size() + 2);
}

std::string gunzipped(std::string_view bytes)
{
    gunzip decoder;
    std::string out;
    for (;;) {
        const auto fed = decoder.feed(bytes);
        if (!fed || fed->decoded.empty()) return out;
        bytes.remove_prefix(fed->consumed);
        out += fed->decoded;
    }
}

std::string list_text(const list_page& page)
{
    json::object metadata{{"resourceVersion", page.resource_version}};
    if (!page.continue_token.empty()) metadata["continue"] = page.continue_token;
    if (page.remaining) metadata["remainingItemCount"] = *page.remaining;
    json::array items;
    for (const auto& o : page) items.push_back(o.to_json());
    return json::serialize(json::value{{"kind", page.kind},
                                       {"apiVersion", page.api_version},
                                       {"metadata", std::move(metadata)},
                                       {"items", std::move(items)}});
}

/// A protobuf message as JSON, or as it is.
std::string json_of(std::string body, bool may_be_list)
{
    if (may_be_list) {
        list_decoder lists({}, {}, {}, wire_form::protobuf);
        if (lists.feed(body))
            if (const auto page = lists.finish()) return list_text(*page);
    }
    const auto one = decode_object(body, {}, {}, wire_form::protobuf);
    return one ? json::serialize(one->to_json()) : body;
}

std::string_view name_of(watch_event_type t)
{
    switch (t) {
    case watch_event_type::added:
        return "ADDED";
    case watch_event_type::modified:
        return "MODIFIED";
    case watch_event_type::deleted:
        return "DELETED";
    case watch_event_type::bookmark:
        return "BOOKMARK";
    case watch_event_type::error:
        return "ERROR";
    case watch_event_type::unknown:
        break;
    }
    return "UNKNOWN";
}

std::string event_text(const watch_event& e)
{
    json::value what = e.obj ? e.obj.to_json() : json::value(json::object());
    if (!e.obj && e.type == watch_event_type::error) {
        const auto why = e.to_failure();
        what = {{"kind", "Status"}, {"apiVersion", "v1"}, {"message", why.message()}};
        if (why.status()) what.as_object()["code"] = why.status()->code;
    }
    return json::serialize(json::value{{"type", name_of(e.type)}, {"object", std::move(what)}});
}

/// One exchange while its records are read.
struct reading
{
    recorded_exchange done = {};
    std::string answer_type = {};
    /// The index of the record that is read.
    std::size_t order = 0;
    bool gzip = false;
    bool is_protobuf = false;
    /// A part of a line of a watch.
    std::string rest = {};
    std::optional<watch_decoder> frames = {};

    void take_request(const record_view& r)
    {
        auto text = r.content;
        const auto first = take_line(text);
        done.sent = r.at;
        done.order = order;
        done.method = first.substr(0, first.find(' '));
        done.target = first.substr(std::min(first.size(), done.method.size() + 1));
        for (auto line = take_line(text); !line.empty(); line = take_line(text))
            if (const auto type = header_of(line, "content-type"); !type.empty()) done.content_type = type;
        done.sent_body = text;
        if (!done.content_type.starts_with(protobuf_type)) return;
        done.sent_body = json_of(std::move(done.sent_body), false);
    }

    void take_answer(const record_view& r)
    {
        auto text = r.content;
        const auto first = take_line(text);
        (void)std::from_chars(first.data(), first.data() + first.size(), done.status);
        for (auto line = take_line(text); !line.empty(); line = take_line(text)) {
            if (const auto type = header_of(line, "content-type"); !type.empty()) answer_type = type;
            if (const auto after = header_of(line, "retry-after"); !after.empty()) done.retry_after = after;
            if (header_of(line, "content-encoding") == "gzip") gzip = true;
        }
        done.answered = r.at;
        is_protobuf = answer_type.starts_with(protobuf_type);
        if (streams() && is_protobuf) frames.emplace(decode_options(), nullptr, nullptr, wire_form::protobuf);
    }

    void take_data(const record_view& r)
    {
        if (!streams()) {
            done.body += r.content;
        } else if (frames) {
            std::vector<watch_event> events;
            (void)frames->feed(r.content, events);
            for (const auto& e : events) done.events.push_back({r.at, order, event_text(e)});
        } else {
            rest += r.content;
            std::size_t begin = 0;
            for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', begin)) {
                if (end != begin) done.events.push_back({r.at, order, rest.substr(begin, end - begin)});
                begin = end + 1;
            }
            rest.erase(0, begin);
        }
    }

    void take_end(const record_view& r)
    {
        done.ended = r.at;
        done.dropped = r.content == dropped_word;
        if (!done.dropped) done.broken = r.content;
    }

    void finish()
    {
        if (streams()) return;
        if (gzip) done.body = gunzipped(done.body);
        if (is_protobuf) done.body = json_of(std::move(done.body), true);
    }

    /// A refused watch has a body.
    [[nodiscard]] bool streams() const { return done.is_watch() && (done.status == 0 || done.status == 200); }
};

} // namespace

bool recorded_exchange::is_watch() const noexcept
{
    return method == "GET" && target.find("watch=") != std::string::npos;
}

std::vector<recorded_exchange> exchanges_of(const record_list& all)
{
    std::map<std::uint64_t, reading> found;
    for (std::size_t i = 0; i < all.records.size(); ++i) {
        const auto& r = all.records[i];
        if (r.id == 0) continue;
        auto& x = found[r.id];
        x.order = i;
        x.done.id = r.id;
        switch (r.kind) {
        case record_kind::request:
            x.take_request(r);
            break;
        case record_kind::answer:
            x.take_answer(r);
            break;
        case record_kind::data:
            x.take_data(r);
            break;
        case record_kind::end:
            x.take_end(r);
            break;
        case record_kind::lost:
        case record_kind::full:
            break;
        }
    }
    std::vector<recorded_exchange> out;
    out.reserve(found.size());
    for (auto& [id, x] : found) {
        x.finish();
        out.push_back(std::move(x.done));
    }
    return out;
}

} // namespace kubecoro::detail
