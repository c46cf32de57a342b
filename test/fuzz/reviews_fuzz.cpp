// Reads arbitrary bytes as reviews, from either side: each is refused in words, or has an answer that its server can read. And two lines
// as two versions of an object: the patch between them gives the second one.
#include "fuzz.hpp"

#include "review/admission_review_core.hpp"
#include "review/conversion_review_core.hpp"
#include "review/json_diff_core.hpp"

#include <kubecoro/admission/detail/admission_webhook.hpp>
#include <kubecoro/admission/detail/json_patch.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

using namespace kubecoro;
namespace json = boost::json;

namespace {

std::optional<json::object> object_in(std::string_view text)
{
    boost::system::error_code ec;
    auto v = json::parse(text, ec);
    if (ec || !v.is_object()) return {};
    return std::move(v.get_object());
}

const detail::admission_webhook& asked()
{
    static const detail::admission_webhook w{.name = "fuzz.example.com", .review_version = "v1"};
    return w;
}

void check_admission(std::string_view text)
{
    const auto request = detail::read_admission_review(text);
    if (!request) return fuzz::require(!request.error().message().empty(), "a refusal has words");
    fuzz::require(!request->uid.empty(), "a review has a uid");
    for (const auto& v : {verdict::allowed().warn(request->uid), verdict::denied(request->uid)}) {
        const auto read = detail::read_answer(asked(), detail::write_admission_review(request->uid, v), request->uid);
        fuzz::require(read.has_value() && read->allowed == v.is_allowed(), "the server reads the answer");
    }
}

void check_conversion(std::string_view text)
{
    const auto request = detail::read_conversion_review(text);
    if (!request) return fuzz::require(!request.error().message().empty(), "a refusal has words");
    const auto renamed = [](const json::object& from, std::string_view wanted) -> result<json::object> {
        auto out = from;
        out["apiVersion"] = wanted;
        return out;
    };
    fuzz::require(detail::convert_all(*request, renamed).problem.empty(), "a new version alone is a conversion");
}

void check_patch(std::string_view text)
{
    const auto end = text.find('\n');
    if (end == text.npos) return;
    const auto before = object_in(text.substr(0, end)), after = object_in(text.substr(end + 1));
    if (!before || !after) return;
    json::value doc = *before;
    const bool applied = detail::apply_json_patch(doc, detail::json_patch(*before, *after));
    fuzz::require(applied && doc == json::value(*after), "the patch gives the second version");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text(data, size);
    check_admission(text);
    check_conversion(text);
    (void)detail::read_answer(asked(), text, "1");
    check_patch(text);
    return 0;
}
