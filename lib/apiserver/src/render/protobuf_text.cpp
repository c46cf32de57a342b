#include "render/protobuf_text.hpp"

#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>

namespace kubecoro::apiserver {

answer<std::string> protobuf_object(std::string_view json)
{
    auto encoded = detail::to_protobuf(parse_trusted(json));
    if (!encoded) return errors::internal("object not convertible to protobuf: " + encoded.error().message());
    return std::move(*encoded);
}

std::string protobuf_event(std::string_view type, std::string_view json)
{
    const auto object = protobuf_object(json);
    if (object) return detail::protobuf_frame(type, *object);
    // A Status can always be encoded.
    return detail::protobuf_frame("ERROR", *protobuf_object(status_text(object.error())));
}

answer<std::string> protobuf_item(const detail::schema_kind& kind, const stored_object& object)
{
    const auto body = to_json(object);
    auto message = detail::protobuf_message(kind, body.get_object());
    if (!message)
        return errors::internal("object " + object.key + " not convertible to protobuf: " + message.error().message());
    return std::move(*message);
}

} // namespace kubecoro::apiserver
