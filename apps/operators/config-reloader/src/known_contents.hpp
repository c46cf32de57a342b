// Digests of the contents that workloads were last rolled for, so that a check requests only changed objects.
#pragma once

#include "checksum.hpp"
#include "references.hpp"

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kubecoro::config_reloader {

/// A referenced object as it was read from the server.
struct known_content
{
    reference of;
    /// Its resource version; empty when the object did not exist.
    std::string version = {};
    content_digest digest = {};
};

/// In the order of references_of().
using known_content_list = std::vector<known_content>;

/// The content of that object, when it was read in that version; null otherwise.
[[nodiscard]] const known_content* find_content(const known_content_list& contents, const reference& of,
                                                std::string_view version) noexcept;

/** The contents behind the checksum that each workload was last rolled for.

    Valid only while the workload still has that checksum. If it has another one, a second operator has rolled it for
    contents that may be newer than the informers' copies, and all of them are read from the server again.

    Sans-io. A digest and a name for each reference of a workload that opts in. Not thread safe. */
class known_contents
{
public:
    /// The contents with that checksum; null when unknown.
    [[nodiscard]] std::shared_ptr<const known_content_list> of(object_key_view key, std::string_view sum) const;
    /// Replaces the contents of a workload that has been rolled, or need not be rolled, for that checksum.
    void note(object_key_view key, std::string_view sum, known_content_list contents);
    /// The workload was deleted, or opts out.
    void forget(object_key_view key);
    /// Number of workloads that are stored.
    [[nodiscard]] std::size_t size() const noexcept { return workloads_.size(); }

private:
    struct memory
    {
        std::string sum;
        std::shared_ptr<const known_content_list> contents;
    };
    std::unordered_map<object_key, memory, object_key_hash, object_key_equal> workloads_;
};

} // namespace kubecoro::config_reloader
