// Completes command lines for shells. Sans-io: what only the server knows is returned as a question.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace kubecoro::tool {

enum class completion_source
{
    /// `words` are all there is.
    words,
    files,
    /// Names of resources.
    types,
    /// Names of objects of `type`.
    names,
    namespaces,
    contexts
};

/// The subcommand of this name; null if there is none.
[[nodiscard]] const CLI::App* find_subcommand(const CLI::App& app, const std::string& name);

/// The option of this name, such as -n or --namespace, of the command or of the program; null if there is none.
[[nodiscard]] const CLI::Option* find_option(const CLI::App& app, const std::string& word);
/// Whether a value follows it. Null: no.
[[nodiscard]] bool takes_value(const CLI::Option* option);

/// The candidates for the end of a command line.
struct completion
{
    completion_source source = completion_source::words;
    std::vector<std::string> words = {};
    /// The beginning that candidates from the source have to have.
    std::string prefix = {};
    /// Put before each candidate from the source: "pods/".
    std::string before = {};
    std::string type = {};
    /// Values of the flags so far, by their long names: "namespace", "context", "kubeconfig".
    std::map<std::string, std::string> flags = {};
};

/// @param words  The command line after the program's name; the last one is being typed and may be empty.
[[nodiscard]] completion complete(const CLI::App& app, std::vector<std::string> words);

/// Whether a name from a server or a file may be offered to a shell: letters, digits and `._:/@=+-`, not a dash first.
[[nodiscard]] bool is_safe_word(const std::string& word);

} // namespace kubecoro::tool
