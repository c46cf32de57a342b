// `kubecoro get`: objects as tables, JSON, YAML, names or by a JSONPath.
#include "verbs/get.hpp"
#include "verbs/verbs.hpp"

#include "print/json_lines.hpp"
#include "print/objects.hpp"
#include "print/sort.hpp"
#include "select/fetch.hpp"
#include "select/objects_of.hpp"

#include <kubecoro/base/try.hpp>

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

/// Requires parsed arguments. The kinds of a category or of a file show later, see get_and_watch().
result<> check_watch(const get_flags& f)
{
    if (f.sort) return failure(cond::invalid, "--sort-by cannot be combined with --watch");
    const auto& wanted = f.objects.wanted;
    if (wanted.size() > 1 || (!wanted.empty() && wanted.front().names.size() > 1)) return follows_one();
    return {};
}

result<> check_get(get_flags& f)
{
    auto format = parse_output_format(f.format_text);
    if (!format) return format.error();
    f.format = std::move(*format);
    if (!f.sort_text.empty()) {
        auto sort = json_path::parse(f.sort_text);
        if (!sort) return sort.error().because("--sort-by");
        f.sort = std::move(*sort);
    }
    if (auto sound = check(f.objects, bare_type::all); !sound) return sound;
    return f.watches() ? check_watch(f) : result<>();
}

class getter
{
public:
    getter(const get_flags& flags, const verb_context& context, located found, problems& wrong)
        : flags_(flags), context_(context), found_(std::move(found)), wrong_(wrong)
    {
        options_.selected = flags.objects.scope.selected();
        options_.ignore_not_found = flags.objects.ignore_not_found;
        options_.managed_fields = flags.managed_fields;
        options_.whole_objects = flags.sort.has_value();
    }

    asio::awaitable<result<>> run()
    {
        for (const auto& one : found_.targets) {
            auto shown = co_await (flags_.format.is_table() ? show_table(one) : collect(one));
            if (!shown && shown.error() == cond::cancelled) co_return shown;
            if (!shown) wrong_.add(shown.error());
        }
        if (flags_.format.is_table())
            say_if_empty();
        else
            print_objects();
        co_return wrong_.outcome();
    }

private:
    asio::awaitable<result<>> show_table(const target& t)
    {
        KUBECORO_TRY(auto table, co_await fetch_table(found_.api, t, options_, context_, wrong_));
        if (table.rows.empty()) co_return result<>();
        if (flags_.sort) sort_rows(table);
        table_layout layout = flags_.layout;
        layout.wide = flags_.format.kind == output_kind::wide;
        layout.with_namespace = flags_.objects.scope.all_namespaces && t.type.namespaced;
        if (found_.targets.size() > 1) layout.name_prefix = type_prefix(t.type) + "/";
        table_style style;
        style.with_head = !flags_.no_headers;
        style.colours = context_.colours;
        if (shown_ != 0) context_.print("\n");
        context_.print(to_text(to_text_table(table, layout), style));
        shown_ += table.rows.size();
        co_return result<>();
    }

    void sort_rows(table& shown) const
    {
        std::vector<std::pair<json::value, table::row>> rows;
        for (auto& row : shown.rows) {
            auto value = row.shown.to_json();
            rows.emplace_back(std::move(value), std::move(row));
        }
        sort_by(rows, *flags_.sort, [](const auto& r) -> const json::value& { return r.first; });
        shown.rows.clear();
        for (auto& row : rows) shown.rows.push_back(std::move(row.second));
    }

    asio::awaitable<result<>> collect(const target& t)
    {
        KUBECORO_TRY(auto found, co_await fetch_objects(found_.api, t, options_, context_, wrong_));
        const auto prefix = type_prefix(t.type);
        for (auto& o : found) {
            prefixes_.push_back(prefix);
            objects_.push_back(std::move(o));
        }
        co_return result<>();
    }

    /// A single name gives the object itself, all else a list.
    [[nodiscard]] bool asked_for_one() const
    {
        return found_.targets.size() == 1 && found_.targets.front().names.size() == 1;
    }

    void print_objects()
    {
        if (flags_.format.kind == output_kind::name) return print_names();
        if (asked_for_one() && objects_.empty()) return;
        if (asked_for_one()) {
            context_.print(document_text(objects_.front(), flags_.format, context_.terminal));
            return;
        }
        if (flags_.sort) sort_by(objects_, *flags_.sort, [](const json::value& o) -> const json::value& { return o; });
        json::array items(std::make_move_iterator(objects_.begin()), std::make_move_iterator(objects_.end()));
        context_.print(document_text(list_of(std::move(items)), flags_.format, context_.terminal));
    }

    void print_names()
    {
        std::vector<std::pair<std::string, json::value>> named;
        for (std::size_t i = 0; i != objects_.size(); ++i) named.emplace_back(prefixes_[i], std::move(objects_[i]));
        if (flags_.sort) sort_by(named, *flags_.sort, [](const auto& n) -> const json::value& { return n.second; });
        std::string text;
        for (const auto& [prefix, o] : named) text += object_name(prefix, text_member(o, {"metadata", "name"})) + "\n";
        context_.print(text);
    }

    void say_if_empty()
    {
        if (shown_ != 0 || !wrong_.outcome() || flags_.objects.ignore_not_found) return;
        const std::string ns = found_.targets.empty() ? "" : found_.targets.front().ns;
        context_.note(ns.empty() ? "No resources found" : "No resources found in namespace " + ns);
    }

    const get_flags& flags_;
    const verb_context& context_;
    const located found_;
    problems& wrong_;
    fetch_options options_;
    std::size_t shown_ = 0;
    std::vector<json::value> objects_;
    std::vector<std::string> prefixes_;
};

asio::awaitable<result<>> get(std::shared_ptr<get_flags> flags, verb_context context)
{
    problems wrong(context);
    KUBECORO_TRY(auto found, co_await locate(flags->objects, context, wrong));
    if (flags->watches() && !wrong.outcome()) co_return wrong.outcome();
    if (flags->watches()) co_return co_await get_and_watch(*flags, context, std::move(found));
    getter all(*flags, context, std::move(found), wrong);
    co_return co_await all.run();
}

} // namespace

verb add_get(CLI::App& app)
{
    auto f = std::make_shared<get_flags>();
    auto* get_app = app.add_subcommand("get", "Show objects");
    get_app->add_option("-o,--output", f->format_text, "table, wide, json, yaml, name or jsonpath=TEMPLATE");
    get_app->add_option("--sort-by", f->sort_text, "JSONPath of the field to sort by, e.g. .metadata.name");
    get_app->add_flag("--show-labels", f->layout.with_labels, "A column with all labels");
    get_app->add_option("-L,--label-columns", f->layout.label_columns, "A column for each of these labels: app,tier")
        ->delimiter(',')
        ->take_all()
        ->allow_extra_args(false);
    get_app->add_flag("-w,--watch", f->watch, "Go on with every change, until interrupted");
    get_app->add_flag("--watch-only", f->watch_only, "Only the changes");
    get_app->add_flag("--no-headers", f->no_headers, "Tables without their first line");
    add_ignore_flag(*get_app, f->objects);
    get_app->add_flag("--show-managed-fields", f->managed_fields, "Keep metadata.managedFields in json and yaml");
    add_object_flags(*get_app, f->objects, bare_type::all);
    return make_verb("get", f, check_get, get);
}

} // namespace kubecoro::tool
