#pragma once
// A kind in two versions, for webhooks.

#include <kubecoro/api/described.hpp>
#include <kubecoro/api/field_rule.hpp>
#include <kubecoro/meta_v1/object_meta.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace webhooks_test {

struct site_spec_v1
{
    std::string host;
    std::optional<int> replicas;
    BOOST_DESCRIBE_CLASS(site_spec_v1, (), (host, replicas), (), ())
};

struct site_v1
{
    static kubecoro::resource_type resource() { return {"example.com", "v1", "sites", "Site"}; }
    kubecoro::meta_v1::object_meta metadata;
    site_spec_v1 spec;
    BOOST_DESCRIBE_CLASS(site_v1, (), (metadata, spec), (), ())
};

struct site_spec
{
    std::vector<std::string> hosts;
    std::optional<int> replicas;
    static std::vector<kubecoro::field_rule> field_rules()
    {
        return {{.field = "replicas", .minimum = 1, .maximum = 9}};
    }
    BOOST_DESCRIBE_CLASS(site_spec, (), (hosts, replicas), (), ())
};

struct site
{
    static kubecoro::resource_type resource() { return {"example.com", "v2", "sites", "Site"}; }
    kubecoro::meta_v1::object_meta metadata;
    site_spec spec;
    BOOST_DESCRIBE_CLASS(site, (), (metadata, spec), (), ())
};

inline void to_hub(const site_v1& from, site& to) { to.spec.hosts = {from.spec.host}; }
inline void from_hub(const site& from, site_v1& to)
{
    to.spec.host = from.spec.hosts.empty() ? std::string() : from.spec.hosts.front();
}

} // namespace webhooks_test
