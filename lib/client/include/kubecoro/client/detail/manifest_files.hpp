#pragma once
// Reads manifests from files, folders and standard input, as -f of the tool names them.

#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// -f and -R.
struct file_flags
{
    std::vector<std::string> names = {};
    bool recursive = false;
};

/// A file and its content.
struct file_text
{
    std::string name = {};
    std::string text = {};
};

/// The size of a file that is read; longer ones are refused.
inline constexpr std::size_t max_file_bytes = 64 * 1024 * 1024;

/** Reads files, and every .yaml, .yml and .json file of directories in the order of their names. "-" is standard input.

    With -R directories within directories as well; symbolic links to directories are not followed.
    Errors: cond::misconfigured, naming the file; also for a directory without manifests. */
[[nodiscard]] result<std::vector<file_text>> read_files(const file_flags& files);

/// The documents of the files, YAML or JSON, of any kind. Errors: as read_manifests().
[[nodiscard]] result<std::vector<boost::json::value>> read_documents(const file_flags& files);

/// The objects of the files: YAML documents or JSON, `List` kinds unfolded. Errors: name file, document and line.
[[nodiscard]] result<std::vector<boost::json::value>> read_manifests(const file_flags& files);

} // namespace kubecoro::detail
