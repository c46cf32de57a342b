#pragma once

#include "informer/informer_lane.hpp"
#include "informer/namespaces_core.hpp"
#include "listener/sweep_pace.hpp"
#include "store/store.hpp"

#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/cache/stats.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** The lanes of an informer and the namespaces that they should cover.

    Any thread changes the wanted namespaces; the informer's strand then adds and removes lanes. Functions without a note
    are for that strand. */
class lane_set
{
public:
    /// @param first    Decodes for the first lane; others are added as lanes are, up to one for each core and four in all.
    /// @param known    Known to the lanes' decoders.
    /// @param running  Runs the lanes.
    lane_set(const informer_settings& s, decode_strand first, delta_fifo fifo, std::shared_ptr<store> content,
             std::shared_ptr<const known_objects> known, task_group& running, informer_lane::reporter report);

    // ---- any thread

    /// Runs the lanes; later ones run at once.
    void start();
    /// Closes the gates for that reason; no lane runs or is added any more.
    void close(const failure& why);
    /// Changes what should be covered.
    ///
    /// @param named  The namespaces that the change is about; it may change any when the empty name is among them.
    /// Errors: the reason of close() after it.
    [[nodiscard]] result<> want(const std::vector<std::string>& named,
                                const std::function<void(namespaces_core&)>& change);
    /// Empty = all, or none: see covers_just().
    [[nodiscard]] std::vector<std::string> namespaces() const;
    [[nodiscard]] bool covers_just(const namespaces_core& wanted) const;
    /// Returns the state that needs attention first.
    [[nodiscard]] informer_state state() const;
    /// Returns the newest version that the store has reached.
    [[nodiscard]] std::string version() const;
    /// Fills in the members about lanes and encodings.
    void add_to(informer_stats& s) const;
    [[nodiscard]] std::vector<std::shared_ptr<informer_lane>> all() const;
    [[nodiscard]] namespaces_core wanted() const;
    /// Whether the namespace should be covered.
    [[nodiscard]] bool wants(std::string_view ns) const;

    // ---- the informer's strand

    [[nodiscard]] bool empty() const noexcept { return lanes_.empty(); }
    /// Returns null when the lane was removed.
    [[nodiscard]] informer_lane* find(std::size_t scope) const;
    /// Returns the lane that covers the namespace, or null.
    [[nodiscard]] informer_lane* covering(std::string_view ns) const;
    /// Returns the lane of just this namespace, or null.
    [[nodiscard]] informer_lane* of(std::string_view ns) const;
    /// Returns what is missing for the wanted namespaces. Looks only at those that were named since settled().
    /// Errors: the reason of close() after it.
    [[nodiscard]] result<namespaces_core::change> due();
    /// The changes that due() has returned were made.
    void settled() { due_.clear(); }
    /// Adds a lane. @param not_before  See reflector_expectation.
    void add(std::string ns, std::string not_before);
    /// Removes a lane: its waiting deltas are dropped and its reflector ends soon.
    void remove(const std::string& ns);
    /// Returns the latches of removed lanes that have not ended: those of one namespace, or all.
    [[nodiscard]] std::vector<latch> leaving(std::string_view ns) const;
    [[nodiscard]] std::vector<latch> leaving() const;
    /// Sets or clears why a lane cannot list.
    void block(informer_lane& l, std::optional<failure> why);
    /// Returns a lane that cannot list, or null.
    [[nodiscard]] informer_lane* blocked() const;

private:
    [[nodiscard]] const decode_strand& decoder(std::size_t scope);
    void run(const std::shared_ptr<informer_lane>& lane);

    const informer_settings& settings_;
    delta_fifo fifo_;
    const std::shared_ptr<store> store_;
    const std::shared_ptr<const known_objects> known_;
    task_group& running_;
    const informer_lane::reporter report_;
    // Used on the strand only:
    std::multimap<std::string, std::weak_ptr<informer_lane>, std::less<>> leaving_;
    sweep_pace leaving_pace_;
    std::map<std::string, informer_lane*, std::less<>> by_namespace_;
    /// The scopes of lanes that cannot list.
    std::set<std::size_t> blocked_;
    /// The named namespaces whose lanes may be missing or left over; with the empty name, any.
    std::set<std::string> due_;

    mutable checked_mutex mutex_;
    // Guarded by mutex_, and changed on the strand only, which reads them without it.
    /// By scope, which is never reused.
    std::map<std::size_t, std::shared_ptr<informer_lane>> lanes_;
    std::vector<decode_strand> decoders_;
    // Guarded by mutex_:
    bool runs_ = false;
    std::optional<failure> closed_;
    namespaces_core wanted_;
    /// Named since due() has looked.
    std::set<std::string> named_;
    /// Statistics of removed lanes.
    reflector_stats past_;
};

} // namespace kubecoro::detail
