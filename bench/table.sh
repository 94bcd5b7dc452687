# Functions of bench.sh and gpu.sh; to be sourced. Programs print "WHAT<tab>SECONDS" lines, which `take` collects.
# shellcheck shell=bash

results=$(mktemp)
trap 'rm -f "$results"*' EXIT

# take SIDE COMMAND...: adds the lines of the command to the results. Other lines, without a tab, are dropped.
take() {
    local side=$1
    shift
    "$@" | while IFS=$'\t' read -r what seconds; do
        [ -z "$seconds" ] || printf '%s\t%s\t%s\n' "$what" "$side" "$seconds"
    done >>"$results"
}

# table [FLOOR]: the medians as Markdown. FLOOR is the title of one more column, for the side `floor`.
table() {
    awk -F'\t' -v floor="${1:-}" '
    function median(list, n,    v, i, j, t) {
        split(list, v, " ")
        for (i = 2; i <= n; ++i) { t = v[i] + 0; for (j = i - 1; j > 0 && v[j] + 0 > t; --j) v[j + 1] = v[j]; v[j + 1] = t }
        return v[int((n + 1) / 2)]
    }
    function shown(s) { return s >= 0.1 ? sprintf("%.2f s", s) : s >= 1e-4 ? sprintf("%.2f ms", s * 1e3) : sprintf("%.1f us", s * 1e6) }
    function cell(key) { return n[key] ? shown(median(all[key], n[key])) : "-" }
    { if (!($1 in seen)) { seen[$1] = 1; order[++count] = $1 } key = $1 SUBSEP $2; all[key] = all[key] " " $3; ++n[key] }
    END {
        print "| what | Polymap | JAX | ratio |" (floor == "" ? "" : " " floor " |"); print "|---|---:|---:|---:|" (floor == "" ? "" : "---:|")
        for (i = 1; i <= count; ++i) {
            p = order[i] SUBSEP "pm"; j = order[i] SUBSEP "jax"
            ratio = n[p] && n[j] ? sprintf("%.2f", median(all[p], n[p]) / median(all[j], n[j])) : "-"
            printf "| %s | %s | %s | %s |%s\n", order[i], cell(p), cell(j), ratio, floor == "" ? "" : " " cell(order[i] SUBSEP "floor") " |"
        }
    }' "$results"
}

# write_page FILE NAME TEXT: replaces the text between the markers NAME:begin and NAME:end of a page.
write_page() {
    awk -v name="$2" -v text="$3" '
        index($0, "<!-- " name ":begin -->") { print; print ""; print text; print ""; skip = 1; next }
        index($0, "<!-- " name ":end -->") { skip = 0 }
        !skip' "$1" >"$1.new" && mv "$1.new" "$1"
}
