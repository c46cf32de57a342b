#include "select/selection.hpp"

#include <algorithm>

namespace kubecoro::tool {

namespace {

failure wrong(const std::string& why) { return failure(cond::invalid, why); }

std::vector<std::string> split(const std::string& text, char at)
{
    std::vector<std::string> out(1);
    for (const char c : text) {
        if (c == at)
            out.emplace_back();
        else
            out.back() += c;
    }
    return out;
}

result<> check_name(const std::string& name)
{
    if (name.empty()) return wrong("a name is empty");
    if (name == "." || name == ".." || name.find_first_of("/%") != name.npos)
        return wrong("\"" + name + "\" cannot be the name of an object");
    return {};
}

void add(std::vector<wanted_objects>& out, const std::string& type, std::string name)
{
    if (out.empty() || out.back().type != type) out.push_back({type, {}});
    auto& names = out.back().names;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

result<std::vector<wanted_objects>> pairs(const std::vector<std::string>& arguments)
{
    std::vector<wanted_objects> out;
    for (const auto& argument : arguments) {
        const auto slash = argument.find('/');
        if (slash == argument.npos)
            return wrong("\"" + argument + "\" needs its type in front, as the other arguments have: TYPE/NAME");
        if (slash == 0) return wrong("\"" + argument + "\" has no type before the /");
        auto name = argument.substr(slash + 1);
        if (auto good = check_name(name); !good) return good.error();
        add(out, argument.substr(0, slash), std::move(name));
    }
    return out;
}

} // namespace

result<std::vector<wanted_objects>> parse_selection(const std::vector<std::string>& arguments)
{
    if (arguments.empty()) return wrong("expected RESOURCE: TYPE, TYPE NAME, or TYPE/NAME");
    const auto has_slash = [](const std::string& argument) { return argument.find('/') != argument.npos; };
    if (std::any_of(arguments.begin(), arguments.end(), has_slash)) return pairs(arguments);
    std::vector<wanted_objects> out;
    for (auto& type : split(arguments.front(), ',')) {
        if (type.empty()) return wrong("\"" + arguments.front() + "\" has an empty type");
        const bool known = std::any_of(out.begin(), out.end(), [&](const auto& w) { return w.type == type; });
        if (!known) out.push_back({type, {}});
    }
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        if (auto good = check_name(arguments[i]); !good) return good.error();
        for (auto& wanted : out)
            if (std::find(wanted.names.begin(), wanted.names.end(), arguments[i]) == wanted.names.end())
                wanted.names.push_back(arguments[i]);
    }
    return out;
}

} // namespace kubecoro::tool
