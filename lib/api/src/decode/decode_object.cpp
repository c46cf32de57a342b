#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/object_encoding.hpp>

#include "json/json_feed.hpp"
#include "protobuf/object_reader.hpp"
#include "storage/object_block.hpp"

namespace kubecoro {
namespace {

// No envelope: the document is the object.
class bare_object final : public detail::envelope
{
public:
    bare_object(verdict how, detail::encoding* encoding, bool partial) noexcept
        : how_(how), encoding_(encoding), partial_(partial)
    {
    }

    verdict open(bool is_object) override
    {
        if (is_object) return how_;
        problem = "expected an object, got an array";
        return verdict::refuse;
    }
    void key(std::string_view) override {}
    bool scalar(value_kind, std::string_view) override
    {
        problem = "expected an object";
        return false;
    }
    bool encoded(const detail::tape_writer& tape) override
    {
        made = object_builder::build(tape.bytes(), encoding_, {}, arrival::in_use, partial_);
        return true;
    }

    object made;

private:
    verdict how_;
    detail::encoding* encoding_;
    bool partial_;
};

result<object> decode(std::string_view json, const decode_options& options, detail::envelope::verdict how,
                      const std::shared_ptr<detail::object_encoding>& encoding, bool partial = false)
{
    bare_object target(how, detail::encoding::of(encoding), partial);
    detail::json_feed feed(target, options, 0, detail::encoding::words_of(encoding));
    const auto taken = feed.write(json, false);
    if (!taken) return taken.error();
    if (*taken != json.size())
        return failure(cond::corrupt, "unexpected text after the object, at byte " + std::to_string(*taken));
    return std::move(target.made);
}

} // namespace

result<object> decode_object(std::string_view bytes, const decode_options& options,
                             const std::shared_ptr<detail::object_encoding>& encoding, wire_form form)
{
    if (form == wire_form::protobuf)
        return detail::decode_protobuf_object(bytes, options, detail::encoding::of(encoding));
    auto made = decode(bytes, options, detail::envelope::verdict::encode, encoding);
    // A Status is the server's response to a request and is not pruned.
    if (made && options.prunes() && made->kind() == "Status")
        return decode(bytes, options, detail::envelope::verdict::encode_whole, encoding);
    return made;
}

result<object> detail::parse_object(std::string_view json, bool partial,
                                    const std::shared_ptr<object_encoding>& encoding)
{
    return decode(json, {}, envelope::verdict::encode, encoding, partial);
}

} // namespace kubecoro
