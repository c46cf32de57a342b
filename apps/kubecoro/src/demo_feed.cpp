#include "demo_feed.hpp"

#include "changes.hpp"

#include <kubecoro/base/printable.hpp>

#include <cstdio>

namespace kubecoro::tool {

namespace {

constexpr std::string_view green = "32";
constexpr std::string_view yellow = "33";
constexpr std::string_view red = "31";
constexpr std::string_view cyan = "1;36";
constexpr std::string_view grey = "90";

std::string padded(std::string_view text, std::size_t width)
{
    std::string out(text);
    if (out.size() < width) out.append(width - out.size(), ' ');
    return out;
}

/// A short summary of a new object of any kind.
std::string in_short(const object& o)
{
    const auto phase = o.root().path("status.phase").as_string();
    const auto node = o.root().path("spec.nodeName").as_string();
    std::string out(phase);
    if (!node.empty()) out += (out.empty() ? "on " : " on ") + std::string(node);
    return out;
}

} // namespace

feed::feed(time_source& time, bool colour) : clock_(time), start_(time.now()), colour_(colour) {}

std::string feed::painted(std::string_view code, std::string_view text) const
{
    if (!colour_) return printable(text);
    return "\033[" + std::string(code) + "m" + printable(text) + "\033[0m";
}

std::string feed::stamp() const
{
    const auto elapsed = std::chrono::duration<double>(clock_.now() - start_).count();
    char text[32];
    std::snprintf(text, sizeof text, "%7.2fs ", elapsed);
    return text;
}

std::string feed::bold(std::string_view text) const { return painted("1", text); }

std::string feed::verdict(bool good, std::string_view text) const { return painted(good ? "1;32" : "1;31", text); }

void feed::heading(std::string_view text) { out_.line(stamp() + painted(cyan, "== " + std::string(text))); }

void feed::note(std::string_view text) { out_.line(stamp() + painted(grey, "   " + std::string(text))); }

void feed::plain(std::string_view text) { out_.line(text); }

void feed::event(char sign, std::string_view code, std::string_view resource, const object& o, std::string_view detail)
{
    std::string line = stamp() + painted(code, sign + (" " + padded(resource, 12)));
    line += padded(printable(to_string(o.key())), 44) + ' ';
    line += painted(grey, detail);
    out_.line(line);
}

void feed::added(std::string_view resource, const object& o, bool initial)
{
    ++(initial ? counts_.initial : counts_.added);
    if (!initial) event('+', green, resource, o, in_short(o));
}

void feed::updated(std::string_view resource, const object& before, const object& after)
{
    ++counts_.updated;
    event('~', yellow, resource, after, describe_change(before, after, 1));
}

void feed::deleted(std::string_view resource, const object& o, bool final_state_unknown)
{
    ++counts_.deleted;
    event('-', red, resource, o, final_state_unknown ? "deletion detected by a relist" : "");
}

} // namespace kubecoro::tool
