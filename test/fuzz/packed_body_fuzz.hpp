// The dictionary and size limit shared by the packed body target and its mutator.
#pragma once

#include "storage/body_codec_core.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace fuzz {

/// Maximum size of a frame's content.
constexpr std::size_t largest_body = 4096;

inline const kubecoro::detail::body_dictionary& dictionary()
{
    static const auto made = [] {
        std::vector<std::vector<unsigned char>> samples;
        for (int i = 0; i < 64; ++i) {
            const std::string text = "restartPolicy Always schedulerName default-scheduler nodeName n" +
                                     std::to_string(i * 31) + " terminationMessagePath /dev/termination-log";
            samples.emplace_back(text.begin(), text.end());
        }
        return kubecoro::detail::body_dictionary::train(samples, 4096);
    }();
    return *made;
}

} // namespace fuzz
