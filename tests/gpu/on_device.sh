#!/bin/bash
# What is tested on a machine with a GPU: on_device.sh PM RUN_PROGRAMS [--few]. Where there is none it says so and ends with 0. --few
# takes a few programs of each part: to try this script on the driver that interprets PTX (tests/gpu/driver). PM_JOBS: processes at a time.
# It needs nothing but what `./dev pack` packs. Python loads the kernels for the GPU's own architecture, and compute-sanitizer
# watches some programs; where these are not found their part is left out.
set -uo pipefail
shopt -s lastpipe # `part` reads from a pipe and keeps what it found
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pm=$(realpath "$1")
run_programs=$(realpath "$2")
few=${3:-}
cd "$here/../.." || exit 1
jobs=${PM_JOBS:-$(nproc)}
export PM_CACHE=

source tests/gpu/present.sh
need_gpu "$pm"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# judged COMMAND...: its output. What does not say "N passed, M failed" at its end has failed as a whole.
judged() {
    local said
    said=$("$@" 2>&1)
    [[ $said =~ [0-9]+\ passed,\ [0-9]+\ failed$ ]] || said+=$'\n0 passed, 1 failed'
    printf '%s\n' "$said"
}

# part NAME COMMAND...: a part of the whole. Names of files come from standard input; commands that take some of them each run side by side.
parts=()
part() {
    local name=$1 begin=$SECONDS
    shift
    echo "== $name"
    xargs -P "$jobs" -n "${each:-4}" bash -c 'judged "$@"' _ "$@" >"$work/said"
    grep -vE '^[0-9]+ passed, [0-9]+ failed$' "$work/said"
    parts+=("$(awk -v name="$name" -v seconds=$((SECONDS - begin)) '
        /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
        END { printf "%-58s %5d passed %5d failed %5d s", name, passed, failed, seconds }' "$work/said")")
    echo "${parts[-1]}"
}
# without NAME WHY: a part that cannot be run here.
without() { parts+=("$(printf '%-58s left out: %s' "$1" "$2")"); }

# sanitized TOOL PROGRAM...: what compute-sanitizer says of programs.
sanitized() {
    local tool=$1 passed=0 failed=0 program
    shift
    for program in "$@"; do
        if timeout 300 "$sanitizer" --tool "$tool" --error-exitcode 9 --print-limit 5 "$pm" run --devices=gpu "$program" >"$work/$tool.$$" 2>&1; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAIL $tool $program"
            tail -n 30 "$work/$tool.$$"
        fi
    done
    echo "$passed passed, $failed failed"
}

# loaded ARCHITECTURE PROGRAM...: the driver takes all kernels of the programs, as PTX for that architecture.
loaded() {
    local architecture=$1 folder program status
    shift
    folder=$(mktemp -d "$work/ptx.XXXXXX")
    for program in "$@"; do
        # Some fail on purpose (1); what they had compiled by then counts.
        timeout 120 "$pm" build --ptx --arch="$architecture" -o "$folder/$(basename "$program" .pm)" "$program" >/dev/null 2>"$folder/said" </dev/null
        status=$?
        [ $status -le 1 ] || { echo "FAIL pm build $program ends with $status" && cat "$folder/said" && return; }
    done
    find "$folder" -name '*.ptx' -print0 | xargs -0 -r python3 tests/gpu/cuda.py load || true
    [ -n "$(find "$folder" -name '*.ptx' -print -quit)" ] || echo "0 passed, 0 failed"
}
export -f judged sanitized loaded
export pm work

programs=(tests/lang/programs/[!_]*.pm)
examples=(tests/examples/*.expect)
# What must be told when it happens on the device, and a session that goes on after it.
failing=(tests/gpu/failing/*.pm tests/lang/diagnostics/{index_in_loop,assert_on_a_device,nan_of_an_array,division_by_zero}.pm)

mapfile -t many <tests/lang/on_devices.txt
if [ "$few" = --few ]; then
    programs=(tests/lang/programs/{reductions,edge_values,lanes}.pm)
    examples=(tests/examples/{heat,averaged_gradients}.expect)
    many=("${many[@]:0:2}")
fi

printf '%s\n' "${programs[@]}" | part "programs of tests/lang" "$run_programs" --pm="$pm" --config=gpu
printf '%s\n' tests/gpu/any_order/*.pm | part "sums in any order" "$run_programs" --pm="$pm" --config=gpu-any-order
printf '%s\n' "${examples[@]}" | part "examples" "$run_programs" --pm="$pm" --config=gpu
printf '%s\n' "${many[@]}" | part "programs of devices, on 4" "$run_programs" --pm="$pm" --config=gpu --on=4
printf '%s\n' "${failing[@]}" | part "programs that fail" "$run_programs" --pm="$pm" --config=gpu

sanitizer=$(command -v compute-sanitizer || find /usr/local/cuda*/bin -name compute-sanitizer 2>/dev/null | tail -n 1)
why='no compute-sanitizer'
if [ -n "$sanitizer" ] && "$sanitizer" "$pm" run --devices=gpu tests/gpu/elementwise.pm 2>&1 | grep -q 'Device not supported'; then
    sanitizer=
    why='compute-sanitizer does not support this device' # as on virtual machines of some kinds
fi
export sanitizer
for tool in memcheck racecheck; do
    if [ -n "$sanitizer" ]; then
        printf '%s\n' tests/gpu/*.pm | each=1 part "tests/gpu under compute-sanitizer, $tool" sanitized "$tool"
    else
        without "tests/gpu under compute-sanitizer, $tool" "$why"
    fi
done

if architecture=$(python3 tests/gpu/cuda.py architecture 2>"$work/python"); then
    [ "$few" = --few ] || programs+=(examples/*.pm)
    printf '%s\n' "${programs[@]}" | part "kernels loaded for $architecture" loaded "$architecture"
else
    without "kernels loaded for the GPU's architecture" "$(tail -n 1 "$work/python")"
fi

echo
printf '%s\n' "${parts[@]}"
printf '%s\n' "${parts[@]}" | awk '
    / passed / { for (i = 2; i <= NF; ++i) { if ($i == "passed") { passed += $(i - 1); if ($(i - 1) == 0) empty = 1 } if ($i == "failed") failed += $(i - 1) } }
    END { print passed " passed, " failed " failed" (empty ? "; a part has none that passed" : ""); exit failed > 0 || empty }'
