#include "table/conversion_table_core.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/base/printable.hpp>

#include <boost/json/value.hpp>

namespace kubecoro::detail {

namespace {

failure refused(const resource_type& type, const std::string& why)
{
    return failure(cond::misconfigured, "the conversion of " + type.kind + " of " + type.api_version() + " " + why);
}

failure unknown(std::string_view kind, std::string_view api_version)
{
    return failure(cond::not_found,
                   "there is no conversion of " + printable(kind, 80) + " of " + printable(api_version, 80));
}

} // namespace

result<> conversion_table::add(const resource_type& s, const resource_type& hub, version_step up, version_step down)
{
    if (s.group != hub.group || s.kind != hub.kind) return refused(s, "leads to another kind, " + hub.kind);
    if (s.version == hub.version) return refused(s, "leads to the same version");
    const auto found = kinds_.try_emplace({hub.group, hub.kind}, kind{hub}).first;
    if (found->second.hub.version != hub.version)
        return refused(s, "leads to " + hub.version + ", and others of its kind to " + found->second.hub.version);
    const bool added = found->second.spokes.try_emplace(s.api_version(), spoke{std::move(up), std::move(down)}).second;
    if (!added) return refused(s, "is there already");
    return {};
}

result<boost::json::object> conversion_table::convert(const boost::json::object& from, std::string_view wanted) const
{
    const auto has = text_in(from, "apiVersion"), name = text_in(from, "kind");
    if (has == wanted) return from;
    const auto found = kinds_.find({group_version::parse(has).group, std::string(name)});
    if (found == kinds_.end()) return unknown(name, has);
    const auto& of = found->second;
    const auto hub = of.hub.api_version();
    const auto spoke_of = [&](std::string_view version) { return of.spokes.find(version); };
    if (has != hub && spoke_of(has) == of.spokes.end()) return unknown(name, has);
    if (wanted != hub && spoke_of(wanted) == of.spokes.end()) return unknown(name, wanted);
    if (has == hub) return detail::convert(spoke_of(wanted)->second.down, from);
    auto up = detail::convert(spoke_of(has)->second.up, from);
    if (!up || wanted == hub) return up;
    return detail::convert(spoke_of(wanted)->second.down, *up);
}

std::vector<resource_type> conversion_table::hubs() const
{
    std::vector<resource_type> out;
    for (const auto& [name, k] : kinds_) out.push_back(k.hub);
    return out;
}

} // namespace kubecoro::detail
