#!/bin/bash
# memory.sh PM: each of two processes has memory for its own half of arrays that are divided.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
cd "$work" || exit 1

# 100 MB; the program has the file's array and two more of this size.
program <<'END'
save_npy("rows.npy", ones((4, 6400000)))
END
"$pm" run p.pm || exit 1
cat >use.pm <<'END'
let f = pmap(fn(x) = x + psum(x[0], "i"), axis_name="i")
let x = load_npy("rows.npy", part=program_arguments()[0] == "part")
let y = f(f(x))
print(pmap(fn(y) = psum(sum(y[:100]), "i"), axis_name="i", out_axes=none)(y))
END
cat >save.pm <<'END'
let x = pmap(fn(x) = x + 1.0, axis_name="i")(load_npy("rows.npy", part=true))
checkpoints.save("folder", {x}, step=1)
let y = checkpoints.restore("folder", part=true).tree.x
print(pmap(fn(y) = psum(sum(y[:100]), "i"), axis_name="i", out_axes=none)(y) + 9200.0)
END
cat >peak.py <<'END'
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1000, file=sys.stderr)
sys.exit(code)
END
# peak FILE [ARGUMENT]: the greatest memory of a process, in MB.
peak() {
    mpirun -q --oversubscribe --bind-to none --mca btl self,vader -n 2 python3 peak.py \
        "$pm" run --devices=cpu:2 "$@" >out 2>err || fail "$*" "exit code $?"
    [ "$(cat out)" = 10000.0 ] || fail "$*" "output $(cat out)"
    sort -n err | tail -1
}
echo 'print(1)' >empty.pm
base=$(mpirun -q --oversubscribe --bind-to none -n 1 python3 peak.py "$pm" run empty.pm 2>&1 >out)
whole=$(peak use.pm whole) part=$(peak use.pm part) saved=$(peak save.pm)
checked=4
# The limit counts the own part: of each array of 102 MB half.
mpirun -q --oversubscribe --bind-to none --mca btl self,vader -n 2 \
    "$pm" run --devices=cpu:2 --memory=190M use.pm part >out 2>err || fail "limit" "exit code $?"
[ "$(cat out)" = 10000.0 ] || fail "limit" "output $(cat out)"
echo "MB: an empty program $base, with the whole file $whole, with its rows $part, with a checkpoint $saved"
# With its rows: half of three arrays, or of one and of the bytes that are read. With the whole file: twice its bytes while it is read.
[ "$part" -le $((base + 190)) ] || fail "part" "$part MB"
[ "$saved" -le $((base + 190)) ] || fail "checkpoint" "$saved MB"
[ "$whole" -ge $((base + 200)) ] || fail "whole" "only $whole MB: the test shows nothing"
finish
