// Reads the conflicts of a refused apply from the server's causes.
#include <kubecoro/client/apply.hpp>

#include <utility>

namespace kubecoro {

namespace {

bool take(std::string_view& rest, std::string_view prefix)
{
    if (!rest.starts_with(prefix)) return false;
    rest.remove_prefix(prefix.size());
    return true;
}

/// Takes a text that Go has quoted; a backslash before any character but a quote and a backslash is kept.
std::optional<std::string> take_quoted(std::string_view& rest)
{
    if (!rest.starts_with('"')) return std::nullopt;
    std::string text;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] == '"') {
            rest.remove_prefix(i + 1);
            return text;
        }
        const bool escaped = rest[i] == '\\' && i + 1 < rest.size();
        if (escaped && rest[i + 1] != '"' && rest[i + 1] != '\\') text += '\\';
        if (escaped) ++i;
        text += rest[i];
    }
    return std::nullopt;
}

/// `conflict with "m" with subresource "s" using apps/v1 at 2026-11-21T06:09:05Z`, of which all but the manager may be
/// missing.
void read_message(std::string_view rest, apply_conflict& out)
{
    if (!take(rest, "conflict with ")) return;
    out.manager = take_quoted(rest).value_or("");
    if (take(rest, " with subresource ")) out.subresource = take_quoted(rest).value_or("");
    if (!take(rest, " using ")) return;
    const auto at = rest.find(" at ");
    out.api_version = rest.substr(0, at);
    if (at != rest.npos) out.time = rest.substr(at + 4);
}

} // namespace

std::vector<apply_conflict> apply_conflicts(const failure& f)
{
    std::vector<apply_conflict> out;
    const auto* status = f.status();
    if (status == nullptr || f != cond::conflict) return out;
    for (const auto& cause : status->causes) {
        if (cause.reason != "FieldManagerConflict") continue;
        apply_conflict conflict;
        conflict.field = cause.field;
        conflict.message = cause.message;
        read_message(cause.message, conflict);
        out.push_back(std::move(conflict));
    }
    return out;
}

} // namespace kubecoro
