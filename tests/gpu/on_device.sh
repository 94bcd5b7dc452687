#!/bin/bash
# Runs the tests on a machine with a GPU: on_device.sh PM RUN_PROGRAMS [--few] [PART...]. Without a GPU it reports this and exits with 0.
# PART is one of runtime libraries lang order failing examples devices sanitizer kernels; without PART all of them run. --few runs a few
# programs of each part, to test this script on the driver that interprets PTX (tests/gpu/driver). PM_JOBS: processes at a time.
# It needs only the contents of `./dev pack`. Python loads the kernels for the GPU's architecture, and compute-sanitizer runs some programs.
# Without one of them its part is left out, as are missing libraries of NVIDIA.
set -uo pipefail
shopt -s lastpipe # `part` reads from a pipe and sets variables
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pm=$(realpath "$1")
run_programs=$(realpath "$2")
shift 2
cd "$here/../.." || exit 1
few=
[ "${1:-}" != --few ] || few=$1
[ -z "$few" ] || shift
chosen=" $* "
all=' runtime libraries lang order failing examples devices sanitizer kernels '
for name in "$@"; do
    [[ $all == *" $name "* ]] || { echo "there is no part $name; there are$all" >&2 && exit 2; }
done
jobs=${PM_JOBS:-$(nproc)}
export PM_CACHE=

source tests/gpu/present.sh
LD_LIBRARY_PATH=$(library_path python3)
export LD_LIBRARY_PATH
need_gpu "$pm"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

"$pm" --version
nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader 2>/dev/null
echo "LD_LIBRARY_PATH=$LD_LIBRARY_PATH, $jobs processes at a time"

# judged COMMAND...: prints its output, and stores its last line in a new file. A command whose last line is not "N passed, M failed" has
# failed.
judged() {
    local said status
    said=$("$@" 2>&1)
    status=$?
    [[ $said =~ [0-9]+\ passed,\ [0-9]+\ failed$ ]] || said+=$'\n'"FAIL $* ends with $status"$'\n0 passed, 1 failed'
    printf '%s\n' "${said##*$'\n'}" >"$(mktemp "$work/counts/XXXXXX")"
    { flock 9 && printf '%s\n' "$said"; } 9>"$work/lock" # one at a time
}

