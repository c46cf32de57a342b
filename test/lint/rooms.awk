# Reads the ROOMS of the modules, then their sources. Plain awk: a bare machine has no more. See rooms.sh.

function report(line, rule) {
    print FILENAME ":" line ": " rule
    bad = 1
}

FNR == 1 {
    split(FILENAME, part, "/")
    module = part[2]
    room = part[4]
}

FILENAME ~ /CMakeLists.txt$/ {
    if ($1 != "ROOMS") next
    for (i = 2; i <= NF; i++) place[module, $i] = i
    next
}

FNR == 1 {
    lived_in[module, room] = 1
    if (!((module, room) in place) && !reported[module, room]++)
        report(1, "the folder " room " is not in ROOMS of lib/" module "/CMakeLists.txt: add it behind the rooms that it includes")
}

match($0, /^#include "[a-z0-9_]+\//) {
    other = substr($0, 11, RLENGTH - 11)
    if ((module, other) in place && (module, room) in place && place[module, other] > place[module, room])
        report(FNR, "room " room " includes room " other ", which is after it in ROOMS of lib/" module "/CMakeLists.txt: move what both need into " \
            room " or a room before it, or this file into " other)
}

END {
    for (key in place) {
        split(key, part, SUBSEP)
        if (!(key in lived_in)) {
            print "lib/" part[1] "/CMakeLists.txt:1: ROOMS names " part[2] ", which is no folder of src with sources"
            bad = 1
        }
    }
    exit bad
}
