#include "state/service_allocator.hpp"

#include "objects/status_errors.hpp"
#include "schema/service_spec.hpp"
#include "text/json_text.hpp"

#include <set>
#include <string>
#include <utility>

namespace kubecoro::apiserver {
namespace {

using errors::invalid_value;

std::optional<std::uint32_t> address_of(const json::value& service)
{
    return has_cluster_ip(service) ? service_address::parse(text_at(service, "spec.clusterIP")) : std::nullopt;
}

/// The node ports of a service, each once.
std::set<std::int64_t> ports_of(const json::value& service)
{
    std::set<std::int64_t> out;
    if (const auto* ports = array_at(service, "spec.ports"))
        for (const auto& port : *ports) out.insert(int_at(port, "nodePort"));
    out.insert(int_at(service, "spec.healthCheckNodePort"));
    out.erase(0);
    return out;
}

status_error refused(const resource_info& info, const json::value& service, status_cause why)
{
    return errors::invalid(info, text_at(service, "metadata.name"), {std::move(why)});
}

/// With the cause that a kube-apiserver gives.
status_error full(const std::string& what)
{
    auto e = errors::make(500, "InternalError", "Internal error occurred: " + what + ": range is full");
    e.causes.push_back({{}, what + ": range is full", {}});
    return e;
}

/// Node ports of the ports of one service: those of before, those that are stated, and others.
class port_assignment
{
public:
    port_assignment(const resource_info& info, const number_range& range, const json::value* before,
                    json::value& service, detail::random_source& random)
        : info_(info), range_(range), left_(range), service_(service), random_(random)
    {
        if (before) own_ = ports_of(*before);
    }

    [[nodiscard]] std::optional<status_error> run()
    {
        auto* ports = object_member(service_.get_object(), "spec").if_contains("ports");
        if (!ports || !ports->is_array()) return {};
        auto& all = ports->get_array();
        for (std::size_t i = 0; i < all.size(); ++i)
            if (auto e = check_stated(all[i], "spec.ports[" + std::to_string(i) + "].nodePort")) return e;
        const auto* allocates = find_at(service_, "spec.allocateLoadBalancerNodePorts");
        const bool wanted =
            text_at(service_, "spec.type") == "NodePort" || !allocates || *allocates != json::value(false);
        for (auto& port : all)
            if (wanted && port.is_object() && int_at(port, "nodePort") == 0)
                if (auto e = give(port.get_object())) return e;
        return health_check();
    }

private:
    using key = std::pair<std::int64_t, std::string>;

    [[nodiscard]] std::optional<status_error> check_free(std::int64_t number, const std::string& field)
    {
        if (!range_.contains(number))
            return refused(info_, service_,
                           invalid_value(field, std::to_string(number),
                                         "provided port is not in the valid range. The range of valid ports is "
                                         "30000-32767"));
        if (!own_.contains(number) && range_.is_used(static_cast<std::uint32_t>(number))) return taken(number, field);
        return {};
    }

    [[nodiscard]] status_error taken(std::int64_t number, const std::string& field) const
    {
        return refused(info_, service_,
                       invalid_value(field, std::to_string(number), "provided port is already allocated"));
    }

    /// Ports of different protocols may have the same node port.
    [[nodiscard]] std::optional<status_error> check_stated(const json::value& port, const std::string& field)
    {
        const auto number = int_at(port, "nodePort");
        if (number == 0) return {};
        if (auto e = check_free(number, field)) return e;
        if (!used_.emplace(number, text_at(port, "protocol")).second) return taken(number, field);
        left_.use(number);
        by_port_.emplace(int_at(port, "port"), number);
        return {};
    }

    [[nodiscard]] std::optional<status_error> give(json::object& port)
    {
        const auto* number = port.if_contains("port");
        const auto* protocol = port.if_contains("protocol");
        const auto of_port = number && number->is_int64() ? number->get_int64() : 0;
        const auto of_protocol = protocol ? scalar_text(*protocol) : std::string();
        const auto known = by_port_.find(of_port);
        if (known != by_port_.end() && used_.emplace(known->second, of_protocol).second) {
            port["nodePort"] = known->second;
            return {};
        }
        const auto made = left_.pick(random_);
        if (!made) return full("failed to allocate a nodePort");
        port["nodePort"] = *made;
        left_.use(*made);
        used_.emplace(*made, of_protocol);
        by_port_.emplace(of_port, *made);
        return {};
    }

