#include "files.hpp"
#include "report.hpp"

#include <boost/version.hpp>

#include <sstream>
#include <thread>

#include <sys/utsname.h>

namespace kubecoro::bench {

namespace {

/// The value of the first line "name : value".
std::string field_of(const std::string& file, std::string_view name)
{
    std::istringstream in(text_of(file));
    for (std::string line; std::getline(in, line);) {
        const auto colon = line.find(':');
        if (!line.starts_with(name) || colon == std::string::npos) continue;
        const auto value = line.find_first_not_of(" \t", colon + 1);
        return value == std::string::npos ? std::string() : line.substr(value);
    }
    return {};
}

std::string first_line(const std::string& file)
{
    const auto text = text_of(file);
    return text.substr(0, text.find('\n'));
}

std::string boost_version()
{
    return std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000);
}

} // namespace

machine_facts facts_of_this_machine(const std::string& versions_file)
{
    utsname system{};
    uname(&system);
    machine_facts facts;
    facts.lines = {
        {"processor", field_of("/proc/cpuinfo", "model name")},
        {"cores", std::to_string(std::thread::hardware_concurrency())},
        {"threads of the first core", first_line("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list")},
        {"memory", field_of("/proc/meminfo", "MemTotal")},
        {"kernel", std::string(system.sysname) + " " + system.release},
        {"compiler", __VERSION__},
        {"Boost", boost_version()}};
    std::istringstream peers(text_of(versions_file));
    for (std::string line; std::getline(peers, line);) facts.lines.emplace_back("peer", line);
    return facts;
}

} // namespace kubecoro::bench
