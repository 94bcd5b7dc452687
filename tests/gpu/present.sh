# To be sourced by what runs on a GPU.
# shellcheck shell=bash

# need_gpu PM: goes on where there is a GPU. Where there is none it says so and ends with 0: nothing is to be done.
need_gpu() {
    local said
    said=$(echo 'print(1)' | "$1" run --devices=gpu --errors=short - 2>&1) && return
    case $said in
    *PM0513*) echo "skipped: $said" && exit 0 ;;
    *) echo "$said" >&2 && exit 1 ;;
    esac
}

# library_path PYTHON: LD_LIBRARY_PATH, and behind it the folders of NVIDIA's libraries where the linker does not find each of them: what
# NVIDIA's installer has put there, and what pip has for PYTHON.
library_path() {
    local path=${LD_LIBRARY_PATH:-} folders folder name missing=
    IFS=: read -ra folders <<<"$path"
    for name in cublasLt cusolver cufft cudnn nccl; do
        [[ $(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null) != *"lib$name.so."* ]] || continue
        for folder in "${folders[@]}"; do compgen -G "$folder/lib$name.so.*" >/dev/null && continue 2; done
        missing=yes
    done
    if [ -n "$missing" ]; then
        mapfile -t folders < <(compgen -G '/usr/local/cuda*/lib64' | sort -rV && "$1" 2>/dev/null - <<'PYTHON'
import glob, importlib.util
spec = importlib.util.find_spec("nvidia")
for place in spec.submodule_search_locations if spec else ():
    print(*sorted(glob.glob(place + "/*/lib"), reverse=True), sep="\n")
PYTHON
        )
        for folder in "${folders[@]}"; do
            [ -d "$folder" ] && path+=${path:+:}$folder
        done
    fi
    printf '%s' "$path"
}
