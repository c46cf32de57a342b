// kubecoro as a subject of the bench's requests, and the program that prepares and changes the objects for all subjects.
#include "command_lines.hpp"
#include "heap_profile.hpp"
#include "program_allocations.hpp"
#include "requests.hpp"

#include <kubecoro/base/try.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <CLI/CLI.hpp>

#include <iostream>
#include <sstream>
#include <string>

#include <malloc.h>

namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace kubecoro;

struct options
{
    std::string kubeconfig;
    std::string form = "protobuf";
};

struct command
{
    std::string verb;
    std::size_t first = 0;
    std::size_t second = 0;
};

command parse(const std::string& line)
{
    command c;
    std::istringstream(line) >> c.verb >> c.first >> c.second;
    return c;
}

asio::awaitable<result<json::object>> make_many(bench::requests& work, bench::requests::request_kind kind,
                                                std::size_t in_flight, std::size_t count)
{
    KUBECORO_TRY(auto done, co_await work.many(kind, in_flight, count));
    co_return json::object{{"done", count},
                           {"wall_s", done.wall_s},
                           {"allocations", done.allocations},
                           {"allocated_bytes", done.allocated_bytes}};
}

/// The first collection leaves what pools still hold.
asio::awaitable<result<json::object>> server_memory(const client& to)
{
    const request heap{.method = "GET", .target = "/debug/pprof/heap?gc=1&debug=1", .accept = "*/*"};
    auto profile = co_await to.raw(heap);
    if (profile) profile = co_await to.raw(heap);
    if (!profile) co_return profile.error();
    KUBECORO_TRY(auto bytes, bench::memory_in_use(profile->body));
    co_return json::object{{"bytes", bytes}};
}

/// Commands whose answer says only that they are done.
asio::awaitable<result<>> prepare(bench::requests& work, const command& c)
{
    if (c.verb == "watch") co_return co_await work.watch(c.first);
    if (c.verb == "events") co_return co_await work.events(c.first);
    if (c.verb == "prepare") co_return co_await work.prepare();
    if (c.verb == "clear") co_return co_await work.clear();
    if (c.verb != "settle") co_return failure(cond::invalid, "unknown command: " + c.verb);
    malloc_trim(0);
    co_return result<>();
}

asio::awaitable<result<json::object>> carry_out(const client& to, bench::requests& work, const command& c)
{
    using bench::requests;
    if (c.verb == "get") co_return co_await make_many(work, &requests::get, c.first, c.second);
    if (c.verb == "create") co_return co_await make_many(work, &requests::create, c.first, c.second);
    if (c.verb == "update") co_return co_await make_many(work, &requests::update, c.first, c.second);
    if (c.verb == "server-memory") co_return co_await server_memory(to);
    KUBECORO_TRY(co_await prepare(work, c));
    co_return json::object{{"done", c.verb}};
}

asio::awaitable<result<>> run(asio::any_io_executor executor, options o)
{
    const auto form = o.form == "json" ? wire_form::json : wire_form::protobuf;
    client_options how{.kubeconfig = o.kubeconfig};
    how.decode.form = form;
    how.body_form = form;
    KUBECORO_TRY(auto connected, client::connect(executor, how));
    bench::requests work(executor, connected);
    bench::command_lines input(executor);
    while (auto line = co_await input.next()) {
        const auto c = parse(*line);
        auto answer = co_await carry_out(connected, work, c);
        if (!answer) answer = json::object{{"error", answer.error().describe()}};
        std::cout << json::serialize(*answer) << '\n' << std::flush;
    }
    co_return co_await work.stop();
}

} // namespace

int main(int argc, char** argv)
{
    if (!bench::count_allocations_of_openssl()) {
        std::cerr << "OpenSSL was used before its allocations could be counted\n";
        return 1;
    }
    options o;
    std::string resource = "configmaps";
    CLI::App app{"kubecoro as a subject of the bench's requests; commands come on standard input."};
    app.add_option("--kubeconfig", o.kubeconfig, "The cluster")->required();
    app.add_option("--resource", resource)->check(CLI::IsMember({"configmaps"}));
    app.add_option("--form", o.form, "The form of bodies and answers")->check(CLI::IsMember({"json", "protobuf"}));
    CLI11_PARSE(app, argc, argv);
    asio::io_context io(1);
    int status = 1;
    asio::co_spawn(io, run(io.get_executor(), o), [&](std::exception_ptr thrown, result<> outcome) {
        if (!thrown && outcome) status = 0;
        if (!thrown && !outcome) std::cerr << outcome.error() << '\n';
    });
    io.run();
    return status;
}
