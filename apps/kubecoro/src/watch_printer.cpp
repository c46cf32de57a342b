#include "watch_printer.hpp"

#include "changes.hpp"

#include "print/escape.hpp"

#include <kubecoro/base/printable.hpp>

#include <cstdio>
#include <ctime>

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
    std::string out = R"({"type":"error","reason":)" + json_quoted(said.reason) + R"(,"message":)" +
                      json_quoted(said.message) + R"(,"code":)" + std::to_string(said.code);
    if (!why.target().empty()) out += R"(,"request":)" + json_quoted(why.method() + " " + why.target());
    return out + "}";
}

/// "2026-11-23T17:47:40.123Z"
std::string time_text(wall_time now)
{
    const auto since = now.time_since_epoch();
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
    const auto seconds = static_cast<std::time_t>(milliseconds / 1000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char day[32];
    std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
    char out[48];
    std::snprintf(out, sizeof out, "%s.%03dZ", day, static_cast<int>(milliseconds % 1000));
    return out;
}

std::string_view colour_of(std::string_view event)
{
    return event == "added" ? "32" : event == "updated" ? "33" : "31";
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

bool is_permanent(const failure& why)
{
    switch (why.condition()) {
    case cond::forbidden:
    case cond::not_found:
    case cond::invalid:
    case cond::misconfigured:
        return true;
    default:
        return false;
    }
}

watch_printer::watch_printer(output& out, watch_style style, std::shared_ptr<time_source> time)
    : out_(out), style_(style), time_(std::move(time))
{
}

void watch_printer::begin()
{
    if (style_.json) return;
    char head[128];
    std::snprintf(head, sizeof head, "%s%-8s %-52s %-10s %s", style_.timestamps ? "TIME                     " : "",
                  "EVENT", "OBJECT", "VERSION", "DETAIL");
    out_.line(head);
}

void watch_printer::arrived(int change)
{
    const std::lock_guard lock(mutex_);
    shown_failures_.clear();
    objects_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(objects_) + change);
}

void watch_printer::table_line(std::string_view text, std::string_view colour)
{
    std::string line = style_.timestamps ? time_text(time_->wall_now()) + " " : "";
    const bool coloured = style_.colours && !colour.empty();
    if (coloured) line += "\x1b[" + std::string(colour) + "m";
    line += printable(text);
    if (coloured) line += "\x1b[0m";
    out_.line(line);
}

void watch_printer::document(std::string_view text)
{
    std::string line = "{";
    if (style_.timestamps) line += R"("time":")" + time_text(time_->wall_now()) + R"(",)";
    line += escaped_json(text.substr(1));
    out_.line(line);
}

void watch_printer::row(std::string_view event, const object& o, std::string_view detail, const std::string& prefix)
{
    const std::string key = (prefix.empty() ? "" : prefix + "/") + to_string(o.key());
    char front[64];
    std::snprintf(front, sizeof front, "%-8s ", std::string(event).c_str());
    std::string line = front + key;
    if (key.size() < 52) line.append(52 - key.size(), ' ');
    std::snprintf(front, sizeof front, " %-10s ", printable(o.resource_version(), 40).c_str());
    table_line(line + front + std::string(detail), colour_of(event));
}

void watch_printer::show(const added<object>& e, const std::string& prefix)
{
    arrived(+1);
    if (style_.json) {
        document(R"({"type":"added","initial":)" + boolean(e.initial) + R"(,"object":)" + e.obj.to_text() + "}");
    } else {
        row("added", e.obj, e.initial ? "initial" : "", prefix);
    }
}

void watch_printer::show(const updated<object>& e, const std::string& prefix)
{
    arrived(0);
    if (style_.json) {
        document(R"({"type":"updated","before":)" + e.before.to_text() + R"(,"object":)" + e.after.to_text() + "}");
    } else {
        row("updated", e.after, describe_change(e.before, e.after, 3), prefix);
    }
}

void watch_printer::show(const deleted<object>& e, const std::string& prefix)
{
    arrived(-1);
    if (style_.json) {
        document(R"({"type":"deleted","finalStateUnknown":)" + boolean(e.final_state_unknown) + R"(,"object":)" +
                 e.obj.to_text() + "}");
    } else {
        row("deleted", e.obj, e.final_state_unknown ? "final state unknown" : "", prefix);
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
    if (style_.json)
        document(R"({"type":"synced","objects":)" + n + "}");
    else
        table_line("-- synced: " + n + " objects");
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
    if (style_.json)
        document(error_document(why));
    else
        table_line("-- error: " + why.describe(), "31");
}

} // namespace kubecoro::tool
