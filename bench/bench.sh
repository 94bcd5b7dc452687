#!/bin/bash
# Measures Polymap and JAX: bench.sh PM [NAME ...]. Each NAME is a pair bench/pm/NAME.pm and bench/jax/NAME.py. Both time themselves and
# print "WHAT<tab>SECONDS" lines. The processes of a pair alternate. The table has the medians over PM_BENCH_RUNS processes, without a cache
# on disk.
# Prints a Markdown table. Without a NAME also writes it between the markers of docs/performance.md.
# JAX comes from PyPI into PM_BENCH_VENV (default ~/.cache/polymap-bench). Without JAX the table has only Polymap's column.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pm=$(realpath "$1")
shift
runs=${PM_BENCH_RUNS:-5}
venv=${PM_BENCH_VENV:-$HOME/.cache/polymap-bench}
all=(empty small mlp training pmap_calls psum chain matmul tiny_steps processes)
names=("$@")
[ $# -gt 0 ] || names=("${all[@]}")
export PM_CACHE= JAX_PLATFORMS=cpu PYTHONPATH=$here/jax

if [ ! -x "$venv/bin/python" ]; then
    echo "installing JAX into $venv" >&2
    { python3 -m venv "$venv" && "$venv/bin/pip" install -q "jax==0.10.2"; } >&2 || echo "no JAX: measuring Polymap alone" >&2
fi
python=$venv/bin/python
"$python" -c 'import jax' 2>/dev/null || python=

source "$here/table.sh"
# The time of a whole process.
take_process() {
    local side=$1 begin end
    shift
    begin=$EPOCHREALTIME
    "$@" >/dev/null
    end=$EPOCHREALTIME
    printf 'startup, an empty program\t%s\t%s\n' "$side" "$(awk "BEGIN { printf \"%.6f\", $end - $begin }")" >>"$results"
}

# Two processes, connected by shared memory and by TCP.
take_processes() {
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    take pm "$pm" run --processes=2 "$here/pm/processes.pm" "shared memory"
    take pm mpirun -n 2 --oversubscribe --bind-to none --mca btl self,tcp --mca btl_tcp_if_include lo "$pm" run "$here/pm/processes.pm" TCP
    [ -z "$python" ] || take jax "$python" "$here/jax/processes.py"
}

for name in "${names[@]}"; do
    case $name in
    training | pmap_calls | psum) devices=cpu:8 ;; # the programs contain the number of devices that they use
    *) devices=cpu ;;
    esac
    for ((run = 0; run < runs; ++run)); do
        if [ "$name" = processes ]; then
            take_processes
            continue
        fi
        how=take
        [ "$name" = empty ] && how=take_process
        $how pm "$pm" run --devices="$devices" "$here/pm/$name.pm" || echo "bench/pm/$name.pm failed" >&2
        [ -z "$python" ] || $how jax "$python" "$here/jax/$name.py" || echo "bench/jax/$name.py failed" >&2
    done
done

machine=$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)
measured="Measured $(date +%Y-%m-%d) on $machine, $(nproc) cores; $("$pm" --version)$([ -z "$python" ] || "$python" -c 'import jax; print(", JAX", jax.__version__, end="")'). Medians of $runs processes; the ratio is ours to JAX's: below 1 ours is faster."
text="$(fmt -w 110 <<<"$measured")

$(table)"
printf '%s\n' "$text"

page=$here/../docs/performance.md
if [ $# = 0 ] && [ -f "$page" ]; then
    write_page "$page" bench "$text"
fi
