// Answers GET: one object, a list, a watch. Lists are rendered while they are sent: a client that does not read costs one part of its answer.
#include "objects/status_errors.hpp"
#include "render/render.hpp"
#include "text/json_text.hpp"
#include "verbs/exchange.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/api/selector.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::apiserver {
namespace {

class list_stream final : public body_stream
{
public:
    list_stream(const resource_info& info, list_page page, rendering form, wall_time now)
        : page_(std::move(page)), renderer_(info, page_, std::move(form), now)
    {
    }

    bool next(std::string& out, std::size_t max_bytes) override
    {
        const std::size_t enough = out.size() + max_bytes;
        if (!begun_) renderer_.append_head(out);
        begun_ = true;
        for (; given_ < page_.items.size(); ++given_) {
            if (out.size() >= enough) return true;
            if (given_ != 0) out += ',';
            renderer_.append_item(out, page_.items[given_]);
        }
        renderer_.append_tail(out);
        out += '\n';
        return false;
    }

private:
    list_page page_;
    list_renderer renderer_;
    std::size_t given_ = 0;
    bool begun_ = false;
};

class yaml_list_stream final : public body_stream
{
public:
    yaml_list_stream(const resource_info& info, list_page page, const rendering& form, wall_time now)
        : page_(std::move(page)),
          renderer_(info, page_, form, now),
          list_(frame(renderer_), form.as == representation::table ? "rows" : "items")
    {
    }

    bool next(std::string& out, std::size_t max_bytes) override
    {
        const std::size_t enough = out.size() + max_bytes;
        if (!begun_) list_.append_head(out);
        begun_ = true;
        for (; given_ < page_.items.size() && out.size() < enough; ++given_) {
            std::string item;
            renderer_.append_item(item, page_.items[given_]);
            list_.append_item(out, item);
        }
        if (given_ < page_.items.size()) return true;
        list_.append_tail(out);
        return false;
    }

private:
    static std::string frame(const list_renderer& renderer)
    {
        std::string out;
        renderer.append_head(out);
        renderer.append_tail(out);
        return out;
    }

    list_page page_;
    list_renderer renderer_;
    yaml_list list_;
    std::size_t given_ = 0;
    bool begun_ = false;
};

/** Encodes each item twice, so that the answer is never in memory as a whole: first for its size, which comes before the
    items, then while the list is sent. Sizes of whole objects are kept with them. */
class protobuf_list_stream final : public body_stream
{
public:
    static answer<std::unique_ptr<body_stream>> make(const resource_info& info, list_page page, const rendering& form)
    {
        const bool partial = form.as != representation::json;
        const auto version = partial ? "meta.k8s.io/v1" : info.api_version(form.version);
        const auto find = [&](std::string_view kind) { return detail::builtin_schemas::find(version, kind); };
        const auto* item = find(partial ? "PartialObjectMetadata" : info.kind);
        const auto* list = find(partial ? "PartialObjectMetadataList" : info.list_kind);
        if (!item || !list) return errors::internal("no protobuf form of " + info.kind_name());
        std::uint64_t size = 0;
        for (const auto& object : page.items) {
            const auto message = message_size(*item, *object, partial);
            if (!message) return message.error();
            size += detail::protobuf_item_size(*message);
        }
        auto metadata = json::object{{"metadata", parse_trusted(list_metadata(page, false))}};
        auto head = detail::protobuf_list_head(*list, metadata, size);
        if (!head) return errors::internal(head.error().message());
        return std::unique_ptr<body_stream>(new protobuf_list_stream(*item, std::move(page), std::move(*head)));
    }

    bool next(std::string& out, std::size_t max_bytes) override
    {
        const std::size_t enough = out.size() + max_bytes;
        out += std::exchange(head_, {});
        for (; given_ < page_.items.size() && out.size() < enough; ++given_)
            detail::append_protobuf_item(out, *protobuf_item(item_, *page_.items[given_]));
        if (given_ < page_.items.size()) return true;
        out += detail::protobuf_list_tail;
        return false;
    }

private:
    protobuf_list_stream(const detail::schema_kind& item, list_page page, std::string head)
        : item_(item), page_(std::move(page)), head_(std::move(head))
    {
    }

