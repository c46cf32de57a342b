// Random objects of every built-in kind in protobuf and JSON, as the serializers of Kubernetes make them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::test {

/// The texts live as long as the reader.
struct protobuf_sample
{
    /// "object v1 Pod 3", "list v1 PodList 0" or "watch v1 Pod ADDED".
    std::string_view name;
    /// An object in its envelope, or one frame of a watch.
    std::string_view protobuf;
    /// The JSON that a kube-apiserver sends for it.
    std::string_view json;
};

/** Reads the samples of lib/api/schemas/extract/samples, compressed by zstd or as they are. Throws std::runtime_error when the
    file is missing or damaged. */
class protobuf_samples
{
public:
    /// Reads the file that KUBECORO_PROTOBUF_SAMPLES names, or else the one in the repository.
    protobuf_samples();
    explicit protobuf_samples(const std::string& path);

    /// Returns the next sample; nothing at the end.
    [[nodiscard]] std::optional<protobuf_sample> next();

private:
    std::string_view record();

    std::string _bytes;
    std::size_t _at = 0;
};

} // namespace kubecoro::test
