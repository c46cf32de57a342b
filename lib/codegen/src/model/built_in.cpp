#include <kubecoro/codegen/built_in.hpp>

#include "model/layout.hpp"
#include "model/names.hpp"

#include <kubecoro/api/detail/message_names.hpp>
#include <kubecoro/api/detail/schema.hpp>

#include <algorithm>
#include <array>

namespace kubecoro::codegen {

namespace schemas = kubecoro::detail::builtin_schemas;

namespace {

constexpr std::array<std::string_view, 20> groups{"admissionregistration.k8s.io/v1",
                                                  "apiextensions.k8s.io/v1",
                                                  "apiregistration.k8s.io/v1",
                                                  "apps/v1",
                                                  "authentication.k8s.io/v1",
                                                  "authorization.k8s.io/v1",
                                                  "autoscaling/v2",
                                                  "batch/v1",
                                                  "certificates.k8s.io/v1",
                                                  "coordination.k8s.io/v1",
                                                  "discovery.k8s.io/v1",
                                                  "events.k8s.io/v1",
                                                  "networking.k8s.io/v1",
                                                  "node.k8s.io/v1",
                                                  "policy/v1",
                                                  "rbac.authorization.k8s.io/v1",
                                                  "resource.k8s.io/v1",
                                                  "scheduling.k8s.io/v1",
                                                  "storage.k8s.io/v1",
                                                  "v1"};

/// Adds the messages that a message holds. Those that are no object in JSON hold none.
// NOLINTNEXTLINE(misc-no-recursion): as deep as inlined messages
void add_parts(std::uint16_t index, message& to)
{
    for (const auto& f : schemas::fields(index)) {
        if (f.type != kubecoro::detail::field_type::message) continue;
        if (f.has(kubecoro::detail::field_flag::inlined))
            add_parts(f.message, to);
        else if (schemas::message(f.message).form == kubecoro::detail::json_form::object)
            to.fields.push_back(
                {{}, {value_shape::form::message, {}, std::string(schemas::message_name(f.message)), {}}});
    }
}

/// The built-in kinds and their messages, with those fields alone that decide where types are.
model built_in_model()
{
    model out;
    for (std::uint16_t i = 0; i < schemas::message_count(); ++i) {
        if (schemas::message(i).form != kubecoro::detail::json_form::object) continue;
        message m{std::string(schemas::message_name(i))};
        add_parts(i, m);
        out.messages.emplace(m.name, std::move(m));
    }
    for (const auto& row : schemas::kinds()) {
        if (row.resource == 0 || !std::ranges::binary_search(groups, schemas::text(row.api_version))) continue;
        kind k;
        k.name = schemas::text(row.kind);
        k.message = schemas::message_name(row.message);
        out.kinds.push_back(std::move(k));
    }
    return out;
}

/// The types, by message and by C++ name.
struct built_in_types
{
    std::map<std::string, std::string> roots;
    std::map<std::string, std::string> messages;
};

const built_in_types& types()
{
    static const built_in_types all = [] {
        built_in_types out;
        const auto m = built_in_model();
        for (const auto& h : distribute(m, m.kinds))
            for (const auto& name : h.messages) {
                out.roots.emplace(name, h.root);
                out.messages.emplace(type_name_of(name).qualified(), name);
            }
        return out;
    }();
    return all;
}

} // namespace

std::span<const std::string_view> built_in_groups() noexcept { return groups; }

bool is_built_in(const std::string& message) { return types().roots.contains(message); }

std::string built_in_header(const std::string& message)
{
    const auto found = types().roots.find(message);
    return found == types().roots.end() ? message : found->second;
}

std::string built_in_twin(const std::string& message)
{
    const auto found = types().messages.find(type_name_of(message).qualified());
    return found == types().messages.end() ? std::string() : found->second;
}

} // namespace kubecoro::codegen
