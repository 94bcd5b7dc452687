#!/bin/bash
# apart.sh PM [EVERY]: processes that go apart end with an error that tells the place of each of them. Every EVERYth program of apart.txt,
# and jobs whose processes differ from the start.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
every=${2:-1}
cd "$work" || exit 1

awk -v every="$every" '
    /^== / { count++; file = ""; if ((count - 1) % every == 0) { file = sprintf("%03d.pm", count); print "#" substr($0, 3) > file } next }
    file != "" { print > file }' "$root/tests/processes/apart.txt"
for file in [0-9]*.pm; do
    name=$(sed -n '1s/^# //p' "$file")
    pattern=$(sed -n 's/^=~ //p' "$file")
    sed '/^=~ /d' "$file" >p.pm
    expect "apart: $name" 'PM0516.*process'
    grep -qF -- "$pattern" err || fail "apart: $name" "no $pattern"
done

# differ NAME PATTERN FIRST SECOND: two processes with other words end with PM0518 and PATTERN.
differ() {
    checked=$((checked + 1))
    # shellcheck disable=SC2086 # words of command lines
    mpirun -q --oversubscribe --bind-to none --mca btl self,vader -n 1 "$pm" run $3 : -n 1 "$pm" run $4 >out 2>err && fail "$1" "exit code 0"
    tr '\n' ' ' <err | grep -qE "PM0518.*$2" || fail "$1" "no PM0518 $2"
    none_left "$1"
}
echo 'print(1)' >p.pm
mkdir other
echo 'print(2)' >other/p.pm
differ "an argument of the program" "command line" "$work/p.pm 1" "$work/p.pm 2"
differ "an option" "command line" "--devices=cpu:2 $work/p.pm" "--devices=cpu:1 $work/p.pm"
differ "the program" "command line|program" "$work/p.pm" "$work/other/p.pm"

finish
