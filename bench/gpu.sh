#!/bin/bash
# Measures Polymap and JAX on the same GPU: gpu.sh PM [--divide N] [NAME ...]. Each NAME is a pair bench/gpu/pm/NAME.pm and
# bench/gpu/jax/NAME.py. Both time themselves and print "WHAT<tab>SECONDS" lines. --divide divides the sizes by N, for tests without a GPU.
# The processes of a pair alternate. The table has the medians over PM_BENCH_RUNS processes, without a cache on disk.
# The last column is a lower bound by floor.py: the time of the driver for copying as many bytes, or of cuBLAS for the product.
# Prints a Markdown table. With neither NAME nor --divide also writes it between the markers of docs/performance.md.
# PM_BENCH_PYTHON (python3) has JAX and PyTorch; measurements of a missing one are left out. Each measurement is also printed to stderr at
# once, with the libraries that Polymap used.
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
export PM_CACHE= CUDA_CACHE_DISABLE=1 PYTHONPATH=$here/jax:$here/../tests/gpu

source "$here/../tests/gpu/present.sh"
python=${PM_BENCH_PYTHON:-python3}
for_pm=$(library_path "$python") # only for pm: JAX and PyTorch have their own libraries
LD_LIBRARY_PATH=$for_pm need_gpu "$pm"
source "$here/table.sh"
jax=$("$python" -c 'import jax; print("JAX", jax.__version__, "on", jax.devices()[0].device_kind)' 2>"$results.why") || jax=
why=$(tail -n 1 "$results.why")
if [ "$divisor" = 1 ] && [[ $jax == *" on cpu" ]]; then
    why="$jax alone"
    jax=
fi
[ -n "$jax" ] || echo "no JAX on the GPU ($why): measuring Polymap alone" >&2

failed=0
# shown SIDE COMMAND...: adds the lines of the command to the results and prints them.
shown() {
    local status=0
    take "$@" 2> >(sed "s/^/    $1: /" >&2) || status=$?
    tail -n +"$((lines + 1))" "$results" >&2
    lines=$(wc -l <"$results")
    return $status
}
lines=0
for name in "${names[@]}"; do
    for ((run = 0; run < runs; ++run)); do
        shown pm env LD_LIBRARY_PATH="$for_pm" timeout "$limit" "$pm" run --time --devices=gpu "$here/gpu/pm/$name.pm" "$divisor" || {
            echo "bench/gpu/pm/$name.pm failed" >&2
            failed=1
        }
        [ -z "$jax" ] || shown jax timeout "$limit" "$python" "$here/gpu/jax/$name.py" "$divisor" || echo "bench/gpu/jax/$name.py failed" >&2
        case $name in
        memory | products) shown floor timeout "$limit" "$python" "$here/gpu/floor.py" "$name" "$divisor" || echo "bench/gpu/floor.py failed" >&2 ;;
        esac
    done
done

measured="Measured $(date +%Y-%m-%d) on $("$python" "$here/../tests/gpu/cuda.py" name || echo "a GPU"); driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1 || echo unknown); $("$pm" --version)${jax:+, $jax}. Medians of $runs processes; the ratio is ours to JAX's: below 1 ours is faster."
text="$(fmt -w 110 <<<"$measured")

$(table "at least")"
printf '%s\n' "$text"
if [ $# = 0 ] && [ "$divisor" = 1 ]; then write_page "$here/../docs/performance.md" bench-gpu "$text"; fi
exit $failed
