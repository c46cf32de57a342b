#include "check/call_estimate.hpp"

#include "text/escaping.hpp"

#include <array>
#include <unordered_map>

namespace kubecoro::cel::detail {

namespace {

/// The cost of reading a character, and of a character of a regular expression.
constexpr double scan_factor = 0.1;
constexpr double expression_factor = 0.25;
constexpr std::uint64_t list_base = 10;
constexpr std::uint64_t longest_format = 64;
constexpr double name_expression = 128 * expression_factor;

struct call
{
    const signature& overload;
    std::span<const call_operand> operands;
    const schema_node& sized;

    [[nodiscard]] size_range size(std::size_t i) const { return operands[i].size.value_or(size_range{}); }
    [[nodiscard]] std::uint64_t scan(std::size_t i, double times = 1) const
    {
        return scaled_by(size(i).most, times * scan_factor);
    }
    /// The type of a parameter.
    [[nodiscard]] type_kind kind(std::size_t i) const { return overload.parameters[i]->kind; }
    [[nodiscard]] bool takes_text(std::size_t i) const { return is_text(kind(i)); }
    static bool is_text(type_kind of) noexcept { return of == type_kind::string || of == type_kind::bytes; }
    /// A literal number; otherwise the second one.
    [[nodiscard]] std::uint64_t number(std::size_t i, std::uint64_t otherwise) const
    {
        const auto* literal = operands[i].literal;
        if (literal == nullptr || !literal->is(value_type::integer)) return otherwise;
        return literal->as_int() < 0 ? 0 : static_cast<std::uint64_t>(literal->as_int());
    }
    /// The type of the items of the first operand; null if it is no container.
    [[nodiscard]] const type* item_type() const
    {
        const auto& list = *operands[0].type;
        return list.parameters.empty() ? nullptr : list.parameters[0].get();
    }
    [[nodiscard]] size_range item_size() const
    {
        if (operands[0].trail.empty()) return {};
        value_trail copied; // the server's library does not write into the cells of others
        for (const auto name : operands[0].trail.names()) copied = copied.below(name);
        return copied.below("@items").size(sized).value_or(size_range{});
    }
};

using estimate = call_estimate (*)(const call&);

call_estimate made_list(double factor, size_range size)
{
    return {sum_of(scaled_by(size.most, factor), 1 + list_base), size};
}

call_estimate slice(const call& in)
{
    const auto size = in.number(2, in.size(0).most) - in.number(1, 0);
    return made_list(1, {size, size});
}
call_estimate flatten(const call& in)
{
    const auto depth = in.operands.size() > 1 ? in.number(1, without_limit) : 1;
    return made_list(static_cast<double>(depth), in.size(0));
}
call_estimate range(const call& in)
{
    const auto size = in.number(0, without_limit);
    return made_list(1, {size, size});
}
call_estimate reverse(const call& in) { return made_list(1, in.size(0)); }
call_estimate distinct(const call& in) { return made_list(2, in.size(0).times(in.size(0))); }
call_estimate sorted(const call& in, std::size_t keys)
{
    const bool has_texts = call::is_text(in.overload.parameters[keys]->parameters[0]->kind);
    return made_list(has_texts ? 2 + scan_factor : 2, in.size(keys).times(in.size(keys)));
}
call_estimate sort(const call& in) { return sorted(in, 0); }
call_estimate sort_by_keys(const call& in) { return sorted(in, 1); }
call_estimate sets(const call& in) { return {sum_of(scaled_by(in.size(0).times(in.size(1)).most, 1), 1)}; }
call_estimate sets_twice(const call& in) { return {sum_of(scaled_by(in.size(0).times(in.size(1)).most, 2), 1)}; }

call_estimate search_list(const call& in)
{
    std::uint64_t each = 1;
    if (const auto* item = in.item_type(); item != nullptr && call::is_text(item->kind))
        each = sum_of(each, scaled_by(in.item_size().most, scan_factor));
    return {product_of(in.size(0).most, each)};
}
call_estimate search(const call& in) { return in.item_type() != nullptr ? search_list(in) : call_estimate{in.scan(0)}; }
call_estimate scan(const call& in) { return {in.scan(0)}; }
call_estimate scan_twice(const call& in) { return {in.scan(0, 2)}; }
call_estimate scan_argument(const call& in) { return {in.scan(1)}; }
call_estimate transform(const call& in) { return {in.scan(0), in.size(0)}; }

call_estimate replace(const call& in)
{
    const auto text = in.size(0), old = in.size(1), by = in.size(2);
    size_range count, kept;
    kept = {0, 0};
    if (old.least == 0) {
        count.most = sum_of(text.most, 1);
        kept.most = text.most;
    } else if (by.most <= old.least) {
        count.most = 0;
        kept.most = text.most;
    } else {
        count.most = scaled_by(1, static_cast<double>(text.most) / static_cast<double>(old.least));
    }
    if (old.most == 0) {
        count.least = sum_of(text.least, 1);
        kept.least = text.least;
    } else if (old.most <= by.least) {
        count.least = 0;
        kept.least = text.least;
    } else {
        count.least = scaled_by(1, static_cast<double>(text.least) / static_cast<double>(old.most));
    }
    return {in.scan(0, 2), count.times(by).plus(kept)};
}
call_estimate split(const call& in)
{
    const auto most = in.size(0).most;
    const auto* literal = in.operands.size() > 2 ? in.operands[2].literal : nullptr;
    const bool has_limit = literal != nullptr && literal->is(value_type::integer);
    return {in.scan(0, 2), size_range{0, has_limit ? static_cast<std::uint64_t>(literal->as_int()) : most}};
}
call_estimate join(const call& in)
{
    const auto items = in.size(0);
    size_range out{0, 0};
    if (in.item_type() != nullptr) out = items.times(in.item_size());
    if (in.operands.size() > 1)
        out = out.plus(in.size(1).times({items.least > 0 ? items.least - 1 : 0, items.most > 0 ? items.most - 1 : 0}));
    return {scaled_by(out.most, scan_factor), out};
}

std::uint64_t match_cost(const call& in)
{
    return product_of(scaled_by(sum_of(in.size(0).most, 1), scan_factor),
                      scaled_by(in.size(1).most, expression_factor));
}
call_estimate match(const call& in) { return {match_cost(in)}; }
call_estimate find(const call& in) { return {match_cost(in), size_range{0, in.size(0).most}}; }
call_estimate contains(const call& in) { return {product_of(in.scan(0), in.scan(1))}; }
call_estimate validate(const call& in) { return {scaled_by(in.scan(1), name_expression)}; }

call_estimate ip(const call& in) { return {in.overload.is_member ? 1 : in.scan(0)}; }
/// Both addresses have at most 16 bytes.
constexpr std::uint64_t address_comparison = 4;
call_estimate contains_ip(const call& in) { return {sum_of(address_comparison, in.takes_text(1) ? in.scan(1) : 0)}; }
call_estimate contains_cidr(const call& in)
{
    return {sum_of(address_comparison + 2 + 1, in.takes_text(1) ? in.scan(1) : 0)};
}

call_estimate smaller_scan(const call& in)
{
    return {scaled_by(std::min(in.size(0).most, in.size(1).most), scan_factor)};
}
call_estimate compare(const call& in) { return in.takes_text(0) ? smaller_scan(in) : call_estimate{}; }
call_estimate equal(const call& in)
{
    const auto &a = *in.operands[0].type, &b = *in.operands[1].type;
    if (a.kind != type_kind::opaque || b.kind != type_kind::opaque || a.name != b.name) return smaller_scan(in);
    if (a.name == "kubernetes.NamedFormat") return {scaled_by(longest_format, scan_factor)};
    if (a.name == "kubernetes.URL")
        return {scaled_by(in.operands[1].size ? in.operands[1].size->most : 1, scan_factor)};
    return {1};
}
call_estimate add(const call& in)
{
    const auto size = in.size(0).plus(in.size(1));
    if (in.takes_text(0)) return {scaled_by(size.most, scan_factor), size};
    if (in.kind(0) == type_kind::list) return {1, size};
    return {};
}
call_estimate membership(const call& in)
{
    return in.kind(1) == type_kind::list ? call_estimate{scaled_by(in.size(1).most, 1)} : call_estimate{};
}
/// The sizes of these wrap around, as those of the server do.
call_estimate to_bytes(const call& in)
{
    if (in.kind(0) != type_kind::string) return {};
    return {in.scan(0), size_range{in.size(0).least, in.size(0).most * 4}};
}
call_estimate to_text(const call& in)
{
    if (in.kind(0) != type_kind::bytes) return {};
    return {in.scan(0), size_range{in.size(0).least / 4, in.size(0).most}};
}
call_estimate quote(const call& in) { return {in.scan(0), size_range{in.size(0).least + 2, in.size(0).most * 2 + 2}}; }

const std::unordered_map<std::string_view, estimate>& estimates()
{
    static const std::unordered_map<std::string_view, estimate> all{
        {"slice", slice},
        {"flatten", flatten},
        {"lists.range", range},
        {"reverse", reverse},
        {"distinct", distinct},
        {"sort", sort},
        {"@sortByAssociatedKeys", sort_by_keys},
        {"sets.contains", sets},
        {"sets.intersects", sets},
        {"sets.equivalent", sets_twice},
        {"isSorted", search},
        {"sum", search},
        {"max", search},
        {"min", search},
        {"indexOf", search},
        {"lastIndexOf", search},
        {"includes", search_list},
        {"url", transform},
        {"lowerAscii", transform},
        {"upperAscii", transform},
        {"substring", transform},
        {"trim", transform},
        {"replace", replace},
        {"split", split},
        {"join", join},
        {"find", find},
        {"findAll", find},
        {"matches", match},
        {"contains", contains},
        {"startsWith", scan_argument},
        {"endsWith", scan_argument},
        {"format", scan},
        {"strings.quote", quote},
        {"validate", validate},
        {"cidr", scan},
        {"isIP", scan},
        {"isCIDR", scan},
        {"ip", ip},
        {"ip.isCanonical", scan_twice},
        {"containsIP", contains_ip},
        {"containsCIDR", contains_cidr},
        {"quantity", scan},
        {"isQuantity", scan},
        {"semver", scan},
        {"isSemver", scan},
        {"_==_", equal},
        {"_!=_", smaller_scan},
        {"_<_", compare},
        {"_<=_", compare},
        {"_>_", compare},
        {"_>=_", compare},
        {"_+_", add},
        {"@in", membership},
        {"bytes", to_bytes},
        {"string", to_text},
    };
    return all;
}

} // namespace

std::optional<size_range> value_trail::size(const schema_node& from) const
{
    if (empty()) return std::nullopt;
    const schema_node* at = &from;
    for (std::size_t i = 1; i < length_; ++i) {
        if (at == nullptr) return std::nullopt; // below a key
        const auto name = (*cells_)[i];
        if (name == "@items" || name == "@values") {
            at = at->items.get();
        } else if (name == "@keys" && at->kind == schema_kind::map) {
            at = nullptr;
            continue;
        } else {
            const auto plain = unescape_name(name);
            // A name that has to be escaped leads nowhere where it is not.
            const bool is_member = plain && at->kind == schema_kind::object && escape_name(*plain) == name;
            at = is_member ? at->member(*plain) : nullptr;
            if (at != nullptr && !at->visible()) at = nullptr;
        }
        if (at == nullptr) return std::nullopt;
    }
    if (at == nullptr) return size_range{0, 0}; // a key
    return size_range{0, static_cast<std::uint64_t>(at->most_elements)};
}

bool is_scalar(const type& of) noexcept
{
    switch (of.kind) {
    case type_kind::boolean:
    case type_kind::real:
    case type_kind::duration:
    case type_kind::integer:
    case type_kind::timestamp:
    case type_kind::unsigned_integer:
        return true;
    case type_kind::optional:
        return is_scalar(*of.parameters[0]);
    default:
        return false;
    }
}

call_estimate estimate_call(std::string_view function, const signature& overload,
                            std::span<const call_operand> operands, const schema_node& sized)
{
    const auto found = estimates().find(function);
    return found != estimates().end() ? found->second({overload, operands, sized}) : call_estimate{};
}

} // namespace kubecoro::cel::detail
