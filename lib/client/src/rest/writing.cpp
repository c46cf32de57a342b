// Sends objects to the server, as protobuf where that says the same.
#include "rest/answer_core.hpp"
#include "rest/client_state.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/base/printable.hpp>

#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

// Paths contain keys of the user's maps.
constexpr std::size_t shown_reason = 200;

bool refuses_form(const failure& f)
{
    return f.status() != nullptr && f.status()->code == detail::unsupported_media_type;
}

result<request> in_json(request r)
{
    const auto read = detail::decode_protobuf_body(r.body, {}, {}, decode_limits());
    if (!read) return read.error();
    r.body = read->to_text();
    r.content_type = "application/json";
    return r;
}

} // namespace

std::optional<std::string> client::state::quick_body(const detail::body_kind& kind, detail::struct_view from)
{
    if (is_in(refused_bodies_, kind.name)) return std::nullopt;
    return detail::encode_protobuf_body(from, kind.schema);
}

asio::awaitable<result<object>> client::state::write_object(result<request> r, std::optional<detail::body_kind> kind)
{
    if (!r) co_return r.error();
    const bool was_encoded = r->content_type == detail::protobuf_type;
    auto encoded = was_encoded ? std::optional(*r) : kind ? in_protobuf(*r, *kind) : std::nullopt;
    if (encoded) {
        auto written = co_await fetch_object(std::move(*encoded));
        if (written || !refuses_form(written.error())) {
            bodies_.sent->add();
            co_return written;
        }
        // A server that does not read the body has done nothing.
        bodies_.refused->add();
        if (remember(refused_bodies_, kind->name))
            options.log.info("writing this kind as JSON from now on",
                             {{"kind", kind->name}, {"why", "the server refuses protobuf"}});
        if (was_encoded) r = in_json(std::move(*r));
    }
    co_return co_await fetch_object(std::move(r));
}

std::optional<request> client::state::in_protobuf(const request& r, const detail::body_kind& kind)
{
    if (is_in(refused_bodies_, kind.name)) return std::nullopt;
    auto body = detail::encode_protobuf_body(r.body, kind.schema);
    if (!body) {
        bodies_.unfit->add();
        const auto level = remember(unfit_bodies_, kind.name) ? log_level::warning : log_level::debug;
        options.log.write(level, "a body is sent as JSON: its protobuf would not say the same",
                          {{"kind", kind.name}, {"why", printable(body.error().message(), shown_reason)}});
        return std::nullopt;
    }
    request out = r;
    out.content_type = detail::protobuf_type;
    out.body = std::move(*body);
    return out;
}

} // namespace kubecoro
