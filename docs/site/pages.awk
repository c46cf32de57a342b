# Turns the Markdown pages into ones that Doxygen joins with the API reference:
#   each page and heading gets an id, and links between pages use them;
#   links to other files lead to them in the source tree;
#   a code span that names something public becomes a link to its reference.
# usage: awk -v out=FOLDER -f pages.awk TAGFILE PAGE...   (paths from the root of the repository; the site is in build/docs)

# A tag file has one element a line.
FILENAME ~ /\.tag$/ {
    if (/<compound kind="/) compound_kind = attribute()
    if (/<member kind="/) member_kind = attribute()
    if (/<name>/) {
        name = $0
        gsub(/.*<name>|<\/name>.*/, "", name)
        # Doxygen resolves no reference to a member of a specialisation.
        if (!/^      </ && sub(/&lt;.*/, "", name)) { scope = ""; next }
        gsub(/&lt;.*/, "", name)
        if (/^      </) remember_member(name)
        else if (compound_kind ~ /^(class|struct|namespace)$/) { scope = name; if (compound_kind != "namespace") remember(name, name) }
        else scope = ""
    }
    next
}

function attribute(    text) { text = $0; sub(/[^"]*"/, "", text); sub(/".*/, "", text); return text }

# Everything may be named with and without its namespaces, as long as that is unique.
function remember(name, target,    n, parts, i, short) {
    n = split(name, parts, "::")
    short = parts[n]
    put(short, target)
    for (i = n - 1; i > 0; i--) put(short = parts[i] "::" short, target)
}
function put(name, target) {
    if (name in targets && targets[name] != target) targets[name] = ""
    else if (!(name in targets)) targets[name] = target
}
function remember_member(name,    owner) {
    if (scope == "" || name ~ /^(operator|~)/ || member_kind == "define") return
    owner = scope
    sub(/.*::/, "", owner)
    if (name != owner) remember(scope "::" name, scope "::" name)
}

FNR == 1 {
    page = FILENAME
    folder = page
    if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
    close(file)
    file = out "/" page
    id = id_of(page)
    fenced = titled = 0
    open = ""
}

function id_of(path) {
    if (path == "README.md") return "index"
    sub(/\.md$/, "", path)
    sub(/^docs\//, "", path)
    gsub(/[\/.]/, "_", path)
    return tolower(path)
}
function slug(text) {
    text = tolower(text)
    gsub(/[^a-z0-9 _-]/, "", text)
    gsub(/ /, "-", text)
    return text
}
function normal(path,    n, parts, i, m, kept, all) {
    n = split(path, parts, "/")
    for (i = 1; i <= n; i++) {
        if (parts[i] == "..") m--
        else if (parts[i] != "." && parts[i] != "") kept[++m] = parts[i]
    }
    for (i = 1; i <= m; i++) all = all (i > 1 ? "/" : "") kept[i]
    return all
}

# The place that a Markdown link leads to; empty for web addresses.
function place(link,    path, anchor, at) {
    if (link ~ /^[a-z]+:/) return ""
    if ((at = index(link, "#")) > 0) { anchor = substr(link, at + 1); link = substr(link, 1, at - 1) }
    path = link == "" ? page : normal(folder "/" link)
    if (path !~ /\.md$/) return "../../" path
    return "@ref " id_of(path) (anchor == "" ? "" : "-" anchor)
}

# What a code span names, or nothing.
function reference(span,    name) {
    name = span
    sub(/^co_await /, "", name)
    sub(/\(.*\)$/, "", name)
    if (name !~ /^[a-z_][a-z0-9_]*((::|\.)[a-z_][a-z0-9_]*)*$/) return ""
    if (name in targets) return targets[name]
    gsub(/\./, "::", name)
    if (name in targets) return targets[name]
    # A call of a variable: the member, if only one class has it.
    if (name ~ /::/) { sub(/.*::/, "", name); if (name in targets && targets[name] ~ /::[^:]*::/) return targets[name] }
    return ""
}

# Links and code spans of one line.
function rewrite(text,    done, rest, target, span, label, at, below) {
    rest = text
    while (match(rest, /`[^`]*`|\[[^][]*(`[^`]*`[^][]*)*\]\([^() ]+\)/)) {
        done = done substr(rest, 1, RSTART - 1)
        span = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (span ~ /^`/) {
            label = substr(span, 2, length(span) - 2)
            target = reference(label)
            if (target != "" && label !~ /"/) { span = "<code>@ref " target " \"" label "\"</code>"; linked++ }
        } else {
            at = index(span, "](")
            target = place(substr(span, at + 2, length(span) - at - 2))
            label = substr(span, 2, at - 2)
            if (target ~ /^@ref/) gsub(/`/, "", label) # Doxygen takes the label of a reference as it is
            # The tree of pages: the overview's, and under the semantics and the decisions theirs.
            below = "^no page$"
            if (page == "docs/README.md") below = "^@ref "
            if (page == "docs/semantics.md") below = "^@ref semantics_"
            if (page == "docs/decisions/README.md") below = "^@ref decisions_0"
            if (span !~ /#/ && target != "@ref index" && target ~ below)
                span = "@subpage " substr(target, 6) " \"" label "\""
            else if (target != "") span = "[" label "](" target ")"
        }
        done = done span
    }
    return done rest
}

# A link whose text goes on in the next line.
open != "" {
    sub(/^ +/, "")
    $0 = open " " $0
    open = ""
}
!fenced && !/^```/ && !/^    / && /\[[^]`[]*$/ { open = $0; next }
/^```/ { fenced = !fenced }
fenced || /^```/ || /^    / { print > file; next }
/^#/ {
    title = $0
    sub(/^#+ /, "", title)
    if (!titled && id != "index") print $0 " {#" id "}" > file
    else if (titled) print $0 " {#" id "-" slug(title) "}" > file
    else print > file
    titled = 1
    next
}
{ print rewrite($0) > file }
END { print linked " links to the reference" }