    [[nodiscard]] std::optional<status_error> health_check()
    {
        if (!has_health_check_port(service_)) return {};
        const auto stated = int_at(service_, "spec.healthCheckNodePort");
        if (stated != 0) return check_free(stated, "spec.healthCheckNodePort");
        const auto made = left_.pick(random_);
        if (!made) return full("failed to allocate a HealthCheck NodePort port");
        service_.at("spec").get_object()["healthCheckNodePort"] = *made;
        return {};
    }

    const resource_info& info_;
    const number_range& range_;
    /// Without those that this service states and is given.
    number_range left_;
    json::value& service_;
    detail::random_source& random_;
    std::set<std::int64_t> own_;
    std::set<key> used_;
    std::map<std::int64_t, std::int64_t> by_port_;
};

} // namespace

void number_range::use(std::int64_t number)
{
    if (contains(number)) ++used_[static_cast<std::uint32_t>(number)];
}

void number_range::free(std::int64_t number)
{
    if (!contains(number)) return;
    const auto found = used_.find(static_cast<std::uint32_t>(number));
    if (found != used_.end() && --found->second == 0) used_.erase(found);
}

std::optional<std::uint32_t> number_range::next_free(std::uint32_t from, std::uint32_t last) const
{
    for (auto at = used_.lower_bound(from); at != used_.end() && at->first == from; ++at) ++from;
    return from <= last ? std::optional(from) : std::nullopt;
}

std::optional<std::uint32_t> number_range::pick(detail::random_source& random) const
{
    if (used_.size() > last_ - first_) return {};
    const auto lowest = first_ + kept_;
    const auto from = lowest + static_cast<std::uint32_t>(random() % (last_ - lowest + 1));
    if (const auto found = next_free(from, last_)) return found;
    if (const auto found = next_free(lowest, last_)) return found;
    return next_free(first_, last_);
}

void service_allocator::count(const json::value& service, bool is_used)
{
    if (const auto address = address_of(service)) is_used ? addresses_.use(*address) : addresses_.free(*address);
    for (const auto port : ports_of(service)) is_used ? ports_.use(port) : ports_.free(port);
}

void service_allocator::read_all(const resource_store& services)
{
    addresses_.clear();
    ports_.clear();
    for (const auto& [key, service] : services.objects()) count(to_json(*service), true);
    is_current_ = true;
}

void service_allocator::note(const stored_object* before, const stored_object* after)
{
    if (!was_current_) return;
    if (before) count(to_json(*before), false);
    if (after) count(to_json(*after), true);
    is_current_ = true;
}

std::optional<status_error> service_allocator::assign_address(const resource_info& info, const json::value* before,
                                                              json::value& service, bool keep,
                                                              detail::random_source& random) const
{
    if (!has_cluster_ip(service) || is_headless(service)) return {};
    const auto stated = text_at(service, "spec.clusterIP");
    if (stated.empty()) {
        const auto* ips = array_at(service, "spec.clusterIPs");
        if (ips && !ips->empty()) return {};
        const auto made = addresses_.pick(random);
        if (!made)
            return full("failed to allocate a serviceIP for Service " + quote(text_at(service, "metadata.name")));
        const auto text = service_address::format(*made);
        auto& spec = object_member(service.get_object(), "spec");
        spec["clusterIP"] = text;
        spec["clusterIPs"] = json::array{json::value(text)};
        return {};
    }
    const auto address = service_address::parse(stated);
    // Once there is an address, validate_service_update() says whether it may change.
    const bool had = before && has_cluster_ip(*before) && !text_at(*before, "spec.clusterIP").empty();
    if (!address || had) return {};
    const auto refuse = [&](std::string_view why) {
        const json::array shown{json::value(stated)};
        return refused(info, service,
                       invalid_value("spec.clusterIPs", to_text(shown),
                                     "failed to allocate IP " + std::string(stated) + ": " + std::string(why)));
    };
    if (!addresses_.contains(*address)) {
        if (keep) return {};
        return refuse("the provided network does not match the current range");
    }
    if (addresses_.is_used(*address)) return refuse("provided IP is already allocated");
    return {};
}

std::optional<status_error> service_allocator::assign(const resource_store& services, const json::value* before,
                                                      json::value& service, bool keep, detail::random_source& random)
{
    if (!is_current_) read_all(services);
    settle_service(before, service);
    if (auto e = assign_address(services.info, before, service, keep, random)) return e;
    if (!may_have_node_ports(service)) return {};
    return port_assignment(services.info, ports_, before, service, random).run();
}

} // namespace kubecoro::apiserver