    static answer<std::size_t> message_size(const detail::schema_kind& kind, const stored_object& object, bool partial)
    {
        if (!partial && object.message_size != 0) return object.message_size;
        const auto message = protobuf_item(kind, object);
        if (!message) return message.error();
        if (!partial) object.message_size = message->size();
        return message->size();
    }

    const detail::schema_kind& item_;
    list_page page_;
    std::string head_;
    std::size_t given_ = 0;
};

class pretty_stream final : public body_stream
{
public:
    explicit pretty_stream(std::unique_ptr<body_stream> compact) : compact_(std::move(compact)) {}

    bool next(std::string& out, std::size_t max_bytes) override
    {
        std::string part;
        const bool more = compact_->next(part, max_bytes);
        indenter_.feed(out, part);
        return more;
    }

private:
    std::unique_ptr<body_stream> compact_;
    json_indenter indenter_;
};

/// Streams the list: JSON with a trailing newline, or protobuf. Errors: 500 if an object has no protobuf form.
answer<std::unique_ptr<body_stream>> make_list_stream(const resource_info& info, list_page page, rendering form,
                                                      wall_time now)
{
    if (form.form == answer_form::protobuf) return protobuf_list_stream::make(info, std::move(page), form);
    if (form.form == answer_form::yaml)
        return std::unique_ptr<body_stream>(std::make_unique<yaml_list_stream>(info, std::move(page), form, now));
    return std::unique_ptr<body_stream>(std::make_unique<list_stream>(info, std::move(page), std::move(form), now));
}

} // namespace

std::unique_ptr<body_stream> make_pretty(std::unique_ptr<body_stream> compact)
{
    return std::make_unique<pretty_stream>(std::move(compact));
}

namespace {

/// One year: an upper bound for timeoutSeconds.
constexpr std::int64_t max_watch_seconds = 31'536'000;
/// A watch without timeoutSeconds ends after a random time, from this one to twice as long, as with a kube-apiserver.
constexpr std::chrono::seconds shortest_watch{1800};

} // namespace

http_response json_response(std::string body, int status)
{
    return object_response(std::move(body), answer_form::json, status);
}

http_response text_response(std::string body)
{
    http_response r;
    r.headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"X-Content-Type-Options", "nosniff"}};
    r.body = std::move(body);
    return r;
}

http_response object_response(std::string json, answer_form form, int status)
{
    http_response r;
    r.status = status;
    r.headers = {{"Content-Type", std::string(content_type(form))}};
    if (form == answer_form::json) {
        r.body = std::move(json);
        r.body += '\n';
        return r;
    }
    if (form == answer_form::yaml) {
        r.body = yaml_object(json);
        return r;
    }
    auto encoded = protobuf_object(json);
    if (!encoded) return respond(encoded.error());
    r.body = std::move(*encoded);
    return r;
}

answer<media_choice> choose_media(const exchange& x, bool watch)
{
    return choose_media(x.request.header("accept"), media_scope{x.store->info.custom, watch});
}

http_response list_response(const exchange& x, list_page page, rendering form)
{
    http_response r;
    r.headers = {{"Content-Type", std::string(content_type(form.form))}};
    auto stream = make_list_stream(x.store->info, std::move(page), std::move(form), x.now);
    if (!stream) return respond(stream.error());
    r.rest = std::move(*stream);
    return r;
}

answer<rendering> choose_rendering(const exchange& x, bool list)
{
    const auto chosen = choose_media(x);
    if (!chosen) return chosen.error();
    const auto& info = x.store->info;
    if (list != (chosen->as == representation::partial_list) &&
        (chosen->as == representation::partial || chosen->as == representation::partial_list)) {
        const std::string core = "(*core." + (list ? info.list_kind : info.kind) + ")";
        return errors::make(406, "NotAcceptable",
                            list ? "you requested PartialObjectMetadata, but the requested object is a list " + core
                                 : "you requested PartialObjectMetadataList, but the requested object is not a list " +
                                       core);
    }
    rendering r;
    r.as = chosen->as;
    r.form = chosen->form;
    r.version = x.route.version;
    r.table_version = chosen->version;
    if (const auto include = x.target.value("includeObject"); !include.empty()) r.include_object = include;
    return r;
}

