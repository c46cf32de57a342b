#include <kubecoro/client/untrusted_kubeconfig.hpp>

#include "address/proxy.hpp"
#include "config/kubeconfig_choice.hpp"
#include "config/kubeconfig_file.hpp"

#include <initializer_list>
#include <optional>

namespace kubecoro {
namespace {

using detail::config_text;

failure refused(const std::string& where, const std::string& what)
{
    return failure(cond::misconfigured, where + ": " + what + " is not allowed here");
}

result<> check_no_files(std::initializer_list<const config_text*> fields)
{
    for (const auto* f : fields)
        if (!f->empty()) return refused(f->where, "the path of a file");
    return {};
}

/// Every entry, not the chosen ones only: a text that is refused stays refused when its current context changes.
result<> check_entries(const detail::kubeconfig_text& all)
{
    for (const auto& [name, c] : all.clusters)
        if (auto sound = check_no_files({&c.authority_file}); !sound) return sound;
    for (const auto& [name, u] : all.users) {
        if (u.exec) return refused(u.exec->where, "a program that prints credentials");
        if (auto sound = check_no_files({&u.token_file, &u.certificate_file, &u.key_file}); !sound) return sound;
    }
    return {};
}

/// A second barrier: whatever asks has nothing to read.
environment nothing_to_read()
{
    environment out;
    out.variable = [](const std::string&) { return std::optional<std::string>(); };
    out.read_file = [](const std::string&, std::size_t) -> result<std::string> {
        return failure(cond::misconfigured, "no file may be read");
    };
    out.service_account_dir.clear();
    return out;
}

/// The text's own names are part of messages, and may be as long as the text.
failure shortened(const failure& why)
{
    constexpr std::size_t most = 512;
    if (why.message().size() <= most) return why;
    return failure(why.condition(), std::string(why.message().substr(0, most)) + " ...");
}

} // namespace

result<cluster_config> parse_untrusted_kubeconfig(std::string_view yaml, const untrusted_kubeconfig_options& options)
{
    if (yaml.size() > options.max_bytes)
        return failure(cond::misconfigured, options.origin + ": has " + std::to_string(yaml.size()) +
                                                " bytes; at most " + std::to_string(options.max_bytes) +
                                                " are allowed");
    detail::kubeconfig_text all;
    if (auto added = all.add(yaml, options.origin); !added) return shortened(added.error());
    if (auto sound = check_entries(all); !sound) return shortened(sound.error());
    auto chosen = detail::choose_context(all, options.origin, options.context, nothing_to_read());
    if (!chosen) return shortened(chosen.error());
    if (chosen->proxy_url.empty() && !options.environment_proxy) chosen->proxy_url = detail::no_proxy;
    return chosen;
}

} // namespace kubecoro
