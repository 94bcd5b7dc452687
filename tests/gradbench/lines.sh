#!/bin/bash
# lines.sh GRADBENCH: the program answers every line of its input with a line, and exits at the end of the input.
set -euo pipefail
answers=$("$1" <<'LINES'
{"id": 0, "kind": "start", "eval": "hello"}
{"id": 1, "kind": "define", "module": "hello"}
{"id": 2, "kind": "evaluate", "module": "hello", "function": "double", "input": 4.0}
not a message
{"id": 3, "kind": "analysis", "of": 2, "valid": true}
LINES
)
printf '%s\n' "$answers"
wanted=('{"id":0,"tool":"polymap",*' '{"id":1,"success":true,*' '{"id":2,"success":true,"output":8.0,"timings":\[{"name":"evaluate",*'
    '{"id":null,"success":false,"error":*' '{"id":3}')
mapfile -t lines <<<"$answers"
[ "${#lines[@]}" = "${#wanted[@]}" ]
for i in "${!wanted[@]}"; do
    # shellcheck disable=SC2053 # a pattern
    [[ ${lines[i]} == ${wanted[i]} ]] || { echo "line $i is not like ${wanted[i]}"; exit 1; }
done
