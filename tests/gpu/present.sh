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
