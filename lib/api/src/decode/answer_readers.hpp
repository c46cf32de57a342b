// The seam between the decoders and the forms that answers have on the wire.
#pragma once

#include "storage/encoding.hpp"

#include <kubecoro/api/decode.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Ends the kind of a list, which begins with that of its items.
inline constexpr std::string_view list_suffix = "List";

/// Reads a list in one form. Not used after a failure.
class list_reader
{
public:
    virtual ~list_reader() = default;
    /// As list_decoder.
    [[nodiscard]] virtual result<> feed(std::string_view bytes) = 0;
    [[nodiscard]] virtual result<list_page> finish() = 0;
};

/// Reads a watch in one form. Not used after a failure.
class watch_reader
{
public:
    virtual ~watch_reader() = default;
    /// As watch_decoder.
    [[nodiscard]] virtual result<> feed(std::string_view bytes, std::vector<watch_event>& out) = 0;
    [[nodiscard]] virtual result<> finish() = 0;
};

/// @param known  Outlives the reader, like the encoding; null = none.
[[nodiscard]] std::unique_ptr<list_reader> make_json_list(const decode_options& options, encoding* e,
                                                          const known_objects* known);
[[nodiscard]] std::unique_ptr<watch_reader> make_json_watch(const decode_options& options, encoding* e,
                                                            const known_objects* known);
[[nodiscard]] std::unique_ptr<list_reader> make_protobuf_list(const decode_options& options, encoding* e,
                                                              const known_objects* known);
[[nodiscard]] std::unique_ptr<watch_reader> make_protobuf_watch(const decode_options& options, encoding* e,
                                                                const known_objects* known);

} // namespace kubecoro::detail
