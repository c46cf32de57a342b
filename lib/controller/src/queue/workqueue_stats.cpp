#include <kubecoro/controller/workqueue_options.hpp>

#include <sstream>

namespace kubecoro {

std::string describe(const workqueue_stats& s)
{
    std::ostringstream out;
    out << "workqueue " << (s.name.empty() ? "(unnamed)" : s.name) << ": " << s.ready << " ready, " << s.processing
        << " processing, " << s.delayed << " delayed, " << s.keys << " keys, " << s.waiting_workers
        << " workers waiting; " << s.adds << " adds, " << s.retries << " retries, " << s.handed_out << " handed out";
    if (s.held != 0) out << ", " << s.held << " held";
    if (s.unclassified != 0) out << ", " << s.unclassified << " without a class";
    if (s.shutting_down) out << "; shutting down";
    const char* separator = "; longest running: ";
    for (const auto& key : s.in_work) {
        out << separator << key;
        separator = ", ";
    }
    return std::move(out).str();
}

} // namespace kubecoro
