// `kubecoro replay`: prints a recording of a program's requests and events, and the causes of its runs.
#include "verbs/verbs.hpp"

#include "print/recorded_steps.hpp"

#include <kubecoro/api/timestamp.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/detail/recording.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <CLI/CLI.hpp>

#include <optional>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

struct replay_flags
{
    std::string file = {};
    std::string kind = {};
    std::string key = {};
    std::string why = {};
    bool bodies = false;
    // Parsed by check_replay().
    recorded_key wanted = {};
    std::optional<recorded_key> cause_of = {};
};

result<> check_replay(replay_flags& f)
{
    if (!f.why.empty()) {
        if (!f.kind.empty() || !f.key.empty()) return failure(cond::invalid, "--why names the object by itself");
        auto parsed = parse_recorded_key(f.why);
        if (!parsed) return parsed.error();
        f.cause_of = std::move(*parsed);
        return {};
    }
    f.wanted.resource = f.kind;
    const auto slash = f.key.find('/');
    if (slash != std::string::npos) f.wanted.ns = f.key.substr(0, slash);
    f.wanted.name = slash == std::string::npos ? f.key : f.key.substr(slash + 1);
    return {};
}

void print_steps(const replay_flags& f, const std::vector<recorded_step>& all, const verb_context& context)
{
    for (const auto& s : all) {
        if (!f.wanted.fits(s)) continue;
        context.line(line_of(s));
        if (f.bodies && !s.body.empty()) context.line("              " + printable(s.body));
    }
}

void print_lost(const detail::record_list& records, const verb_context& context)
{
    for (const auto& r : records.records) {
        if (r.kind == detail::record_kind::lost)
            context.note("kubecoro: " + printable(r.content, 20) + " records were lost before " +
                         std::to_string(std::chrono::duration_cast<std::chrono::seconds>(r.at).count()) + " s");
        if (r.kind == detail::record_kind::full) context.note("kubecoro: the recording has ended at its limit");
    }
    if (records.part > 1) context.note("kubecoro: the beginning is in earlier files");
    if (records.cut_off > 0) context.note("kubecoro: the last record is not whole");
}

asio::awaitable<result<>> run_replay(std::shared_ptr<replay_flags> f, verb_context context)
{
    KUBECORO_TRY(const auto text, system_environment().read_file(f->file, detail::longest_recording));
    KUBECORO_TRY(const auto records, detail::read_records(text));
    const auto steps = steps_of(detail::exchanges_of(records));
    if (f->cause_of) {
        const auto lines = lines_of_causes(steps, *f->cause_of);
        if (lines.empty()) co_return failure(cond::not_found, "the recording has no " + printable(f->why));
        for (const auto& line : lines) context.line(line);
    } else {
        context.line("began at " + timestamp(records.begin).text());
        print_steps(*f, steps, context);
    }
    print_lost(records, context);
    co_return result<>{};
}

} // namespace

verb add_replay(CLI::App& app)
{
    auto f = std::make_shared<replay_flags>();
    auto* sub = app.add_subcommand("replay", "Print a recording: a program's requests and events, and why it ran");
    sub->add_option("FILE", f->file, "The file of a recording_transport")->required();
    sub->add_option("--kind", f->kind, "Only this kind: its plural, such as deployments or deployments.apps");
    sub->add_option("--key", f->key, "Only this object: NAME or NS/NAME")->type_name("KEY");
    sub->add_flag("--bodies", f->bodies, "Print what was sent, and the objects of events");
    sub->add_option("--why", f->why, "The events that caused runs of this object, and their requests: KIND/NS/NAME")
        ->type_name("OBJECT");
    return make_verb("replay", f, check_replay, run_replay);
}

} // namespace kubecoro::tool
