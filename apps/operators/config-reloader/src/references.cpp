#include "references.hpp"

#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/secret.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace kubecoro::config_reloader {

namespace {

/// Collects references; keeps the first error and ignores everything after it.
class gatherer
{
public:
    // clang 16 takes the capture of an inner lambda for unused unless `this` is written out.
    void volumes(const view<core_v1::pod_spec>& pods)
    {
        each(pods.volumes(), "volumes", [this](const auto& volume) {
            mention(content_kind::config_map, volume.configMap(), volume.configMap().name(), "volumes.configMap");
            mention(content_kind::secret, volume.secret(), volume.secret().secretName(), "volumes.secret");
            each(volume.projected().sources(), "volumes.projected.sources", [this](const auto& source) {
                this->mention(content_kind::config_map, source.configMap(), "volumes.projected.sources.configMap");
                this->mention(content_kind::secret, source.secret(), "volumes.projected.sources.secret");
            });
        });
    }

    void containers(const list_view<view<core_v1::container>>& list, std::string_view which)
    {
        each(list, which, [this](const auto& container) {
            each(container.envFrom(), "envFrom", [this](const auto& from) {
                this->mention(content_kind::config_map, from.configMapRef(), "envFrom.configMapRef");
                this->mention(content_kind::secret, from.secretRef(), "envFrom.secretRef");
            });
            each(container.env(), "env", [this](const auto& variable) {
                const auto from = variable.valueFrom();
                this->mention(content_kind::config_map, from.configMapKeyRef(), "env.valueFrom.configMapKeyRef");
                this->mention(content_kind::secret, from.secretKeyRef(), "env.valueFrom.secretKeyRef");
            });
        });
    }

    [[nodiscard]] result<std::vector<reference>> take() &&
    {
        if (wrong_) return *wrong_;
        std::vector<reference> out;
        out.reserve(optional_.size());
        for (auto& [object, optional] : optional_) out.push_back({object.first, object.second, optional});
        return out;
    }

private:
    template<class T, class F>
    void each(const list_view<T>& list, std::string_view field, const F& f)
    {
        if (!list.untyped() || list.untyped().kind() == value_kind::null) return;
        if (!list.untyped().is_array()) return complain(field, "is not a list");
        for (const auto item : list) {
            if (wrong_) return;
            f(item);
        }
    }

    /// @param of  The part that refers to an object by its name.
    template<class T>
    void mention(content_kind kind, const view<T>& of, std::string_view field)
    {
        mention(kind, of, of.name(), field);
    }
    template<class T>
    void mention(content_kind kind, const view<T>& of, std::string_view name, std::string_view field)
    {
        if (!of.untyped() || of.untyped().kind() == value_kind::null) return;
        if (!of) return complain(field, "is not an object");
        if (!is_name(name)) return complain(field, "has no valid object name");
        const auto [at, fresh] = optional_.try_emplace({kind, std::string(name)}, true);
        at->second = at->second && of.optional().value_or(false);
        if (fresh && optional_.size() > max_references) complain(field, "exceeds the number of references");
    }

    /// The server's check of names of both kinds; it also makes a name safe to use in a path.
    static bool is_name(std::string_view text)
    {
        const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
        const auto inner = [&](char c) { return plain(c) || c == '-' || c == '.'; };
        return !text.empty() && text.size() <= 253 && plain(text.front()) && plain(text.back()) &&
               std::all_of(text.begin(), text.end(), inner);
    }

    void complain(std::string_view field, std::string_view what)
    {
        if (wrong_) return;
        wrong_ = failure(cond::invalid, "the pod template's " + std::string(field) + ' ' + std::string(what));
    }

    std::map<std::pair<content_kind, std::string>, bool> optional_;
    std::optional<failure> wrong_;
};

} // namespace

resource_type resource_of(content_kind kind)
{
    return kind == content_kind::secret ? core_v1::secret::resource() : core_v1::config_map::resource();
}

std::string_view to_string(content_kind kind) noexcept { return kind == content_kind::secret ? "Secret" : "ConfigMap"; }

result<std::vector<reference>> references_of(const view<core_v1::pod_spec>& pods)
{
    gatherer found;
    found.volumes(pods);
    found.containers(pods.initContainers(), "initContainers");
    found.containers(pods.containers(), "containers");
    return std::move(found).take();
}

std::vector<std::string> reference_paths()
{
    const std::string pod = "spec.template.spec.";
    std::vector<std::string> out;
    for (const char* volume : {"configMap", "secret", "projected.sources"}) out.push_back(pod + "volumes.*." + volume);
    for (const char* containers : {"initContainers.*.", "containers.*."}) {
        out.push_back(pod + containers + "envFrom");
        out.push_back(pod + containers + "env.*.valueFrom.configMapKeyRef");
        out.push_back(pod + containers + "env.*.valueFrom.secretKeyRef");
    }
    return out;
}

} // namespace kubecoro::config_reloader
