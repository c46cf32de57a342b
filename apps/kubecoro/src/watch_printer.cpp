#include "watch_printer.hpp"

#include "changes.hpp"

#include <kubecoro/base/printable.hpp>

#include <cstdio>

namespace kubecoro::tool {

namespace {

/// Limits the memory of failures shown, because a server may word every refusal differently.
constexpr std::size_t most_remembered = 64;

std::string boolean(bool b) { return b ? "true" : "false"; }

/// The failure as a server's Status, so that readers need to handle only one form.
server_status status_of(const failure& why)
{
    server_status said;
    if (why.status()) said = *why.status();
    if (said.message.empty()) said.message = why.message().empty() || why.cause() ? why.describe() : why.message();
    if (!said.reason.empty()) return said;
    switch (why.condition()) {
    case cond::not_found:
        said.reason = "NotFound";
        said.code = 404;
        break;
    case cond::invalid:
        said.reason = "BadRequest";
        said.code = 400;
        break;
    default:
        said.reason = to_string(why.condition());
    }
    return said;
}

std::string error_document(const failure& why)
{
    const server_status said = status_of(why);
    std::string out = R"({"type":"error","reason":)" + quoted(said.reason) + R"(,"message":)" + quoted(said.message) +
                      R"(,"code":)" + std::to_string(said.code);
    if (!why.target().empty()) out += R"(,"request":)" + quoted(why.method() + " " + why.target());
    return out + "}";
}

} // namespace

bool worth_showing(const failure& why)
{
    switch (why.condition()) {
    case cond::forbidden:
    case cond::unauthorized:
    case cond::not_found:
    case cond::invalid:
    case cond::misconfigured:
    case cond::corrupt:
    case cond::internal:
        return true;
    default:
        return false;
    }
}

watch_printer::watch_printer(output& out, bool json) : out_(out), json_(json) {}

void watch_printer::begin()
{
    if (json_) return;
    char head[128];
    std::snprintf(head, sizeof head, "%-8s %-52s %-10s %s", "EVENT", "OBJECT", "VERSION", "DETAIL");
    out_.line(head);
}

void watch_printer::arrived(int change)
{
    const std::lock_guard lock(mutex_);
    shown_failures_.clear();
    objects_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(objects_) + change);
}

void watch_printer::table_line(std::string_view text) { out_.line(printable(text)); }

void watch_printer::row(std::string_view event, const object& o, std::string_view detail)
{
    const std::string key = to_string(o.key());
    char front[64];
    std::snprintf(front, sizeof front, "%-8s ", std::string(event).c_str());
    std::string line = front + key;
    if (key.size() < 52) line.append(52 - key.size(), ' ');
    std::snprintf(front, sizeof front, " %-10s ", printable(o.resource_version(), 40).c_str());
    table_line(line + front + std::string(detail));
}

void watch_printer::show(const added& e)
{
    arrived(+1);
    if (json_) {
        out_.line(R"({"type":"added","initial":)" + boolean(e.initial) + R"(,"object":)" + e.obj.to_text() + "}");
    } else {
        row("added", e.obj, e.initial ? "initial" : "");
    }
}

void watch_printer::show(const updated& e)
{
    arrived(0);
    if (json_) {
        out_.line(R"({"type":"updated","before":)" + e.before.to_text() + R"(,"object":)" + e.after.to_text() + "}");
    } else {
        row("updated", e.after, describe_change(e.before, e.after, 3));
    }
}

void watch_printer::show(const deleted& e)
{
    arrived(-1);
    if (json_) {
        out_.line(R"({"type":"deleted","finalStateUnknown":)" + boolean(e.final_state_unknown) + R"(,"object":)" +
                  e.obj.to_text() + "}");
    } else {
        row("deleted", e.obj, e.final_state_unknown ? "final state unknown" : "");
    }
}

void watch_printer::synced()
{
    std::size_t objects = 0;
    {
        const std::lock_guard lock(mutex_);
        shown_failures_.clear();
        objects = objects_;
    }
    const std::string n = std::to_string(objects);
    out_.line(json_ ? R"({"type":"synced","objects":)" + n + "}" : "-- synced: " + n + " objects");
}

void watch_printer::failed(const failure& why)
{
    const server_status* status = why.status();
    {
        const std::lock_guard lock(mutex_);
        if (shown_failures_.size() >= most_remembered) shown_failures_.clear();
        if (!shown_failures_.insert(std::string(to_string(why.condition())) + (status ? status->message : "")).second)
            return;
    }
    if (json_)
        out_.line(error_document(why));
    else
        table_line("-- error: " + why.describe());
}

} // namespace kubecoro::tool
