#!/bin/bash
# Tests of `pm fmt` on files: cli.sh PM
set -euo pipefail
pm=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
passed=0
fail() {
    printf 'failed: %s\n' "$1"
    exit 1
}
# expect WHAT WANTED FOUND
expect() {
    [ "$2" = "$3" ] || fail "$1: wanted \`$2\`, found \`$3\`"
    passed=$((passed + 1))
}
# code COMMAND...: prints its exit code, and stores its output in `out` and `err`.
code() {
    local c=0
    "$@" >out 2>err || c=$?
    echo "$c"
}

printf 'let x=1 # one\n' >a.pm
printf 'let y = 2\n' >b.pm
printf 'let z = (\n' >bad.pm
chmod 640 a.pm
touch -d '2001-02-03' b.pm
inode=$(stat -c %i b.pm)

expect 'check lists what would change' 1 "$(code "$pm" fmt --check a.pm b.pm)"
expect 'only that' a.pm "$(cat out)"
expect 'and changes nothing' 'let x=1 # one' "$(cat a.pm)"
expect 'formats' 0 "$(code "$pm" fmt a.pm b.pm)"
expect 'in place' 'let x = 1  # one' "$(cat a.pm)"
expect 'without a word' '' "$(cat out err)"
expect 'keeps the permissions' 640 "$(stat -c %a a.pm)"
expect 'leaves a formatted file alone' "$inode 2001-02-03" "$(stat -c '%i %y' b.pm | cut -c1-$((${#inode} + 11)))"
expect 'check is content' 0 "$(code "$pm" fmt --check a.pm b.pm)"
expect 'and quiet' '' "$(cat out err)"

expect 'refuses a wrong text' 1 "$(code "$pm" fmt --errors=short bad.pm)"
expect 'with its place' 'bad.pm:1:10' "$(cut -d: -f1-3 err)"
expect 'and leaves it' 'let z = (' "$(cat bad.pm)"
printf 'let x=1\n' >a.pm
expect 'goes on behind it' 1 "$(code "$pm" fmt bad.pm a.pm)"
expect 'with the next' 'let x = 1' "$(cat a.pm)"
expect 'a missing file' 1 "$(code "$pm" fmt none.pm)"
expect 'no file' 2 "$(code "$pm" fmt)"

expect 'standard input' 'let x = 1' "$(printf 'let x=1' | "$pm" fmt -)"
c=0
printf 'let x=1' | "$pm" fmt --check - >out || c=$?
expect 'check of standard input' '1 <input>' "$c $(cat out)"

printf 'let x=1\n' >a.pm
ln -s a.pm link.pm
expect 'through a link' 0 "$(code "$pm" fmt link.pm)"
expect 'which stays one' 'a.pm let x = 1' "$(readlink link.pm) $(cat a.pm)"
expect 'no file is left over' 'a.pm b.pm bad.pm err link.pm out' "$(echo *)"
printf '%d passed\n' "$passed"
