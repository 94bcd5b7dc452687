#!/bin/bash
# Measures Polymap on a GPU beside JAX on the same one: gpu.sh PM [--divide N] [NAME ...]. Each NAME is a pair bench/gpu/pm/NAME.pm and
# bench/gpu/jax/NAME.py that time themselves and print "WHAT<tab>SECONDS" lines; --divide makes their sizes so many times smaller, to try
# them where there is no GPU. The processes of a pair alternate; medians over PM_BENCH_RUNS of them, nothing read from a cache on disk.
# The last column is the least that the work could take, by floor.py: what copying as many bytes takes the driver, and the products of cuBLAS.
# Prints a Markdown table; with neither NAME nor --divide it is written between the markers of docs/performance.md too.
# PM_BENCH_PYTHON (python3) has JAX and PyTorch; what it has not is left out.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pm=$(realpath "$1")
shift
divisor=1
if [ "${1:-}" = --divide ]; then
    divisor=$2
    shift 2
fi
runs=${PM_BENCH_RUNS:-3}
limit=${PM_BENCH_LIMIT:-150} # seconds for a process
names=("$@")
[ $# -gt 0 ] || names=(memory products attention networks loops order)
export PM_CACHE= PYTHONPATH=$here/jax:$here/../tests/gpu

source "$here/../tests/gpu/present.sh"
need_gpu "$pm"
python=${PM_BENCH_PYTHON:-python3}
jax=$("$python" -c 'import jax; print("JAX", jax.__version__, "on", jax.devices()[0].device_kind)' 2>/dev/null) || jax=
[ -n "$jax" ] || echo "no JAX: measuring Polymap alone" >&2

source "$here/table.sh"
failed=0
for name in "${names[@]}"; do
    for ((run = 0; run < runs; ++run)); do
        take pm timeout "$limit" "$pm" run --devices=gpu "$here/gpu/pm/$name.pm" "$divisor" || {
            echo "bench/gpu/pm/$name.pm failed" >&2
            failed=1
        }
        [ -z "$jax" ] || take jax timeout "$limit" "$python" "$here/gpu/jax/$name.py" "$divisor" || echo "bench/gpu/jax/$name.py failed" >&2
        case $name in
        memory | products) take floor "$python" "$here/gpu/floor.py" "$name" "$divisor" || echo "bench/gpu/floor.py failed" >&2 ;;
        esac
    done
done

text="Measured $(date +%Y-%m-%d) on $("$python" "$here/../tests/gpu/cuda.py" name || echo "a GPU"); $("$pm" --version)${jax:+, $jax}. Medians of $runs processes; the ratio is ours to JAX's: below 1 ours is faster.

$(table "at least")"
printf '%s\n' "$text"
if [ $# = 0 ] && [ "$divisor" = 1 ]; then write_page "$here/../docs/performance.md" bench-gpu "$text"; fi
exit $failed
