#pragma once
// Seeds that once broke a promise, of each simulation. They run first in every run without explicit seeds.

#include <array>
#include <cstdint>
#include <string_view>

namespace kubecoro::simulation {

struct kept_seed
{
    std::uint64_t seed;
    /// The defect that it revealed.
    std::string_view showed;
};

inline constexpr std::array kept_seeds{
    kept_seed{910002727,
              "a deletion had merged with an update that a reader's filter did not match (the check was wrong)"},
    kept_seed{80013689,
              "a key waited for its write in a source whose selector excludes the object, though that store had "
              "long passed the version"},
    kept_seed{5000002074, "a reader was compared across a quiet point during a list (the check was wrong)"},
    kept_seed{5000033856, "the same, with a streamed list"},
    kept_seed{5000051281, "the same, where the list began before the informer had lost its history"},
    kept_seed{100210461,
              "a key waited until its source had passed the write, though the object was visible: a transform failed "
              "for the next one (the check was wrong)"},
    kept_seed{100214695, "the same"},
    kept_seed{
        1008439,
        "a run was due after its requeue's delay, though a retry due at the moment of the requeue came first (the "
        "check was wrong)"},
};

inline constexpr std::array kept_reloader_seeds{
    kept_seed{200000951,
              "a workload was written after its references had gone, by a run that had read them before (the check was "
              "wrong)"},
    kept_seed{511, "a manager was stopped in the moment in which its first lists were late (the check was wrong)"},
};

} // namespace kubecoro::simulation
