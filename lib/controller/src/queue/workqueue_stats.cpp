#include <kubecoro/controller/workqueue_options.hpp>

#include <chrono>
#include <sstream>

namespace kubecoro {
namespace {

double seconds(duration d) { return std::chrono::duration<double>(d).count(); }

} // namespace

std::string describe(const workqueue_stats& s)
{
    std::ostringstream out;
    out << "workqueue " << (s.name.empty() ? "(unnamed)" : s.name) << ": " << s.ready << " ready, " << s.processing
        << " processing, " << s.delayed << " delayed, " << s.keys << " keys, " << s.waiting_workers
        << " workers waiting; " << s.adds << " adds, " << s.retries << " retries, " << s.handed_out << " handed out";
    if (s.held != 0) out << ", " << s.held << " held";
    if (s.unclassified != 0) out << ", " << s.unclassified << " without a class";
    if (s.shutting_down) out << "; shutting down";
    if (s.oldest_age) out << "; oldest waiting: " << s.oldest << " for " << seconds(*s.oldest_age) << " s";
    const char* separator = "; longest running: ";
    for (std::size_t n = 0; n < s.in_work.size(); ++n) {
        out << separator << s.in_work[n];
        if (n < s.running_for.size()) out << " for " << seconds(s.running_for[n]) << " s";
        separator = ", ";
    }
    separator = "; most ready keys: ";
    for (const auto& c : s.largest_classes) {
        out << separator << c.name << ' ' << c.ready;
        separator = ", ";
    }
    return std::move(out).str();
}

} // namespace kubecoro
