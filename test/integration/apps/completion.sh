#!/usr/bin/env bash
# completion.sh TOOL: help of verbs, and the scripts of shells in bash, zsh and fish.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

like '*Usage: kubecoro get *--sort-by*' "$tool" help get
like '*Usage: kubecoro config view *--raw*' "$tool" help config view
like '*get*Exit status: 0 done, 1 failed, 2 wrong usage*' "$tool" help
misuses '*no verb "nonsense"*' "$tool" help nonsense
for shell in bash zsh fish; do like '*__complete*' "$tool" completion $shell; done
misuses '*' "$tool" completion cmd
bash -n <("$tool" completion bash) || die 'the script for bash has a mistake'

serve
api POST /api/v1/namespaces/default/configmaps '{"metadata":{"name":"first"}}'
api POST /api/v1/namespaces/default/configmaps '{"metadata":{"name":"second"}}'
export KUBECONFIG=$work/admin
prints 'api-resources' "$tool" __complete api
prints '--sort-by' "$tool" __complete get --sort
prints $'configmaps' "$tool" __complete get configm
prints $'first\nsecond' "$tool" __complete get cm -n default ''
prints 'cm/second' "$tool" __complete get cm/s
prints 'kube-system' "$tool" __complete get -n kube-s
prints ':files' "$tool" __complete apply -f ''
prints '' "$tool" __complete get pods x --kubeconfig "$work/none" y

prints '--namespace=kube-system' "$tool" __complete get --namespace=kube-s
prints $'--output=json\n--output=jsonpath=' "$tool" __complete get --output=j

# Shells for real: keys are typed on a terminal, the tab key completes, and another key shows the line.
PATH=$(dirname "$tool"):$PATH
cd "$work"
touch "$work/manifest-one.yaml"

# types SHELL SETUP...: begins an interactive shell on a terminal.
types() {
    local name=$1 setup
    shift
    mkfifo "$work/$name.keys"
    setup=$(printf '%q ' "$@")
    # shellcheck disable=SC2016 # the inner shell's
    TERM=dumb start "$name" bash -c 'exec script -qfec "$1" /dev/null <>"$2"' -- "$setup" "$work/$name.keys"
    exec {keys}<>"$work/$name.keys"
}

# line_after NAME TEXT WANTED: types a text and the tab key.
line_after() {
    printf '%s\t\x18' "$2" >&"$keys"
    expect "$1" '*LINE<*>*'
    line=${line#*LINE<}
    line=${line%>*}
    [[ $line == "$3" ]] || die "$1: after \"$2\": \"$line\" in place of \"$3\""
    # An empty line for the next text.
    printf '\x15' >&"$keys"
}

completes() { # NAME: every kind of word
    line_after "$1" 'kubecoro api' 'kubecoro api-resources '
    line_after "$1" 'kubecoro get cm se' 'kubecoro get cm second '
    line_after "$1" 'kubecoro get cm/se' 'kubecoro get cm/second '
    line_after "$1" 'kubecoro get cm -n kube-s' 'kubecoro get cm -n kube-system '
    line_after "$1" 'kubecoro get cm --namespace=kube-s' 'kubecoro get cm --namespace=kube-system '
    line_after "$1" 'kubecoro get cm -o jsonp' 'kubecoro get cm -o jsonpath='
    line_after "$1" 'kubecoro get cm --sort' 'kubecoro get cm --sort-by '
    line_after "$1" 'kubecoro apply -f manif' 'kubecoro apply -f manifest-one.yaml '
    line_after "$1" 'kubecoro get nothing zz' 'kubecoro get nothing zz'
    line_after "$1" 'kubecoro config use-context arn:aws:e' 'kubecoro config use-context arn:aws:eks:one '
}

# A context whose name has colons, at which bash splits words.
sed -i 's/^contexts:.*/&\n- {name: "arn:aws:eks:one", context: {cluster: none, user: none}}/' "$work/admin"

types bash bash --norc -i
cat >&"$keys" <<'KEYS'
PS1=; bind 'set bell-style none'; source <(kubecoro completion bash); bind -x '"\C-x": echo "LINE<$READLINE_LINE>"'; echo ready
KEYS
expect bash 'ready*'
completes bash

if [[ -n $(type -P zsh) ]]; then
    types zsh zsh -f -i
    cat >&"$keys" <<'KEYS'
PS1=; unsetopt prompt_sp; source <(kubecoro completion zsh); show() { print -r -- "LINE<$BUFFER>" }; zle -N show; bindkey '^X' show; bindkey '^U' kill-whole-line; print ready
KEYS
    expect zsh 'ready*'
    completes zsh
else
    echo 'skipped: there is no zsh here'
fi

if [[ -n $(type -P fish) ]]; then
    # fish answers what it would offer; it needs no terminal for that.
    offers() { prints "$1" fish --no-config -c 'kubecoro completion fish | source; complete -C "$argv[1]"' "$2"; }
    offers api-resources 'kubecoro api'
    offers second 'kubecoro get cm se'
    offers cm/second 'kubecoro get cm/se'
    offers kube-system 'kubecoro get cm -n kube-s'
    offers --namespace=kube-system 'kubecoro get cm --namespace=kube-s'
    offers jsonpath= 'kubecoro get cm -o jsonp'
    offers --sort-by 'kubecoro get cm --sort'
    offers manifest-one.yaml 'kubecoro apply -f manif'
    offers $'first\nsecond' 'kubecoro get cm -n default '
    offers '' 'kubecoro get nothing zz'
    offers arn:aws:eks:one 'kubecoro config use-context arn:aws:e'
else
    echo 'skipped: there is no fish here'
fi
finish serve TERM
