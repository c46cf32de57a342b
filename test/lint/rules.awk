# The layer law and a few traps, checked line by line. Plain awk: a bare machine has no more. See layers.sh.

BEGIN {
    may["base"] = " base "
    may["certificates"] = " base certificates "
    may["api"] = " base api "
    may["cel"] = " base api cel "
    may["client"] = " base api client "
    may["http"] = " base api client http "
    may["admission"] = " base api client admission "
    may["cache"] = " base api cache "
    may["collections"] = " base api cache collections "
    may["controller"] = " base api client cache controller "
    may["endpoints"] = " base api client http cache collections controller endpoints "
    may["manager"] = " base api client cache collections controller manager "
    may["webhooks"] = " base cel certificates http api client http cache controller endpoints manager webhooks "
    may["program"] = " base certificates api client http cache controller endpoints manager webhooks program "
    may["codegen"] = " base api codegen "
    may["apiserver"] = " base admission certificates cel api client http apiserver "
    may["testing"] = " base certificates api client http cache controller endpoints apiserver testing "
    may["proof"] = " base certificates api client http cache controller endpoints manager apiserver testing proof "
}

function report(line, rule) {
    if (line == FNR && excused) return
    print FILENAME ":" line ": " rule
    bad = 1
}

function check_length() {
    if (previous == "") return
    if (previous ~ /^lib\/[a-z]+\/include\// && lines > 300) {
        print previous ":" lines ": a public header has 300 lines at most"
        bad = 1
    } else if (lines > 500) {
        print previous ":" lines ": a file has 500 lines at most"
        bad = 1
    }
    if (previous ~ /\.hpp$/ && !guarded) {
        print previous ":1: a header begins with #pragma once"
        bad = 1
    }
}

