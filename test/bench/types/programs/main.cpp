// kubecoro's types as a subject of the bench: prints the figures of pods as a line of JSON.
#include "typed_pods.hpp"

#include "data/record_file.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>

#include <boost/json.hpp>
#include <CLI/CLI.hpp>

#include <iostream>

namespace {

using namespace kubecoro;

/// Records of protobuf are messages without the envelope that a response has.
result<std::vector<std::string>> bodies_in(const std::string& file, wire_form form)
{
    auto reader = bench::record_reader::open(file);
    if (!reader) return reader.error();
    std::vector<std::string> out;
    std::string record;
    for (;;) {
        const auto more = reader->next(record);
        if (!more) return more.error();
        if (!*more) return out;
        out.push_back(form == wire_form::json ? record : detail::protobuf_envelope("v1", "Pod", record));
    }
}

result<bench::typed_pods> pods_in(const std::string& file, wire_form form)
{
    auto bodies = bodies_in(file, form);
    if (!bodies) return bodies.error();
    return bench::typed_pods::read(std::move(*bodies), form);
}

} // namespace

int main(int argc, char** argv)
{
    std::string file;
    std::string form = "json";
    std::uint64_t least = 300;
    CLI::App app{"kubecoro's types as a subject of the bench."};
    app.add_option("--pods", file, "Records of pods, in the form")->required();
    app.add_option("--form", form, "The form of the records")->check(CLI::IsMember({"json", "protobuf"}));
    app.add_option("--milliseconds", least, "Time for each figure")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    auto pods = pods_in(file, form == "json" ? wire_form::json : wire_form::protobuf);
    if (!pods) {
        std::cerr << pods.error() << '\n';
        return 1;
    }
    std::cout << boost::json::serialize(pods->measure(std::chrono::milliseconds(least))) << std::endl;
    return 0;
}
