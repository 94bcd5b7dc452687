#!/bin/bash
# open_mpi_5.sh PM CONFORMANCE PLUGIN FOLDER: the plug-in, built against another release, runs under Open MPI 5. FOLDER has its bin/
# and lib/.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
conformance=$2 plugin=$3 folder=$4
export OPAL_PREFIX=$folder PATH=$folder/bin:$PATH LD_LIBRARY_PATH=$folder/lib
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
[ -x "$folder/bin/mpirun" ] || { echo "Open MPI 5 is fetched by ./dev test"; exit 77; }
mpirun --version | grep -q 'Open MPI) 5' || fail "mpirun" "$(mpirun --version)"

for way in sm tcp; do
    checked=$((checked + 1))
    mpirun -n 3 --oversubscribe --bind-to none --mca btl "self,$way" --mca btl_tcp_if_include lo "$conformance" "$plugin" \
        >"$work/out" 2>"$work/err" || fail "conformance, $way" "exit code $?"
done
for file in divided_arrays collectives_derivatives collectives_in_control print_in_compiled; do
    program=$root/tests/lang/programs/$file.pm
    checked=$((checked + 1))
    (cd "$work" && "$pm" run --devices=cpu:4 "$program") >"$work/one" 2>"$work/err"
    (cd "$work" && "$pm" run --processes=2 --devices=cpu:2 "$program") >"$work/out" 2>"$work/err" || fail "$file" "exit code $?"
    cmp "$work/one" "$work/out" || fail "$file" "another output"
done
program <<'END'
print(pmap(fn(x) = psum(x, "i"), axis_name="i")(arange(3.0)))
assert(process_index() != 1, "an error of one process")
END
expect "an error of one process" 'PM0503'

cat >"$work/loop.pm" <<'END'
mut x = ones((3, 10))
print(pmap(fn(x) = psum(sum(x), "i"), axis_name="i")(x))
for i in range(100000000) { x = pmap(fn(x) = psum(x, "i") / 3.0, axis_name="i")(x) }
END
# kill_one NAME PROGRAM...: starts a job, and kills one of its processes. The others end with an error that names it.
kill_one() {
    local name=$1 begin
    shift
    checked=$((checked + 1))
    "$@" --patience=60 "$work/loop.pm" >"$work/out" 2>"$work/err" &
    wait_for_output "$work/out"
    begin=$(date +%s%N)
    pkill -9 -n -f "^$pm run .*loop.pm"
    wait $!
    code=$?
    took=$((($(date +%s%N) - begin) / 1000000))
    grep -q PM0515 "$work/err" || fail "$name" "no PM0515, exit code $code"
    none_left "$name"
}
kill_one "kill -9" "$pm" run --processes=3
[ $code = 75 ] || fail "kill -9" "exit code $code"
# On other hosts (here, in other namespaces) a process cannot be seen. With ULFM, the engine tells that it has ended.
if unshare -p --fork true 2>/dev/null; then
    kill_one "ULFM" mpirun --with-ft ulfm -n 3 --oversubscribe --bind-to none --mca btl self,tcp --mca btl_tcp_if_include lo \
        unshare -p --fork "$pm" run
    [ $took -le 1000 ] || fail "ULFM" "took $took ms"
    echo "ULFM: $took ms"
fi
finish
