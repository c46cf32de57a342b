// Reads arbitrary bytes as manifests: what is accepted are objects with a kind, what cannot be read is invalid, and what is read is
// the same when it is written as YAML and read again.
#include "fuzz.hpp"

#include <kubecoro/api/yaml.hpp>
#include <kubecoro/client/detail/yaml_text.hpp>
#include <kubecoro/client/manifests.hpp>

#include <boost/json.hpp>

#include <string>

using namespace kubecoro;
namespace json = boost::json;

namespace {

bool has_text(const json::value& object, const char* name)
{
    const auto* text = object.as_object().if_contains(name);
    return text != nullptr && text->is_string() && !text->get_string().empty();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text(data, size);
    const auto documents = parse_documents(text, "the file");
    auto objects = load_manifests(text, "the file");
    (void)detail::parse_yaml(text, 1000);
    if (!documents) {
        fuzz::require(documents.error() == cond::invalid, "a text that cannot be read is invalid");
        fuzz::require(!objects.has_value(), "what cannot be read has no objects");
        return 0;
    }
    for (const auto& document : *documents) {
        const auto again = parse_documents(to_yaml(document), "the same");
        fuzz::require(again.has_value() && again->size() == 1, "what is written is read again");
        fuzz::require(json::serialize(again->front()) == json::serialize(document), "as the same value");
    }
    if (!objects) return 0;
    for (const auto& o : *objects)
        fuzz::require(has_text(o, "kind") && has_text(o, "apiVersion"), "an object has a kind and a version");
    const auto count = objects->size();
    order_manifests(*objects);
    fuzz::require(objects->size() == count, "an order loses no object");
    return 0;
}
