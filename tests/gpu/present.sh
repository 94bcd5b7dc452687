# To be sourced by scripts that run on a GPU.
# shellcheck shell=bash

# need_gpu PM: returns if there is a GPU. Otherwise reports that the script is skipped and exits with 0.
need_gpu() {
    local said
    said=$(echo 'print(1)' | "$1" run --devices=gpu --errors=short - 2>&1) && return
    case $said in
    *PM0513*) echo "skipped: $said" && exit 0 ;;
    *) echo "$said" >&2 && exit 1 ;;
    esac
}

# found_by_linker NAME PATH: whether the linker finds a libNAME.so.N, with this LD_LIBRARY_PATH.
found_by_linker() {
    local folders folder
    [[ $(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null) != *"lib$1.so."* ]] || return 0
    IFS=: read -ra folders <<<"$2"
    for folder in "${folders[@]}"; do
        [ -z "$(compgen -G "$folder/lib$1.so.*")" ] || return 0
    done
    return 1
}
# library_path PYTHON: LD_LIBRARY_PATH, followed by folders of NVIDIA's driver and libraries if the linker does not find all of them. They
# are the folders of containers, of NVIDIA's installer, and of pip for PYTHON.
library_path() {
    local path=${LD_LIBRARY_PATH:-} folders=() more folder name
    found_by_linker cuda "$path" || folders=(/usr/local/nvidia/lib64 /usr/lib/wsl/lib)
    for name in cublasLt cusolver cufft cudnn nccl; do
        found_by_linker $name "$path" && continue
        mapfile -t more < <(compgen -G '/usr/local/cuda*/lib64' | sort -rV; "$1" 2>/dev/null - <<'PYTHON'
import glob, importlib.util
spec = importlib.util.find_spec("nvidia")
for place in spec.submodule_search_locations if spec else ():
    print(*sorted(glob.glob(place + "/*/lib"), reverse=True), sep="\n")
PYTHON
        )
        folders+=("${more[@]}")
        break
    done
    for folder in "${folders[@]}"; do
        [ ! -d "$folder" ] || path+=${path:+:}$folder
    done
    printf '%s' "$path"
}