# The line without comments and without the insides of strings.
function code_of(text,    i, j) {
    if (in_raw) {
        i = index(text, ")" raw_end "\"")
        if (i == 0) return ""
        text = substr(text, i + length(raw_end) + 2)
        in_raw = 0
    }
    while (match(text, /R"[a-zA-Z_]*\(/)) {
        i = RSTART
        raw_end = substr(text, RSTART + 2, RLENGTH - 3)
        j = index(substr(text, i), ")" raw_end "\"")
        if (j == 0) {
            in_raw = 1
            text = substr(text, 1, i - 1) "\"\""
            break
        }
        text = substr(text, 1, i - 1) "\"\"" substr(text, i + j + length(raw_end) + 1)
    }
    gsub(/\\\\/, "", text)
    gsub(/\\"/, "", text)
    gsub(/"[^"]*"/, "\"\"", text)
    if (in_comment) {
        i = index(text, "*/")
        if (i == 0) return ""
        text = substr(text, i + 2)
        in_comment = 0
    }
    sub(/\/\/.*/, "", text)
    while ((i = index(text, "/*")) > 0) {
        j = index(substr(text, i + 2), "*/")
        if (j == 0) {
            in_comment = 1
            return substr(text, 1, i - 1)
        }
        text = substr(text, 1, i - 1) " " substr(text, i + j + 3)
    }
    return text
}

function check_include(header,    to) {
    if (header ~ /^\.\.\//) report(FNR, "no include climbs out of its folder")
    if (module != "" && header ~ /^kubecoro\/[a-z_]+\//) {
        to = header
        sub(/^kubecoro\//, "", to)
        sub(/\/.*/, "", to)
        if (module in may && index(may[module], " " to " ") == 0)
            report(FNR, "module " module " may not include module " to)
    }
    # as_result.hpp is for programs that use operations of Asio, and so its headers, themselves.
    if (is_public && module != "testing" && FILENAME !~ /base\/as_result\.hpp$/) {
        if (header ~ /^boost\/asio/ && header !~ /^boost\/asio\/(awaitable|any_io_executor)\.hpp$/)
            report(FNR, "of Asio a public header includes awaitable.hpp and any_io_executor.hpp only")
    }
    if (is_public) {
        if (header ~ /^boost\/beast/) report(FNR, "no Beast in a public header")
        if (header ~ /^boost\/asio\/ssl/ || header ~ /^openssl\//) report(FNR, "no TLS library in a public header")
        if (header ~ /^boost\/json/ && header !~ /^boost\/json\/(fwd|value)\.hpp$/)
            report(FNR, "of Boost.JSON a public header includes fwd.hpp and value.hpp only")
        if (header == "yaml.h" || header ~ /^zstd/) report(FNR, "no YAML or compression library in a public header")
    }
    if (is_core && header ~ /^boost\/asio/) report(FNR, "no Asio in a sans-io core")
    if (is_core && header ~ /^(thread|mutex|shared_mutex|condition_variable|future|semaphore|stop_token|latch|barrier)$/)
        report(FNR, "no threads or locks in a sans-io core")
    if (is_core && header ~ /^kubecoro\/base\/(log|metrics|task_group|latch|detail\/wake_signal|catch_failure)\.hpp$/)
        report(FNR, "a sans-io core has no sinks, tasks or waits")
}

function check_core(code) {
    if (code ~ /co_await|co_return|asio::/) report(FNR, "no coroutines or Asio in a sans-io core")
    if (code ~ /_clock::now|[>.]now\(\)|real_clock\(|make_timer\(|sleep_for\(/)
        report(FNR, "a sans-io core does not read a clock: time is an input")
    if (code ~ /std::(thread|jthread|mutex|shared_mutex|recursive_mutex|condition_variable|async|call_once)[^a-z_]/)
        report(FNR, "no threads or locks in a sans-io core")
    if (code ~ /(^|[^a-z_])logger [a-z_]|std::(cout|cerr|clog)|printf\(/) report(FNR, "a sans-io core does not log")
}

FNR == 1 {
    check_length()
    previous = FILENAME
    guarded = in_comment = in_raw = 0
    module = ""
    if (FILENAME ~ /^lib\//) {
        module = FILENAME
        sub(/^lib\//, "", module)
        sub(/\/.*/, "", module)
    }
    is_public = FILENAME ~ /^lib\/[a-z]+\/include\//
    is_core = FILENAME ~ /_core\.(hpp|cpp)$/ && FILENAME ~ /^lib\//
    is_test = FILENAME ~ /^test\//
    is_header = FILENAME ~ /\.hpp$/
    # All of the library and its programs but the helper, what programs call, and the runner of tests in a chain of its own.
    awaits_others = FILENAME ~ /^(lib|apps)\// &&
        FILENAME !~ /base\/(catch_failure|detail\/own_chain)\.hpp$|testing\/coroutine_runner\.hpp$/
}

# A line says why it is an exception: `// rule aside: <reason>`.
{
    lines = FNR
    excused = index($0, "// rule aside: ") > 0
}

/^[ \t]*#[ \t]*pragma[ \t]+once/ { guarded = 1 }

/^[ \t]*#[ \t]*include/ {
    header = $0
    sub(/^[^<"]*[<"]/, "", header)
    sub(/[>"].*/, "", header)
    check_include(header)
    next
}

/(^|[^A-Za-z])(TODO|FIXME|XXX)([^A-Za-z]|$)/ { report(FNR, "no notes to self: do it or leave it out") }

{
    code = code_of($0)
    if (code == "") next
    if (is_core) check_core(code)
    if (is_test && code ~ /this_thread::sleep|usleep\(|nanosleep\(|(^|[^a-z_:.>])sleep\(|::sleep\(/)
        report(FNR, "a test does not sleep: wait for the thing itself (test::eventually), or use virtual time")
    if (is_header && !is_test && code ~ /^using namespace/) report(FNR, "no using namespace at the top of a header")
    if (awaits_others && code ~ /finish_despite_cancellation\(|reset_cancellation_state\(|throw_if_cancelled\(/)
        report(FNR, "no coroutine changes the state of its chain: use detail::finishing() or detail::own_chain")
    if (module != "" && code ~ /asio::detached/) report(FNR, "nothing is detached: a task_group owns what runs")
}

END {
    check_length()
    exit bad
}
