#include "table/hook_names_core.hpp"

#include <algorithm>
#include <string_view>

namespace kubecoro::detail {

namespace {

constexpr std::string_view verb_of(const hook_entry& h) { return h.mutates ? "mutate" : "validate"; }

bool is_label(std::string_view text)
{
    constexpr std::size_t longest = 63;
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    return text.size() <= longest && std::ranges::all_of(text, fits) && !text.starts_with('-') && !text.ends_with('-');
}

failure refused(const hook_entry& h, const std::string& why)
{
    return failure(cond::misconfigured, "the webhook " + h.name() + " " + why);
}

} // namespace

std::string hook_entry::path() const
{
    std::string out = "/" + std::string(verb_of(*this)) + "-" + type.group + "-" + type.version + "-";
    std::ranges::replace(out, '.', '-');
    for (const char c : type.kind) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const auto& further : {options.subresource, options.name})
        if (!further.empty()) out += "-" + further;
    return out;
}

std::string hook_entry::name() const
{
    std::string out(verb_of(*this));
    for (const auto& further : {options.name, options.subresource, type.plural})
        if (!further.empty()) out += "." + further;
    return out + "." + (type.group.empty() ? "core" : type.group);
}

result<> check_hook(const hook_entry& h)
{
    const auto& o = h.options;
    if (!is_label(o.name)) return refused(h, "has a name that is no DNS label");
    if (!is_label(o.subresource)) return refused(h, "has a subresource that is no name of one, such as status");
    if (o.operations.empty()) return refused(h, "has no operation");
    using namespace std::chrono_literals;
    if (o.timeout < 1s || o.timeout > 30s) return refused(h, "needs a timeout from 1 to 30 s");
    for (const auto* s : {&o.namespaces, &o.objects})
        for (const auto& r : s->requirements())
            if (r.operation == label_selector::op::greater || r.operation == label_selector::op::less)
                return refused(h, "has a selector with < or >, which servers do not know");
    const bool removes = std::ranges::find(o.operations, admission_operation::remove) != o.operations.end();
    if (h.mutates && removes) return refused(h, "cannot mutate the object of a deletion");
    return {};
}

} // namespace kubecoro::detail