http_response answer_get(exchange& x)
{
    const auto form = choose_rendering(x, false);
    if (!form) return respond(form.error());
    if (const auto text = x.target.value("resourceVersion"); !text.empty()) {
        const auto version = parse_version(text);
        if (!version) return respond(errors::internal(version.error()));
        if (*version > x.state.resource_version())
            return respond(errors::future_version(*version, x.state.resource_version()));
    }
    if (x.target.flag("export"))
        return respond(errors::bad_request("the export parameter, deprecated since v1.14, is no longer supported"));
    const auto found = x.state.get(x.address());
    if (!found) return respond(found.error());
    const auto shown = x.versions().shown(x.store->info, *found, x.route.version);
    if (!shown) return respond(shown.error());
    return object_response(render_object(x.store->info, *shown, *form, x.now), form->form);
}

http_response answer_list(exchange& x)
{
    const auto query = read_list_query(x.target, false);
    if (!query) return respond(query.error());
    auto form = choose_rendering(x, true);
    if (!form) return respond(form.error());
    const auto selected =
        selection::parse(x.store->info, x.route.version, query->label_selector, query->field_selector);
    if (!selected) return respond(selected.error());
    auto page = make_page(*x.store, x.route.ns, *query, *selected, x.versions(), x.route.version);
    if (!page) return respond(page.error());
    return list_response(x, std::move(*page), std::move(*form));
}

namespace {

/// For the deprecated path of a watch of one object: a selector beside it has to select this one.
std::optional<status_error> select_name(const std::string& name, std::string& selector)
{
    if (name.empty()) return {};
    if (selector.empty()) {
        selector = field_selector({{"metadata.name", true, name}}).to_string();
        return {};
    }
    const auto fields = field_selector::parse(selector);
    if (!fields) return {}; // refused where it is used
    const auto& all = fields->requirements();
    const bool selects = std::any_of(
        all.begin(), all.end(), [&](const auto& r) { return r.path == "metadata.name" && r.equal && r.value == name; });
    if (selects) return {};
    return errors::bad_request("fieldSelector metadata.name doesn't match requested name");
}

} // namespace

http_response answer_watch(exchange& x)
{
    // A path that begins a watch is checked like a list.
    auto query = read_list_query(x.target, x.target.flag("watch"));
    if (!query) return respond(query.error());
    const auto chosen = choose_media(x, true);
    if (!chosen) return respond(chosen.error());
    if (auto e = select_name(x.route.name, query->field_selector)) return respond(*e);
    auto selected = selection::parse(x.store->info, x.route.version, query->label_selector, query->field_selector);
    if (!selected) return respond(selected.error());

    watch_request request;
    request.store = x.store;
    request.ns = x.route.ns;
    request.selected = std::move(*selected);
    request.form.as = chosen->as;
    request.form.form = chosen->form;
    request.form.version = x.route.version;
    request.form.table_version = chosen->version;
    if (const auto include = x.target.value("includeObject"); !include.empty()) request.form.include_object = include;
    request.conversions = x.request.conversions;
    request.lifetime =
        query->timeout_seconds > 0
            ? std::chrono::seconds{std::min(query->timeout_seconds, max_watch_seconds)}
            : shortest_watch + std::chrono::seconds{static_cast<std::int64_t>(
                                   detail::next_unit(x.random) * static_cast<double>(shortest_watch.count()))};
    request.query = std::move(*query);
    auto stream = open_watch(std::move(request), x.now);
    if (!stream) return respond(stream.error());
    http_response r;
    r.headers = {{"Content-Type", std::string(content_type(chosen->form, true))}};
    r.watch = std::move(*stream);
    return r;
}

} // namespace kubecoro::apiserver