# part_is_wanted KEY: whether KEY is among the chosen parts, or no part was chosen.
part_is_wanted() { [ "$chosen" = '  ' ] || [[ $chosen == *" $1 "* ]]; }
# part KEY NAME COMMAND...: runs a part of the tests. Names of files come from standard input. Commands, each with some of the files, run in
# parallel. Their output is shown at once.
parts=()
part() {
    local key=$1 name=$2 begin=$SECONDS files calls lost
    shift 2
    part_is_wanted "$key" || return 0
    echo "== $name"
    mapfile -t files
    calls=$(((${#files[@]} + ${each:-4} - 1) / ${each:-4}))
    rm -rf "$work/counts" && mkdir "$work/counts"
    printf '%s\n' "${files[@]}" | xargs -d '\n' -P "$jobs" -n "${each:-4}" bash -c 'judged "$@"' _ "$@" | tee "$work/said" |
        grep --line-buffered -vE '^[0-9]+ passed, [0-9]+ failed$'
    lost=$((calls - $(find "$work/counts" -type f | wc -l)))
    [ $lost = 0 ] || echo "FAIL $lost of $calls calls did not come to their end"
    parts+=("$(find "$work/counts" -type f -exec cat {} + | awk -v name="$name" -v seconds=$((SECONDS - begin)) -v lost=$lost \
        -v left="$(grep '^left out: ' "$work/said" | tail -n 1)" '
        { passed += $1; failed += $3 }
        END {
            failed += lost
            if (passed + failed == 0 && left) printf "%-58s %s", name, left
            else printf "%-58s %5d passed %5d failed %5d s", name, passed, failed, seconds
        }')")
    echo "${parts[-1]}"
}
# without KEY NAME WHY: reports a part that cannot run here.
without() {
    part_is_wanted "$1" || return 0
    parts+=("$(printf '%-58s left out: %s' "$2" "$3")")
}

# unit_tests OPTION...: tests of the runtime on the first GPU.
unit_tests() {
    local own
    own=$(mktemp "$work/unit.XXXXXX")
    timeout 300 "$(dirname "$run_programs")/test_cuda_device" "$@" >"$own" 2>&1
    echo "ended with $?" >>"$own"
    awk '
        /^\[doctest\] test cases:/ { counted = 1; passed = $6; failed = $9; next }
        /^\[doctest\]|^=+$|^ended with 0$/ { next }
        /^ended with / { bad = 1 }
        { print }
        END { print passed + 0 " passed, " (counted && (failed > 0 || !bad) ? failed : 1) " failed" }' "$own"
}

# why_not FILE...: why the linker can load none of them; empty if it can load all.
why_not() {
    local file
    command -v python3 >/dev/null || { echo "there is no python3 to say why" && return; }
    for file in "$@"; do
        python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$file" 2>&1 | sed -n '$s/^OSError: //p'
    done | paste -sd ';' | sed 's/;/; /g'
}
# of_library NAME: the file names that the library may have, the latest first.
of_library() {
    case $1 in
    cuBLASLt | cuBLAS) echo "lib${1,,[CUBLAST]}.so.13 lib${1,,[CUBLAST]}.so.12" | sed 's/cublaslt/cublasLt/g' ;;
    cuSOLVER | cuFFT) echo "lib${1,,}.so.12 lib${1,,}.so.11" ;;
    cuDNN) echo libcudnn.so.9 ;;
    NCCL) echo libnccl.so.2 ;;
    esac
}
# computed PROGRAM...: runs programs that compare results of NVIDIA's libraries with exact values. Each runs twice, must return the same
# bits, and must use these libraries. Without a library (PM_TEST_LIBRARIES makes this an error) the program runs without it.
computed() {
    local passed=0 failed=0 program name wanted needs used file why reason own
    for program in "$@"; do
        own=$(mktemp -d "$work/computed.XXXXXX")
        wanted=$(sed -n 's/^# library: //p' "$program")
        needs=$(sed -n 's/^# gpus: //p' "$program")
        if [ "$gpus" -lt "${needs:-1}" ]; then
            echo "left out: $program: it needs $needs GPUs"
            continue
        fi
        why=
        for file in first second; do
            LD_DEBUG=libs timeout 240 "$pm" run --time --devices="gpu:$gpus" "$program" "$gpus" >"$own/$file" 2>"$own/errors" </dev/null || why="ends with $?"
            grep 'calling init: ' "$own/errors" >"$own/loaded"
            grep -vE '^ +[0-9]+:|^$' "$own/errors" >"$own/said"
            [ -z "$why" ] || break
        done
        [ -n "$why" ] || cmp -s "$own/first" "$own/second" || why="two runs differ: $(diff "$own/first" "$own/second" | sed -n '2p;4p' | paste -sd ' ')"
        used=
        for name in $wanted; do
            file=$(sed -n 's/.*calling init: //p' "$own/loaded" | grep -F -f <(of_library "$name" | tr ' ' '\n') | tail -n 1)
            if grep -q "[ ,]$name [0-9]" "$own/said"; then
                used+="; $(grep -oE "$name [0-9]+" "$own/said") times, $file"
            elif [ -n "$why" ]; then
                :
            elif [ -n "$file" ] || [ -n "${PM_TEST_LIBRARIES:-}" ]; then
                why="$name has computed nothing (${file:-not found})"
            elif reason=$(why_not $(of_library "$name")) && [ -n "$reason" ]; then
                echo "left out: $name, for $program: $reason"
            else
                why="$name is there, and was not asked"
            fi
        done
        if [ -n "$why" ]; then
            failed=$((failed + 1))
            echo "FAIL $program: $why"
            tail -n 3 "$own/first"
            tail -n 30 "$own/said"
            # The logs of the libraries.
            CUBLASLT_LOG_LEVEL=1 CUBLASLT_LOG_FILE=$own/log.cublaslt CUDNN_LOGLEVEL_DBG=2 CUDNN_LOGDEST_DBG=$own/log.cudnn NCCL_DEBUG=INFO NCCL_DEBUG_FILE=$own/log.nccl \
                timeout 120 "$pm" run --devices="gpu:$gpus" "$program" "$gpus" >/dev/null 2>&1 </dev/null
            tail -n 15 "$own"/log.* 2>/dev/null
        elif [ -n "$used" ]; then
            passed=$((passed + 1))
            echo "ok   $program$used"
        fi
    done
    echo "$passed passed, $failed failed"
}

# sanitized TOOL PROGRAM...: runs programs under compute-sanitizer.
sanitized() {
    local tool=$1 passed=0 failed=0 program status
    shift
    for program in "$@"; do
        timeout 300 "$sanitizer" --tool "$tool" --error-exitcode 9 --print-limit 5 "$pm" run --devices=gpu "$program" >"$work/$tool.$$" 2>&1
        status=$?
        if [ $status = 0 ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAIL $tool $program ends with $status"
            tail -n 30 "$work/$tool.$$"
        fi
    done
    echo "$passed passed, $failed failed"
}

# loaded ARCHITECTURE PROGRAM...: the driver can load all kernels of the programs, as PTX for that architecture.
loaded() {
    local architecture=$1 folder program status
    shift
    folder=$(mktemp -d "$work/ptx.XXXXXX")
    for program in "$@"; do
        # Some fail on purpose (1); the kernels that they compiled before count.
        timeout 120 "$pm" build --ptx --arch="$architecture" -o "$folder/$(basename "$program" .pm)" "$program" >/dev/null 2>"$folder/said" </dev/null
        status=$?
        [ $status -le 1 ] || { echo "FAIL pm build $program ends with $status" && cat "$folder/said" && return; }
    done
    find "$folder" -name '*.ptx' -print0 | xargs -0 -r python3 tests/gpu/cuda.py load || true
    [ -n "$(find "$folder" -name '*.ptx' -print -quit)" ] || echo "0 passed, 0 failed"
}
if ! gpus=$(python3 tests/gpu/cuda.py count 2>&1); then
    echo "how many GPUs there are is not known, so one is used: $gpus"
    [ -z "${PM_TEST_LIBRARIES:-}" ] || exit 1
    gpus=1
fi
export -f judged unit_tests why_not of_library computed sanitized loaded
export pm run_programs work gpus

programs=(tests/lang/programs/[!_]*.pm)
examples=(tests/examples/*.expect)
# Programs that must report a failure on the device, and a session that continues after it.
failing=(tests/gpu/failing/*.pm tests/lang/diagnostics/{index_in_loop,assert_on_a_device,nan_of_an_array,division_by_zero}.pm)

mapfile -t many <tests/lang/on_devices.txt
# A test that ends the context of its process runs in a separate process.
ends='a fault of a kernel in a graph is reported'
units=("--test-case-exclude=$ends" "--test-case=$ends")
held=(tests/gpu/large/[!_]*.pm)
if [ "$few" = --few ]; then
    programs=(tests/lang/programs/{reductions,edge_values,lanes}.pm)
    examples=(tests/examples/{heat,averaged_gradients}.expect)
    many=("${many[@]:0:2}")
    units=("--test-case=the driver accepts graphs*" "--test-case=$ends")
    held=(tests/gpu/large/{matrices,sums}.pm)
fi

if [ -x "$(dirname "$run_programs")/test_cuda_device" ]; then
    printf '%s\n' "${units[@]}" | each=1 part runtime "tests of the runtime" unit_tests
else
    without runtime "tests of the runtime" "there is no $(dirname "$run_programs")/test_cuda_device"
fi
printf '%s\n' "${held[@]}" | each=1 part libraries "NVIDIA's libraries" computed
printf '%s\n' "${programs[@]}" | part lang "programs of tests/lang" "$run_programs" --pm="$pm" --config=gpu
printf '%s\n' tests/gpu/any_order/*.pm | part order "sums in any order" "$run_programs" --pm="$pm" --config=gpu-any-order
printf '%s\n' "${failing[@]}" | part failing "programs that fail" "$run_programs" --pm="$pm" --config=gpu
printf '%s\n' "${examples[@]}" | part examples "examples" "$run_programs" --pm="$pm" --config=gpu
printf '%s\n' "${many[@]}" | part devices "programs of devices, on 3, 4 and 8" "$run_programs" --pm="$pm" --config=gpu --on=3,4,8

sanitizer=$(command -v compute-sanitizer || find /usr/local/cuda*/bin -name compute-sanitizer 2>/dev/null | tail -n 1)
why='no compute-sanitizer'
if [ -n "$sanitizer" ] && part_is_wanted sanitizer; then
    said=$("$sanitizer" "$pm" run --devices=gpu tests/gpu/golden/elementwise.pm 2>&1)
    if [[ $said == *'Device not supported'* ]]; then
        sanitizer=
        why='compute-sanitizer does not support this device' # as on virtual machines of some kinds
    fi
fi
export sanitizer
for tool in memcheck racecheck; do
    if [ -n "$sanitizer" ]; then
        printf '%s\n' tests/gpu/golden/*.pm | each=1 part sanitizer "tests/gpu/golden under compute-sanitizer, $tool" sanitized "$tool"
    else
        without sanitizer "tests/gpu/golden under compute-sanitizer, $tool" "$why"
    fi
done

if architecture=$(python3 tests/gpu/cuda.py architecture 2>"$work/python"); then
    [ "$few" = --few ] || programs+=(examples/*.pm)
    printf '%s\n' "${programs[@]}" | part kernels "kernels loaded for $architecture" loaded "$architecture"
else
    without kernels "kernels loaded for the GPU's architecture" "$(tail -n 1 "$work/python")"
fi

echo
printf '%s\n' "${parts[@]}"
printf '%s\n' "${parts[@]}" | awk -v seconds=$SECONDS '
    / passed / { for (i = 2; i <= NF; ++i) { if ($i == "passed") { passed += $(i - 1); if ($(i - 1) == 0) empty = 1 } if ($i == "failed") failed += $(i - 1) } }
    END { print passed " passed, " failed " failed, in " seconds " s" (empty ? "; a part has none that passed" : ""); exit failed > 0 || empty }'
