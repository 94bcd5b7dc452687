#!/bin/bash
# Checks the order of includes. Folders of compiler/ have an order: each may include earlier ones and the headers of runtime/, which
# includes nothing of compiler/. The rooms of a folder (its subfolders) have an order too; files beside the rooms may include all of them.
# Boost, LLVM and TBB have one home each. Prints long files as a warning.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

passed=0
failed=0
bad() {
    printf '%s\n' "$1"
    failed=$((failed + 1))
}

# home NAME PATTERN-OF-INCLUDE PATTERN-OF-FILES: only files that match may have the include.
home() {
    local hits
    hits=$(grep -rnE "#\s*include\s*[<\"]($2)" compiler runtime --include='*.cpp' --include='*.hpp' --include='*.h' | grep -vE "^($3)" || true)
    if [ -n "$hits" ]; then bad "$1 outside of its home:"$'\n'"$hits"; else passed=$((passed + 1)); fi
}

home Boost.Spirit 'boost/spirit' 'compiler/syntax/grammar/'
home Boost.Context 'boost/context' 'runtime/gpu/host/emulated\.cpp'
home Boost 'boost/' 'compiler/syntax/grammar/|runtime/gpu/host/emulated\.cpp'
home LLVM 'llvm' 'compiler/codegen/'
home 'LLJIT and PassBuilder' 'llvm/ExecutionEngine/Orc/LLJIT|llvm/Passes/PassBuilder' 'compiler/codegen/jit/jit\.cpp'
home TBB 'oneapi/|tbb/' 'runtime/(threads|workers)[a-z_]*\.cpp'
home CLI11 'CLI/' 'compiler/cli/'
home zlib 'zlib\.h' 'runtime/io/'
home RE2 're2/' 'compiler/stage/texts/'
home doctest 'doctest' 'none'

hits=$(grep -rnE '#\s*include\s*"compiler/' runtime --include='*.cpp' --include='*.hpp' --include='*.h' || true)
if [ -n "$hits" ]; then bad "runtime knows nothing of the compiler:"$'\n'"$hits"; else passed=$((passed + 1)); fi

# rooms FOLDER ROOM...: a room may include only earlier ones.
rooms() {
    local folder=$1 number=0 file included from to
    local -A order=()
    shift
    for room in "$@"; do
        [ -d "$folder/$room" ] || bad "$folder/$room: there is no such folder"
        order[$room]=$((number++))
    done
    for room in "$folder"/*/; do
        room=$(basename "$room")
        [ -n "${order[$room]:-}" ] || bad "$folder/$room: not in tests/layering/check.sh"
    done
    while IFS=: read -r file included; do
        from=${file#"$folder"/}
        to=${included#*"$folder"/}
        case $from$to in */*/*) ;; *) continue ;; esac
        from=${from%%/*}
        to=${to%%/*}
        if [ "${order[$to]:--1}" -gt "${order[$from]:-1000}" ]; then
            bad "$file includes $folder/$to, which comes after $from"
        else
            passed=$((passed + 1))
        fi
    done < <(grep -rE "#\s*include\s*\"$folder/" "$folder" --include='*.cpp' --include='*.hpp' --include='*.h')
}
rooms compiler base syntax ir nest ops transform optimize evaluate stage plan codegen api cli
rooms compiler/syntax build grammar format
rooms compiler/ops core complex elementwise shape indexing reduce linear effects
rooms compiler/transform core analysis partial_eval transpose jvp batch complex
rooms compiler/stage names values core known call index transform check interpret texts files library
rooms compiler/plan program memory partition prepare lower
rooms compiler/codegen scalar nest steps program cpu gpu jit
rooms compiler/codegen/gpu dot persistent launch
rooms compiler/cli editor repl
rooms runtime memory kernels processes io gpu
rooms runtime/io formats plot
rooms runtime/gpu device driver libraries multi_gpu host

# A folder has at most 25 files.
most_files=25
while read -r folder; do
    count=$(find "$folder" -maxdepth 1 -name '*.[chd]*' -type f | wc -l)
    if [ "$count" -gt $most_files ]; then bad "$folder has $count files, $most_files at most"; else passed=$((passed + 1)); fi
done < <(find compiler runtime -type d)

# Headers of one name have one subject, in several layers: these.
shared='builder custom dot matrices options precision prefix_scan scatter sort'
while read -r header; do
    if grep -qw "${header%.hpp}" <<<"$shared"; then passed=$((passed + 1)); else bad "several headers are named $header"; fi
done < <(find compiler runtime -name '*.hpp' -printf '%f\n' | sort | uniq -d)

# A source has a header of its name, or the README names the header that declares its functions: a pattern such as `nest/*.cpp`.
for top in compiler runtime; do
    mapfile -t patterns < <(grep '^|' "$top/README.md" | grep -oE '`[a-z0-9_/*]+\.cpp`' | tr -d '`')
    while read -r source; do
        [ -f "$top/${source%.cpp}.hpp" ] && continue
        named=
        for pattern in "${patterns[@]}"; do
            # A `*` is no `/`.
            # shellcheck disable=SC2053
            if [[ $source == $pattern && ${source//[!\/]/} == "${pattern//[!\/]/}" ]]; then named=yes; fi
        done
        if [ -n "$named" ]; then passed=$((passed + 1)); else bad "$top/$source has no header of its name, and $top/README.md does not name one"; fi
    done < <(cd "$top" && find . -name '*.cpp' | sed 's|^\./||')
done

# Includes are written from the root, and headers have one guard.
hits=$(grep -rnE '#\s*include\s*"\.\.?/' compiler runtime tests --include='*.cpp' --include='*.hpp' || true)
if [ -n "$hits" ]; then bad "includes are written from the root:"$'\n'"$hits"; else passed=$((passed + 1)); fi
while read -r header; do
    if grep -qE '^#(pragma once|ifndef [A-Z_]+_H)' "$header"; then passed=$((passed + 1)); else bad "$header has no #pragma once"; fi
done < <(find compiler runtime -name '*.hpp' -o -name '*.h')

while read -r count file; do
    [ "$file" = total ] || printf 'warning: %s has %s lines; what is it that could stand alone?\n' "$file" "$count"
done < <(find compiler runtime tests stdlib -name '*.cpp' -o -name '*.hpp' -o -name '*.pm' | xargs wc -l | awk '$1 > 600 {print $1, $2}')

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
