#include "verbs/list_stream.hpp"

#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>

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

} // namespace

answer<std::unique_ptr<body_stream>> make_list_stream(const resource_info& info, list_page page, rendering form,
                                                      wall_time now)
{
    if (form.form == answer_form::protobuf) return protobuf_list_stream::make(info, std::move(page), form);
    if (form.form == answer_form::yaml)
        return std::unique_ptr<body_stream>(std::make_unique<yaml_list_stream>(info, std::move(page), form, now));
    return std::unique_ptr<body_stream>(std::make_unique<list_stream>(info, std::move(page), std::move(form), now));
}

std::unique_ptr<body_stream> make_pretty(std::unique_ptr<body_stream> compact)
{
    return std::make_unique<pretty_stream>(std::move(compact));
}

} // namespace kubecoro::apiserver
