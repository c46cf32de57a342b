#pragma once

#include "replay_server.hpp"
#include "runner.hpp"

#include <string>

namespace kubecoro::bench {

/// Runs a program to its end. Errors: misconfigured when it fails.
result<> run_to_end(const command_line& command, const std::string& log_file);

/** The protobuf records of a data set, made once by the peers' own encoder and kept.

    @return the file; empty for data that has no protobuf form (custom resources).
    Errors: misconfigured when the encoder is missing or fails. */
[[nodiscard]] result<std::string> prepare_protobuf(const data_set& data, const places& where);

} // namespace kubecoro::bench
