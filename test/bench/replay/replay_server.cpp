#include "replay_server.hpp"

#include "api_answers.hpp"
#include "data/record_file.hpp"
#include "http_service.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace kubecoro::bench {
namespace {

resource_kind resource_of(data_kind kind)
{
    return kind == data_kind::custom ? resource_kind::widgets : resource_kind::pods;
}

/// The mean size of some objects spread over the set.
std::size_t usual_size(data_set& data)
{
    constexpr std::uint32_t samples = 64;
    std::string all;
    for (std::uint32_t i = 0; i < samples; ++i)
        data.append(all, static_cast<std::uint32_t>(std::uint64_t{data.size()} * i / samples), object_state::first);
    return all.size() / samples;
}

/// The objects of each namespace: neighbours, because a list is in the order of namespaces.
namespace_ranges ranges_of(const data_set& data)
{
    namespace_ranges out;
    for (std::uint32_t i = 0; i < data.size(); ++i) {
        const auto at = out.try_emplace(data.name_space(i), object_range{i, i}).first;
        at->second.last = i + 1;
    }
    return out;
}

result<image> json_image(const data_options& options)
{
    data_set data(options);
    const image_format format =
        options.kind == data_kind::custom ? image_format::json_widgets : image_format::json_pods;
    image out(format, data.size(), usual_size(data));
    std::string first, second;
    for (std::uint32_t i = 0; i < data.size(); ++i) {
        first.clear();
        second.clear();
        data.append(first, i, object_state::first);
        data.append(second, i, object_state::second);
        if (auto added = out.add(first, second); !added) return added.error();
    }
    return out;
}

result<image> protobuf_image(const std::string& path, std::uint32_t objects)
{
    auto firsts = record_reader::open(path);
    auto seconds = record_reader::open(path);
    if (!firsts) return firsts.error();
    if (!seconds) return seconds.error();
    std::string first, second;
    std::size_t bytes = 0;
    for (std::uint32_t i = 0; i < objects; ++i, bytes += second.size())
        if (auto skipped = seconds->next(second); !skipped || !*skipped)
            return failure{cond::misconfigured, path + " has fewer than " + std::to_string(objects) + " records"};
    image out(image_format::protobuf_pods, objects, bytes / objects);
    for (std::uint32_t i = 0; i < objects; ++i) {
        if (auto read = firsts->next(first); !read) return read.error();
        const auto read = seconds->next(second);
        if (!read) return read.error();
        if (auto added = out.add(first, *read ? second : std::string()); !added) return added.error();
    }
    return out;
}

result<std::vector<encoding>> encodings_of(const replay_options& options)
{
    std::vector<encoding> out;
    auto json = json_image(options.data);
    if (!json) return json.error();
    out.push_back({std::move(*json),
                   make_json_envelope(resource_of(options.data.kind)),
                   {"application/json", "*/*", "application/*"}});
    if (options.protobuf.empty()) return out;
    if (options.data.kind == data_kind::custom)
        return failure{cond::misconfigured, "custom resources have no protobuf form"};
    auto protobuf = protobuf_image(options.protobuf, options.data.objects);
    if (!protobuf) return protobuf.error();
    out.push_back({std::move(*protobuf), make_protobuf_envelope(), {"application/vnd.kubernetes.protobuf"}});
    return out;
}

bool answer_command(stage& objects, channel& to, const http_request& request)
{
    const auto number = [&](const char* name) { return request.number(name).value_or(0); };
    std::string out;
    if (request.method == "POST" && request.path == "/events") {
        const stage::playback done = objects.play(number("count"), static_cast<double>(number("rate")));
        out = R"({"sent":)" + std::to_string(done.sent) + R"(,"wall_s":)" + std::to_string(done.seconds) + "}\n";
    } else if (request.method == "POST" && request.path == "/expire") {
        out = R"({"changed":)" + std::to_string(objects.expire(static_cast<double>(number("changed")))) + "}\n";
    } else if (request.method == "GET" && request.path == "/stats") {
        const stage_counts c = objects.counts();
        out = R"({"lists":)" + std::to_string(c.lists) + R"(,"watches":)" + std::to_string(c.watches) + R"(,"bytes":)" +
              std::to_string(c.bytes) + R"(,"events":)" + std::to_string(c.events) + R"(,"open_watches":)" +
              std::to_string(c.open_watches) + "}\n";
    } else if (request.method == "POST" && request.path == "/quit") {
        out = "{}\n";
    } else {
        return write_answer(to, 404, "text/plain", "unknown command\n");
    }
    return write_answer(to, 200, "application/json", out);
}

} // namespace

struct replay_server::state
{
    std::unique_ptr<stage> objects;
    resource_kind resource = resource_kind::pods;
    std::mutex mutex;
    std::condition_variable changed;
    bool quit = false;
    std::unique_ptr<http_service> api;
    std::unique_ptr<http_service> control;

    bool answer(channel& to, const http_request& request)
    {
        const auto name_space = namespace_of(request.path, resource);
        if (request.method == "GET" && name_space) return objects->answer(to, request, *name_space);
        return answer_elsewhere(to, request, resource);
    }

    bool command(channel& to, const http_request& request)
    {
        const bool written = answer_command(*objects, to, request);
        if (request.path == "/quit") {
            std::lock_guard lock(mutex);
            quit = true;
            changed.notify_all();
        }
        return written;
    }
};

result<std::unique_ptr<replay_server>> replay_server::start(const replay_options& options)
{
    auto made = std::make_unique<state>();
    made->resource = resource_of(options.data.kind);
    std::shared_ptr<tls_settings> tls;
    if (!options.tls.empty()) {
        auto loaded = tls_settings::load(options.tls);
        if (!loaded) return loaded.error();
        tls = std::move(*loaded);
    }
    auto encodings = encodings_of(options);
    if (!encodings) return encodings.error();
    timeline time(options.data.objects, first_version + options.data.objects, options.data.seed);
    made->objects = std::make_unique<stage>(std::move(*encodings), ranges_of(data_set(options.data)), std::move(time),
                                            options.stage);
    auto at = acceptor::listen(options.address, options.port);
    auto control = acceptor::listen(options.address, 0);
    if (!at) return at.error();
    if (!control) return control.error();
    state& s = *made;
    made->api = std::make_unique<http_service>(std::move(*at), tls,
                                               [&s](channel& to, const http_request& r) { return s.answer(to, r); });
    made->control = std::make_unique<http_service>(
        std::move(*control), nullptr, [&s](channel& to, const http_request& r) { return s.command(to, r); });
    return std::unique_ptr<replay_server>(new replay_server(std::move(made)));
}

replay_server::replay_server(std::unique_ptr<state> s) : state_(std::move(s)) {}

replay_server::~replay_server()
{
    state_->api->stop();
    state_->control.reset();
    state_->api.reset();
}

std::uint16_t replay_server::port() const { return state_->api->port(); }
std::uint16_t replay_server::control_port() const { return state_->control->port(); }
stage& replay_server::objects() { return *state_->objects; }

void replay_server::wait_for_quit()
{
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->quit; });
}

result<> dump_records(const data_options& options, std::uint32_t events, const std::string& path)
{
    auto out = record_writer::create(path);
    if (!out) return out.error();
    data_set data(options);
    std::string text;
    for (const object_state state : {object_state::first, object_state::second}) {
        const std::uint32_t count = state == object_state::first ? data.size() : std::min(events, data.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            text.clear();
            data.append(text, i, state);
            out->add(text);
        }
    }
    return out->finish();
}

} // namespace kubecoro::bench
