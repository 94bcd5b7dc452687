#!/bin/bash
# checkpoints.sh PM: processes write one checkpoint together. A process that does not see the new file, damage, and a kill
# leave a whole checkpoint.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
cd "$work" || exit 1
mpi="mpirun -q --oversubscribe --bind-to none --mca btl self,vader"

# ---- a process that does not see the new file: process 0 writes alone
cat >save.pm <<'END'
let x = pmap(fn(x) = x * 1.5, axis_name="i")(arange(4000.0).reshape(4, 1000))
checkpoints.save("folder", {x, name: "a"}, step=5)
print(array_equal(checkpoints.restore("folder").tree.x, x))
END
"$pm" run --devices=cpu:4 save.pm >all && mv folder/step-00000005.npz one.npz || exit 1
if unshare -m true 2>/dev/null; then
    checked=$((checked + 1))
    # Process 1 has another folder, with a copy of the file.
    cat >unshared.sh <<'END'
mount -t tmpfs none folder && cp one.npz folder/step-00000005.npz && exec "$@"
END
    $mpi -n 1 "$pm" run --devices=cpu:2 save.pm : -n 1 unshare -m bash unshared.sh "$pm" run --devices=cpu:2 save.pm >out 2>err ||
        fail "unshared" "exit code $?"
    cmp -s out all || fail "unshared" "output $(cat out)"
    cmp folder/step-00000005.npz one.npz || fail "unshared" "another file"
    # The same with a file in the other folder that has the name of the new file, which has the number of process 0.
    # Process 1 has its own numbers, so the two are not on one host.
    checked=$((checked + 1))
    cat >unshared.sh <<'END'
mount -t tmpfs none folder && cp one.npz folder/step-00000005.npz
for pid in $(seq $base $((base + 300))); do : >folder/.pm-$pid-0; done
"$@"
code=$?
[ -z "$(find folder -name '.pm-*' -size +0)" ] || { echo "a file of another process was written" && exit 1; }
exit $code
END
    base=$BASHPID $mpi -x base -n 1 "$pm" run --devices=cpu:2 save.pm : -n 1 unshare -m -p --fork bash unshared.sh "$pm" run --devices=cpu:2 save.pm >out 2>err ||
        fail "unshared" "exit code $?"
    cmp -s out all || fail "unshared" "output $(cat out)"
    cmp folder/step-00000005.npz one.npz || fail "unshared" "another file"
    [ "$(ls -A folder)" = step-00000005.npz ] || fail "unshared" "files are left: $(ls -A folder)"
fi

# ---- a file that cannot be written: the error is that of one process, and no process needs memory for the other parts
cat >refused.pm <<'END'
let x = pmap(fn(i) = ones(3000000) * i, axis_name="i")(arange(4.0))
for file in ("none/x.npz", "small/x.npz") {
    let read = attempt(save_npz, file, {x})
    print(read.ok, if read.ok { "" } else { read.error.message })
}
END
if mkdir small && unshare -m true 2>/dev/null; then
    checked=$((checked + 1))
    unshare -m bash -c 'mount -t tmpfs -o size=30m none small && "$0" run --devices=cpu:4 refused.pm >all &&
        "$0" run --processes=2 --devices=cpu:2 --memory=40M refused.pm >out && ls -A small >left' "$pm" 2>err || fail "refused" "exit code $?"
    grep -c "No such file" out | grep -qx 1 || fail "refused" "output $(cat out)"
    grep -c "No space left" out | grep -qx 1 || fail "refused" "output $(cat out)"
    [ ! -s left ] || fail "refused" "files are left: $(cat left)"
fi

# ---- damage in the rows of one process is found by all
cat >restore.pm <<'END'
let last = checkpoints.restore("folder", part=true)
if last == none { print("none") } else { print(last.step, sum(last.tree.x)) }
END
checked=$((checked + 1))
cp one.npz folder/step-00000005.npz
cp one.npz folder/step-00000006.npz
printf '?' | dd of=folder/step-00000006.npz bs=1 seek=15000 conv=notrunc status=none
$mpi -n 4 "$pm" run restore.pm >out 2>err || fail "damage" "exit code $?"
[ "$(cat out)" = "5 11997000.0" ] || fail "damage" "output $(cat out)"
rm -r folder

# ---- a kill at any moment leaves the checkpoint before
cat >loop.pm <<'END'
let f = pmap(fn(x) = x + 1.0, axis_name="i")
mut x = f(zeros((4, 100000)))
for step in range(1, 100000) {
    checkpoints.save("folder", {x}, step=step, keep=2)
    print(step)
    x = f(x)
}
END
cat >check.pm <<'END'
let last = checkpoints.restore("folder")
assert(array_equal(last.tree.x, full((4, 100000), f32(last.step))))
print(last.step)
END
RANDOM=3
for i in $(seq 12); do
    checked=$((checked + 1))
    "$pm" run --processes=4 --patience=3 loop.pm >out 2>err &
    job=$!
    wait_for_output out
    sleep 0.$((RANDOM % 30 + 10))
    mapfile -t all < <(pgrep -f "^$pm run .*loop.pm" | grep -vx $job)
    kill -9 "${all[RANDOM % ${#all[@]}]}"
    wait $job
    code=$?
    [ $code = 75 ] || fail "kill $i" "exit code $code"
    step=$("$pm" run check.pm 2>err) || fail "kill $i" "no whole checkpoint"
    [ "$step" -ge "$(tail -1 out)" ] || fail "kill $i" "checkpoint $step after $(tail -1 out)"
    [ -z "$(ls -A folder | grep -v '^step-')" ] || fail "kill $i" "files are left: $(ls -A folder)"
    rm -r folder
done
finish
