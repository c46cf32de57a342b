// `kubecoro patch`: changes fields of objects.
#include "verbs/verbs.hpp"

#include "cli/write_flags.hpp"
#include "print/json_lines.hpp"
#include "select/objects_of.hpp"

#include <kubecoro/client/manifests.hpp>

#include <CLI/CLI.hpp>

#include <map>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

struct patch_flags
{
    object_flags objects = {};
    write_flags write = {};
    std::string patch_text = {};
    std::string patch_file = {};
    std::string subresource = {};
    patch_kind kind = patch_kind::strategic_merge;
    /// The patch of -p in JSON. Made by check_patch().
    std::string body = {};
};

/// The patch in JSON, from JSON or YAML.
result<std::string> patch_body(const file_text& source)
{
    auto documents = parse_documents(source.text, source.name);
    if (!documents) return documents.error();
    if (documents->size() != 1) return failure(cond::invalid, source.name + " has to be one document");
    if (!documents->front().is_structured())
        return failure(cond::invalid, source.name + " is neither an object nor a list");
    return to_json_line(documents->front());
}

result<std::string> patch_in_file(const std::string& file)
{
    auto read = read_files({.names = {file}});
    if (!read) return read.error();
    return patch_body(read->front());
}

result<> check_patch(patch_flags& f)
{
    if (auto sound = f.write.parse(); !sound) return sound;
    if (f.patch_text.empty() == f.patch_file.empty())
        return failure(cond::invalid, "give the patch with either -p or --patch-file");
    if (auto sound = check(f.objects, bare_type::refused); !sound) return sound;
    if (f.patch_text.empty()) return {};
    auto body = patch_body({"the patch", f.patch_text});
    if (!body) return body.error();
    f.body = std::move(*body);
    return {};
}

/// Custom resources have no strategic merge.
failure with_hint(failure why, const patch_flags& f)
{
    const auto* status = why.status();
    if (f.kind != patch_kind::strategic_merge || !status || status->code != 415) return why;
    return why.because("this resource has no strategic merge patch: use --type merge");
}

asio::awaitable<result<>> patch(std::shared_ptr<patch_flags> f, verb_context context)
{
    auto body = f->patch_file.empty() ? result<std::string>(f->body) : patch_in_file(f->patch_file);
    if (!body) co_return body.error();
    problems wrong(context);
    auto found = co_await locate(f->objects, context, wrong);
    if (!found) co_return found.error();
    auto objects = co_await objects_of(found->api, std::move(found->targets), f->objects.scope);
    if (!objects) co_return objects.error();
    written_objects written(f->write, context);
    patch_options options;
    options.write = f->write.options();
    for (const auto& o : *objects) {
        context.doing("patching " + o.shown());
        auto patched =
            co_await found->api.patch(o.which.type, o.which.ns, o.which.name, f->kind, *body, options, f->subresource);
        if (!patched && patched.error() == cond::cancelled) co_return patched.error();
        if (patched)
            written.add(o.which.type, *patched, "patched");
        else
            wrong.add(with_hint(patched.error(), *f));
    }
    written.finish();
    co_return wrong.outcome();
}

} // namespace

verb add_patch(CLI::App& app)
{
    static const std::map<std::string, patch_kind> kinds{
        {"strategic", patch_kind::strategic_merge}, {"merge", patch_kind::merge}, {"json", patch_kind::json}};
    auto f = std::make_shared<patch_flags>();
    auto* sub = app.add_subcommand("patch", "Change fields of objects");
    sub->add_option("-p,--patch", f->patch_text, "The patch, in JSON or YAML");
    sub->add_option("--patch-file", f->patch_file, "A file with the patch; - is standard input");
    sub->add_option("--type", f->kind, "strategic (default; built-in kinds), merge, or json")
        ->transform(CLI::Transformer(kinds).description("strategic|merge|json"));
    sub->add_option("--subresource", f->subresource, "Patch this subresource: status, scale");
    f->write.add_to(*sub);
    add_object_flags(*sub, f->objects, bare_type::refused);
    return make_verb("patch", f, check_patch, patch);
}

} // namespace kubecoro::tool
