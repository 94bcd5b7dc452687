#!/bin/bash
# tmux.sh PM: tests a session inside of tmux by the contents of its screen. Exits with 77 if there is no tmux.
set -euo pipefail
pm=$1
command -v tmux >/dev/null || { echo "tmux is missing"; exit 77; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/pm-tmux-XXXXXX")
# A server for this test only, without the settings of the user.
tm() { tmux -S "$folder/socket" -f /dev/null "$@"; }
trap 'tm kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT
export HOME=$folder XDG_STATE_HOME=$folder/state PM_CACHE= LC_ALL=C.UTF-8
unset NO_COLOR TMUX

screen() { tm capture-pane -p -t pm; }
# see TEXT: waits until the screen shows it.
see() {
    local try
    for try in $(seq 300); do
        if screen 2>/dev/null | grep -qF -- "$1"; then return; fi
        sleep 0.1
    done
    printf 'waited in vain for: %s\nthe screen:\n' "$1"
    screen
    exit 1
}
# is TEXT...: checks that these lines are above the last prompt, which is empty.
is() {
    local want shown try
    want=$(printf '%s\n' "$@" '>')
    for try in $(seq 300); do
        shown=$(screen | sed 's/ *$//' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' | tail -n $(($# + 1)))
        if [ "$shown" = "$want" ]; then return; fi
        sleep 0.1
    done
    printf 'expected:\n%s\nthe screen:\n' "$want"
    screen
    exit 1
}
key() { tm send-keys -t pm "$@"; }
text() { tm send-keys -t pm -l "$1"; }

tm new-session -d -s pm -x 60 -y 16 -c "$folder" "$pm repl; echo left with \$?; sleep 60"
see '>'

# The first line of an entry is edited after its last line was typed.
text 'fn f(x) {'; key Enter
text 'x * 2'
key Up Home; text '#'; key BSpace
key Down End Enter; text '}'; key Enter
text 'f(21)'; key Enter
is '> f(21)' '42'

# The entry is recalled as a whole, and the search finds it.
key C-r; text 'fn f'; see 'x * 2'; key Escape C-c
text 'it + 1'; key Enter
is '> it + 1' '43'

# A paste is one entry that waits for Enter.
tm set-buffer 'let a = [1, 2]
let b = a * 10'
tm paste-buffer -p -t pm
see 'let b = a * 10'
key Enter
text 'b'; key Enter
is '> b' '[10, 20]'

# Completion of names.
text 'linspa'; key Tab; text '(0.0, 1.0, 3)'; key Enter
is '> linspace(0.0, 1.0, 3)' '[0.0, 0.5, 1.0]'

# Resizing the window lays a long entry out again, and the entry still runs.
text 'sum([1000, 2000, 3000, 4000, 5000, 6000, 7000])'
tm resize-window -t pm -x 30 -y 16
see '7000])'
tm resize-window -t pm -x 60 -y 16
key Enter
see '28000'

# Ctrl-C stops a running entry and keeps the names.
text 'while true { }'; key Enter
sleep 0.3
key C-c
see 'interrupted'
text 'b'; key Enter
is '> b' '[10, 20]'

# An error changes nothing.
text 'let b = a + [1, 2, 3]'; key Enter
see 'PM0204'
text 'b'; key Enter
is '> b' '[10, 20]'

# A new session has the history.
text ':quit'; key Enter
see 'left with 0'
tm respawn-pane -k -t pm "$pm repl"
is
key Up Up; see '> b'; key Enter
see 'PM0101'
