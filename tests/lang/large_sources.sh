#!/bin/bash
# Unusual sources: large, deep, broken. Each must run or report a diagnostic, in bounded time: large_sources.sh PM
set -uo pipefail
pm=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export PM_CACHE=

passed=0
failed=0
# expect CODE PART-OF-OUTPUT FILE [COMMAND]: exit code and a text that must be in the output.
expect() {
    local output code
    output=$(timeout 60 "$pm" "${4:-run}" "$3" 2>&1 </dev/null)
    code=$?
    if [ $code = "$1" ] && grep -qF -- "$2" <<<"$output"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAIL %s: exit code %d (expected %d), output without `%s`:\n%.2000s\n' "$3" $code "$1" "$2" "$output"
    fi
}
repeat() { printf "%$1s" '' | sed "s/ /$2/g"; }

# 10 MB of statements run; a file of more than 16 MB is refused.
yes 'let a = 1 + 2 * 3 # a line that is here many times' | head -c 10000000 | sed '$d' >large.pm
echo 'print(a)' >>large.pm
expect 0 7 large.pm
yes '# nothing' | head -c 17000000 >huge.pm
expect 1 'error[PM0004]' huge.pm

{ printf 'let a = '; repeat 100000 '('; printf 1; repeat 100000 ')'; } >deep.pm
expect 1 'error[PM0003]' deep.pm
{ printf 'let a = '; repeat 100000 '['; } >open.pm
expect 1 'error[PM000' open.pm
{ printf 'print(1'; repeat 200000 ' + 1'; printf ')\n'; } >long.pm
expect 0 200001 long.pm
{ printf 'fn f(x) = x'; repeat 20000 ' + x'; printf '\nprint(f(ones(2)), grad(f)(1.0))\n'; } >sum.pm
expect 0 '[20001, 20001] 20001.0' sum.pm
{ printf 'fn f(x: f32[n]) = x[:n'; repeat 20000 ' + 1 - 1'; printf ']\nprint(f(ones(2)))\n'; } >bound.pm
expect 0 '[1, 1]' bound.pm
{ printf 'print(true'; repeat 200000 ' or true'; printf ')\n'; } >or.pm
expect 1 'error[PM0003]' or.pm
{ printf 'print('; repeat 50000 '-'; printf '1)\n'; } >minus.pm
expect 1 'error[PM0003]' minus.pm

printf 'let a = "caf\xff"\nprint(a)\n' >bytes.pm
expect 1 'error[PM0002]' bytes.pm
printf '\xef\xbb\xbfprint("after a byte order mark")\r\n' >windows.pm
expect 0 'after a byte order mark' windows.pm
head -c 100000 /dev/urandom >noise.pm
expect 1 'error[PM00' noise.pm
: >empty.pm
expect 0 '' empty.pm
expect 1 'error[PM0601]' missing.pm
expect 1 'is a folder' .

# Long names, and many undefined names.
long=$(repeat 200000 a)
{ echo "let ${long}c = 1"; echo "print(${long}b)"; } >name.pm
expect 1 'did you mean `aaaa' name.pm
expect 1 'did you mean `aaaa' name.pm check
seq 0 19999 | sed 's/.*/let y& = x&/' >unknown.pm
expect 1 'unknown name `x19999`' unknown.pm check

# If the stager has no memory, the message has a position.
cat >doubled.pm <<'END'
mut s = (1, 2)
while true { s = s + s }
END
(ulimit -v 8000000; expect 1 ' --> doubled.pm:2:14' doubled.pm; exit $((failed > 0))) && passed=$((passed + 1)) || failed=$((failed + 1))

# Nested branches that return arrays: the time is linear in the length of the source.
{
    echo 'fn f(x, y) {'; echo 'mut (x, y) = (x, y)'
    for k in $(seq 0 39); do echo "if x[$((k % 6))] > $k { x[$(((k + 1) % 6))] = 1"; done
    for k in $(seq 0 39); do echo "if y[$((k % 6))] > $k { (x, y) = (y, x)"; echo "x[$((k % 6))] = 2 } }"; done
    echo '(x, y) }'; echo 'print(f(ones(6), zeros(6)))'
} >branches.pm
expect 0 '([' branches.pm

# Interpreted functions that call each other twice: staging them to find their types takes time linear in their number.
{
    echo 'fn late() { write_text("/dev/null", "") }'; echo 'fn f40(n, x) { late()'; echo 'zeros(n)[0] + x }'
    for k in $(seq 39 -1 1); do
        echo "fn f$k(n, x) { late()"; echo 'let z = zeros(n)'
        echo "if x > 0 { f$((k + 1))(n, x) } else { f$((k + 1))(n, x + 1) } }"
    done
    echo 'print(f1(2, 1))'
} >interpreted.pm
expect 0 1 interpreted.pm

# Functions that call each other with a literal. The last one does host work. Each is staged only a few times.
{
    echo 'fn f0(n) { write_text("/dev/null", ""); n }'
    for k in $(seq 1 40); do echo "fn f$k(n) = f$((k - 1))(1) + n"; done
    echo 'print(f40(1))'
} >written.pm
expect 0 41 written.pm

# Many fields and arguments.
list() { seq -s, 0 "$1" | tr -d '\n' | sed "s/[0-9]\+/$2/g"; }
{ printf 'let r = {'; list 199999 'a&: &'; printf '}\nprint(r.a199999)\n'; } >record.pm
expect 0 199999 record.pm
{ printf 'fn f('; list 99999 'a&'; printf ') = a0 + a99999\nprint(f('; list 99999 'a&=&'; printf '))\n'; } >named.pm
expect 0 99999 named.pm

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
