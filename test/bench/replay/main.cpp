// kubecoro_replay: serves prepared objects like an API server, and sends events on command. README.md has the protocol.
#include "certificates.hpp"
#include "replay_server.hpp"

#include <charconv>
#include <iostream>
#include <string_view>

using namespace kubecoro;
using namespace kubecoro::bench;

namespace {

constexpr std::string_view usage =
    "usage: kubecoro_replay --data small|large|low|custom --objects N [--seed S] "
    "[--namespaces N]\n"
    "                       [--listen ADDRESS:PORT] [--tls DIRECTORY] [--protobuf FILE]\n"
    "                       [--dump FILE [--events M]]\n";

struct command_line
{
    replay_options replay;
    std::string dump;
    std::uint32_t events = 0;
};

template<class Number>
result<> read_number(std::string_view text, Number& to)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    if (error != std::errc() || end != text.data() + text.size())
        return failure{cond::misconfigured, "not a number: " + std::string(text)};
    return {};
}

result<> read_option(std::string_view name, const std::string& value, command_line& out)
{
    if (name == "--data") {
        const auto kind = data_kind_of(value);
        if (!kind) return kind.error();
        out.replay.data.kind = *kind;
        return {};
    }
    if (name == "--listen") {
        const std::size_t colon = value.rfind(':');
        if (colon == std::string::npos) return failure{cond::misconfigured, "--listen requires ADDRESS:PORT"};
        out.replay.address = value.substr(0, colon);
        return read_number(std::string_view(value).substr(colon + 1), out.replay.port);
    }
    if (name == "--objects") return read_number(value, out.replay.data.objects);
    if (name == "--namespaces") return read_number(value, out.replay.data.namespaces);
    if (name == "--seed") return read_number(value, out.replay.data.seed);
    if (name == "--events") return read_number(value, out.events);
    std::string* const text = name == "--tls"        ? &out.replay.tls
                              : name == "--protobuf" ? &out.replay.protobuf
                              : name == "--dump"     ? &out.dump
                                                     : nullptr;
    if (text == nullptr) return failure{cond::misconfigured, "unknown option " + std::string(name)};
    *text = value;
    return {};
}

result<command_line> read_arguments(int argc, char** argv)
{
    command_line out;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) return failure{cond::misconfigured, std::string(argv[i]) + " requires a value"};
        if (auto read = read_option(argv[i], argv[i + 1], out); !read) return read.error();
    }
    if (out.replay.data.objects == 0) return failure{cond::misconfigured, "--objects must be at least 1"};
    return out;
}

result<> run(const command_line& line)
{
    if (!line.dump.empty()) return dump_records(line.replay.data, line.events, line.dump);
    if (!line.replay.tls.empty())
        if (auto there = provide_certificates(line.replay.tls); !there) return there.error();
    const auto server = replay_server::start(line.replay);
    if (!server) return server.error();
    std::cout << R"({"port":)" << (*server)->port() << R"(,"control":)" << (*server)->control_port() << "}"
              << std::endl;
    (*server)->wait_for_quit();
    return {};
}

} // namespace

int main(int argc, char** argv)
{
    const auto line = read_arguments(argc, argv);
    if (!line) {
        std::cerr << line.error().message() << '\n' << usage;
        return 2;
    }
    if (const auto done = run(*line); !done) {
        std::cerr << done.error() << '\n';
        return 1;
    }
    return 0;
}
