#pragma once
// YAML and JSON as values, read as kubectl reads them.

#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** The error of readers that name a fault and no condition.

    A class and no std::string, because from Boost 1.92 on `*result` calls throw_exception_from_error(), found beside the class of
    the error. */
struct problem_words : std::string
{
    using std::string::string;
    problem_words(std::string words) noexcept : std::string(std::move(words)) {}
};

[[noreturn]] inline void throw_exception_from_error(const problem_words& words, const boost::source_location& where)
{
    throw_exception_from_error(failure(cond::corrupt, words), where);
}

/** Comparisons of keys that building a document may take: those of one object of 10,000 members. Boost.JSON hashes keys by
    FNV-1a, salted by an address; whether two keys collide depends on eight bits of that. The author of the keys can force
    a comparison of each member with all earlier ones. */
inline constexpr std::size_t most_key_comparisons = 50'000'000;

/// Comparisons that building the objects of a JSON text takes when all keys of each collide; of broken text those of the
/// part that can be read.
[[nodiscard]] std::size_t key_comparisons(std::string_view text, std::size_t max_depth);

struct yaml_document
{
    boost::json::value value;
    /// Keys that a map has twice, as kube-apiserver words it: `line 3: key "a" already set in map`.
    std::vector<std::string> duplicates;
};

/** Parses the first document of YAML, as kube-apiserver does with a body; an empty text yields an empty object.
    @param most_nodes  Aliases count as often as they are used. @return errors: the reason, with the line. */
[[nodiscard]] boost::system::result<yaml_document, problem_words> parse_yaml(std::string_view text,
                                                                             std::size_t most_nodes);

/** Parses the only document of a text, such as a kubeconfig: JSON if it begins as JSON and is JSON, else YAML. Null for a text
    without a document. @return errors: the reason, with line and column. */
[[nodiscard]] boost::system::result<boost::json::value, problem_words> read_document(std::string_view text);

/** Parses all documents of a text as kubectl reads manifests, and returns those that are not empty: a stream of JSON values if
    it begins as JSON, or of YAML documents. @return errors: the reason, with line and column. */
[[nodiscard]] boost::system::result<std::vector<boost::json::value>, problem_words>
read_documents(std::string_view text);

} // namespace kubecoro::detail
