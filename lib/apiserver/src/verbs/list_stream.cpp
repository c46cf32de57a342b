#include "verbs/list_stream.hpp"

#include "render/json_text.hpp"

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

std::unique_ptr<body_stream> make_list_stream(const resource_info& info, list_page page, rendering form, wall_time now)
{
    return std::make_unique<list_stream>(info, std::move(page), std::move(form), now);
}

std::unique_ptr<body_stream> make_pretty(std::unique_ptr<body_stream> compact)
{
    return std::make_unique<pretty_stream>(std::move(compact));
}

} // namespace kubecoro::apiserver
