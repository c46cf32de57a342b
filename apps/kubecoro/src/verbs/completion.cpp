// `kubecoro completion`: scripts for shells, and `kubecoro __complete`, which the scripts call.
#include "verbs/verbs.hpp"

#include "cli/cluster_flags.hpp"
#include "cli/complete.hpp"
#include "files/kubeconfig_files.hpp"
#include "files/kubeconfig_text.hpp"
#include "select/resolve.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/client/discovery.hpp>

#include <CLI/CLI.hpp>

#include <map>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

// Words are split at blanks: readline, which also splits at = and :, replaces only what follows the last of these.
constexpr const char* bash_script = R"bash(# bash completion for kubecoro: source <(kubecoro completion bash)
_kubecoro() {
    local line typed=${COMP_LINE:0:COMP_POINT} last='' before='' words
    COMPREPLY=()
    read -ra words <<<"$typed"
    [[ $typed == *[[:space:]] ]] && words+=('')
    last=${words[-1]}
    [[ $last == *[:=]* ]] && before=${last%"${last##*[:=]}"}
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            compopt -o default
            return
        fi
        [[ $line == *[=/] ]] && compopt -o nospace
        COMPREPLY+=("${line#"$before"}")
    done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _kubecoro kubecoro
)bash";

constexpr const char* zsh_script = R"zsh(#compdef kubecoro
# zsh completion for kubecoro: source <(kubecoro completion zsh), or as the file _kubecoro in a folder of $fpath
_kubecoro() {
    local -a found
    found=(${(f)"$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if [[ ${found[1]} == :files ]]; then
        _files
    else
        compadd -S '' -- ${(M)found:#*[=/]}
        compadd -- ${found:#*[=/]}
    fi
}
if [[ ${funcstack[1]} == _kubecoro ]]; then
    _kubecoro
else
    (( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
    compdef _kubecoro kubecoro
fi
)zsh";

constexpr const char* fish_script = R"fish(# fish completion for kubecoro: kubecoro completion fish | source
function __kubecoro_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] __complete $words[2..-1] 2>/dev/null)
    if test "$found[1]" = ":files"
        __fish_complete_path (commandline -ct)
    else if set -q found[1]
        printf '%s\n' $found
    end
end
complete -c kubecoro -f -a '(__kubecoro_complete)'
)fish";

constexpr std::chrono::seconds patience{3};

cluster_flags flags_of(const completion& c)
{
    const auto value = [&](const char* name) {
        const auto found = c.flags.find(name);
        return found == c.flags.end() ? std::string() : found->second;
    };
    cluster_flags out;
    out.kubeconfig = value("kubeconfig");
    out.context = value("context");
    out.as = value("as");
    out.ns = value("namespace");
    return out;
}

asio::awaitable<result<std::vector<std::string>>> names_of(client api, resource_type type, std::string ns)
{
    list_options options;
    options.limit = 500;
    options.metadata_only = true;
    auto page = co_await api.list(type, ns, options);
    if (!page) co_return page.error();
    std::vector<std::string> out;
    for (const auto& o : page->items) out.emplace_back(o.name());
    co_return out;
}

asio::awaitable<result<std::vector<std::string>>> from_server(completion c, verb_context context)
{
    const auto cluster = flags_of(c);
    auto api = connect(cluster, context);
    if (!api) co_return api.error();
    if (c.source == completion_source::namespaces)
        co_return co_await names_of(*api, untyped::namespace_::resource(), "");
    if (c.source == completion_source::types) {
        auto all = co_await all_resources(*api);
        if (!all) co_return all.error();
        std::vector<std::string> out;
        for (const auto& r : *all) out.push_back(r.type.plural);
        co_return out;
    }
    auto type = co_await find_resource(*api, c.type);
    if (!type) co_return type.error();
    co_return co_await names_of(*api, *type, namespace_for(*type, cluster, *api));
}

result<std::vector<std::string>> contexts(const completion& c)
{
    auto merged = merged_kubeconfigs(flags_of(c).kubeconfig, system_environment());
    if (!merged) return merged.error();
    return context_names(*merged);
}

/// Prints candidates; a server that does not answer in time offers none.
asio::awaitable<result<>> run_complete(completion c, verb_context context)
{
    if (c.source == completion_source::files) context.line(":files");
    std::vector<std::string> found = c.words;
    if (c.source == completion_source::contexts) {
        if (auto names = contexts(c)) found = std::move(*names);
    } else if (c.source != completion_source::words && c.source != completion_source::files) {
        const auto time = real_clock();
        auto names = co_await with_timeout(*time, patience, "complete", from_server(c, context));
        if (names) found = std::move(*names);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (const auto& word : found) {
        const bool own = c.source == completion_source::words;
        if (own || (word.starts_with(c.prefix) && is_safe_word(word))) context.line(c.before + word);
    }
    co_return result<>();
}

} // namespace

verb add_completion(CLI::App& app)
{
    static const std::map<std::string, const char*> scripts{
        {"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
    auto shell = std::make_shared<std::string>();
    auto* sub = app.add_subcommand("completion", "Print the completion script of a shell: bash, zsh or fish");
    sub->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
    verb out;
    out.name = "completion";
    out.run = [shell](verb_context context) -> asio::awaitable<result<>> {
        return print_text(scripts.at(*shell), std::move(context));
    };
    return out;
}

verb completing_verb(const CLI::App& app, const std::vector<std::string>& words)
{
    verb out;
    out.name = "__complete";
    out.quiet = true;
    out.run = [c = complete(app, words)](verb_context context) { return run_complete(c, std::move(context)); };
    return out;
}

} // namespace kubecoro::tool
