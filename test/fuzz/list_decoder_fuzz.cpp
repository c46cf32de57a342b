// Decodes arbitrary text as a list: chunking must not change the page or the failure, with and without pruning and
// known objects.
#include "list_checks.hpp"

using namespace kubecoro;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::text(data, size);
    const auto check = [text](const decode_options& options,
                              const std::shared_ptr<const detail::known_objects>& known = {}) {
        (void)fuzz::check_list(text, options, known, wire_form::json);
    };
    check({});
    static const auto known = std::make_shared<const fuzz::version_1_is_known>();
    check({}, known);
    check({.limits = {.max_object_bytes = 64}});
    check({.prune = {.keep = {"spec", "*.*.name"}, .drop = {"spec.a", "spec.*.b"}}});
    return 0;
}
