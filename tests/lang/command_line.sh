#!/bin/bash
# Tests exit codes: a wrong command line ends with 2, an error of the program with 1, an interrupted program with 130. command_line.sh PM
set -uo pipefail
pm=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export PM_CACHE=
echo 'print(1)' >good.pm
echo 'print(nothing)' >bad.pm
echo 'import "self.pm"' >self.pm
failed=0
# expect CODE COMMAND...
expect() {
    local wanted=$1 code=0
    shift
    timeout 60 "$@" >out 2>&1 </dev/null || code=$?
    [ $code = "$wanted" ] && return
    failed=1
    printf 'FAIL %s: exit code %d (expected %d)\n' "$*" $code "$wanted"
    cat out
}
expect 0 "$pm" run --devices=cpu:2 good.pm
expect 1 "$pm" run bad.pm
for devices in cpu:0 cpu:100000 cpu: tpu:1; do expect 2 "$pm" run --devices=$devices good.pm; done
expect 2 "$pm" check --devices=tpu:1 good.pm
expect 2 "$pm" repl --devices=cpu:0
expect 2 "$pm" ir --after=nope good.pm
expect 2 "$pm" run --skip=release good.pm
expect 2 "$pm" run --skip=nope good.pm
expect 2 "$pm" run --skip=spmd good.pm
expect 0 "$pm" run --skip=inline,dce good.pm
grep -q 'bits does not take `64`; it takes one of 0, 128, 256, 512$' <("$pm" run --vector-bits=64 good.pm 2>&1) || { failed=1; echo 'FAIL --vector-bits'; }
expect 0 "$pm" run --precision=highest --precision=high good.pm
expect 2 "$pm" run --precision=exact good.pm
expect 2 "$pm" run --nothing good.pm
# Several processes: the parts that are missing.
for processes in 0 x 5000; do expect 2 "$pm" run --processes=$processes good.pm; done
expect 2 "$pm" run --patience=0 good.pm
says() { # says TEXT COMMAND...: exit code 1, and TEXT in the output
    local text=$1
    shift
    expect 1 "$@"
    grep -q "$text" out || { failed=1; printf 'FAIL %s: no %s\n' "$*" "$text"; cat out; }
}
says 'PM0519.*`mpirun` cannot be started' env PATH= "$pm" run --processes=2 good.pm
says 'PM0519.*none.so cannot connect processes' env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$pm" run --engine=./none.so good.pm
expect 0 env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$pm" run --engine=none good.pm
# Imported files are searched in the folder of the importing file, those of --path in their order, and those of PM_PATH.
mkdir -p here one/deep two three
for place in here one two three; do echo "let place = \"$place\"" >$place/common.pm; done
echo 'let place = "two"' >two/second.pm
echo 'import "common.pm"' >one/deep/own.pm
echo 'import "common.pm"; print(common.place)' >here/main.pm
echo 'import "second.pm"; print(second.place)' >here/second_main.pm
echo 'import "deep/own.pm" as own; print(own.common.place)' >here/deep_main.pm
# imports FILE WANTED OPTION...: the output of a program with these options.
imports() {
    local file=$1 wanted=$2 found
    shift 2
    found=$("$pm" run "$@" "here/$file" 2>&1)
    [[ $found == $wanted ]] && return
    failed=1
    printf 'FAIL %s %s: %s\n' "$file" "$*" "$found"
}
imports main.pm here --path=one
imports second_main.pm '*no file `here/second.pm`*nor is there `one/second.pm`*' --path=one
imports second_main.pm two --path=one --path two
imports deep_main.pm one --path=one --path=three
imports deep_main.pm three --path=three --path=one
PM_PATH=three imports deep_main.pm one --path=one
PM_PATH=:three::two: imports second_main.pm two
echo 'import "secnd.pm"' >here/near_main.pm
imports near_main.pm '*did you mean `second.pm`*' --path=two
PM_PATH=two expect 0 "$pm" check here/second_main.pm
expect 1 "$pm" check here/second_main.pm
printf 'import "second.pm"\nsecond.place\n' | "$pm" repl --path=two | grep -qx '"two"' || { failed=1; echo 'FAIL repl --path'; }
printf 'import "second.pm"\ntest "of two" { assert(second.place == "two") }\n' >here/with_test.pm
expect 0 "$pm" test --path=two here/with_test.pm
expect 2 "$pm" run --path= here/main.pm
expect 0 "$pm" ir --after=optimize good.pm
# Complex numbers become pairs. The pass also has an earlier name.
echo 'print(jit(fn(x) = x * x)([2j]))' >complex.pm
diff <("$pm" ir --after=reals complex.pm) <("$pm" ir --after=lower_complex complex.pm) || { failed=1; echo 'FAIL --after=reals'; }
expect 0 "$pm" ir --after=expand complex.pm
expect 1 "$pm" ir --after=spmd complex.pm # it has no pmap
"$pm" ir --after=reals complex.pm | grep -q 'f32\[1, 2\]' || { failed=1; echo 'FAIL pairs'; }
# Writes PTX files for the chosen GPU, one for each compiled program that has kernels.
echo 'print(sum(arange(1000.0) * 2), jit(fn(x) = x + 1)(ones(3)))' >kernels.pm
expect 0 "$pm" build --ptx kernels.pm
expect 0 "$pm" build --ptx --arch=sm_90a -o made/there kernels.pm -- an argument
for made in kernels-ptx made/there; do
    files=("$made"/kernels-001-*.ptx "$made"/kernels-00[2-9]-*.ptx)
    [ ${#files[@]} -ge 2 ] && [ "$(grep -l '\.entry unit_0' "${files[@]}" | wc -l)" = ${#files[@]} ] || { failed=1; echo "FAIL $made"; ls "$made"; }
done
grep -q '^\.target sm_80$' kernels-ptx/*-001-* && grep -q '^\.target sm_90a$' made/there/*-001-* || { failed=1; echo 'FAIL --arch'; }
diff <(sort out) <(ls made/there/*) || { failed=1; echo 'FAIL names of files'; }
"$pm" ir --after=ptx --arch=sm_90a kernels.pm | grep '\.entry\|\.target sm_90a' | sort | uniq -c >shown
cat made/there/*.ptx | grep '\.entry\|\.target' | sort | uniq -c >written
diff <(grep entry shown) <(grep entry written) || { failed=1; echo 'FAIL pm ir and pm build'; }
# Files of an earlier build of the program are removed. Files that pm build has not written for this program stay.
cp kernels.pm kernels-001-b.pm
expect 0 "$pm" build --ptx -o made/there kernels-001-b.pm
mine=(made/there/kernels-001-b-*.ptx made/there/kernels-900-mine.ptx made/there/notes.txt)
touch made/there/kernels-900-mine.ptx made/there/notes.txt
echo 'print(sum(arange(1000.0) * 2))' >kernels.pm
expect 0 "$pm" build --ptx -o made/fresh kernels.pm
sed s/fresh/there/ out >fresh
expect 0 "$pm" build --ptx -o made/there kernels.pm
diff <(sort out) <(sort fresh - <<END
${#files[@]} files of an earlier build removed from made/there
made/there/kernels-900-mine.ptx stays: pm build has not written it
END
) || { failed=1; echo 'FAIL a second build'; }
diff <(ls made/there/*) <(ls $(<fresh) "${mine[@]}") || { failed=1; echo 'FAIL files of two builds'; }
echo 'print(1)' >kernels.pm
expect 0 "$pm" build --ptx kernels.pm
diff <(tail -n 1 out; ls kernels-ptx) - <<<'kernels.pm has no kernels: nothing is written' || { failed=1; echo 'FAIL no kernels'; cat out; }
echo 'print(sum(arange(1000.0) * 2))' >kernels.pm
expect 0 "$pm" build --ptx kernels.pm
mv kernels-ptx/kernels-001-eager.ptx kernels-ptx/kernels-002-earlier.ptx
echo 'my own' >kernels-ptx/kernels-001-eager.ptx
expect 1 "$pm" build --ptx kernels.pm
grep -q 'error\[PM0605\]: .kernels-ptx/kernels-001-eager.ptx. is there already' out && grep -qx 'my own' kernels-ptx/kernels-001-eager.ptx &&
    [ -e kernels-ptx/kernels-002-earlier.ptx ] ||
    { failed=1; echo 'FAIL a file that pm has not written'; cat out; }
rm kernels-ptx/kernels-001-eager.ptx
# A program that fails before its first kernel changes no file.
expect 0 "$pm" build --ptx kernels.pm
echo 'fail("so")' >kernels.pm
expect 1 "$pm" build --ptx kernels.pm
[ -e kernels-ptx/kernels-001-eager.ptx ] || { failed=1; echo 'FAIL a build that fails'; }
echo 'print(sum(arange(1000.0) * 2))' >kernels.pm
expect 2 "$pm" build kernels.pm
expect 2 "$pm" build --ptx
expect 2 "$pm" build --ptx --arch=sm_70 kernels.pm
expect 2 "$pm" ir --after=ptx --arch=80 kernels.pm
expect 2 "$pm" ir --after=plan --arch=sm_90a kernels.pm
expect 1 "$pm" build --ptx bad.pm
expect 1 "$pm" build --ptx nowhere.pm
expect 1 "$pm" build --ptx -o good.pm/x kernels.pm
grep -q PM0605 out || { failed=1; echo 'FAIL a folder that cannot be made'; cat out; }
# The error is not at a call of the program, which does not run.
echo 'write_text("ran", "")
print(sum(arange(1000.0) * 2))' >writes.pm
for place in good.pm good.pm/x; do
    expect 1 "$pm" build --ptx -o $place writes.pm
    diff - out <<<"error[PM0605]: cannot write \`$place\`: Not a directory" || { failed=1; echo 'FAIL a file for a folder'; }
done
[ ! -e ran ] || { failed=1; echo 'FAIL the program ran'; }
mkdir kept
ln -s nowhere/x kept/link
expect 1 "$pm" build --ptx -o kept/link writes.pm
[ -e ran ] && [ "$(grep -c . out)" = 1 ] && grep -q 'error\[PM0605\]: cannot write' out || { failed=1; echo 'FAIL a file that cannot be written'; cat out; }
# A flag has no value, and errors of options are reported like all errors.
for flag in deterministic no-fuse check-nans help; do
    for value in 3 false; do
        expect 2 "$pm" run --$flag=$value good.pm
        grep -q "error\[PM0902\].*$flag" out || { failed=1; echo "FAIL $flag=$value"; cat out; }
    done
done
# An empty value is an error, whatever follows.
for option in run:--devices run:--workers run:--skip run:--precision run:--errors run:--no-fuse ir:--after build:--output test:--filter; do
    expect 2 "$pm" ${option%%:*} ${option#*:}= good.pm
    grep -q "^error\[PM0902\]: .${option#*:}=. has no value$" out || { failed=1; echo "FAIL $option="; cat out; }
done
expect 0 "$pm" run good.pm -- --devices=
mkdir ./--devices=
expect 0 "$pm" build --ptx -o --devices= kernels.pm
expect 2 "$pm" build --ptx=3 good.pm
expect 2 "$pm" fmt --check=3 good.pm
for options in '--errors=json --nothing' '--nothing --errors json' '--errors=json --workers=many' '--errors=json --deterministic=3' \
    '--errors=json --devices=tpu'; do
    # shellcheck disable=SC2086
    expect 2 "$pm" run $options good.pm
    [ "$(wc -l <out)" = 1 ] && grep -q '^{"code":"PM0902",.*}$' out || { failed=1; echo "FAIL $options"; cat out; }
done
expect 2 "$pm" run --errors=short --nothing good.pm
grep -qx 'error\[PM0902\]: The following argument was not expected: --nothing' out || { failed=1; echo 'FAIL --errors=short'; cat out; }
# Messages of wrong command lines.
says() { # TEXT COMMAND...
    local text=$1
    shift
    expect 2 "$pm" "$@"
    grep -qF -- "$text" out || { failed=1; echo "FAIL pm $*: no \`$text\`"; cat out; }
}
says 'there is no command `rnu`' rnu good.pm
says 'did you mean `pm run`?' rnu good.pm
says 'pm run good.pm runs a program' good.pm
says '`pm fmt` needs files or folders' fmt
says '--evaluate takes no value' run --evaluate=yes good.pm
says '`abc` is not a number of bytes, such as 64MB or 2GB' run --memory=abc good.pm
# Folders: all programs below them, also if one is wrong.
mkdir -p folder/inner
cp good.pm folder/inner/
echo 'print( 1 )' >folder/first.pm
expect 0 "$pm" check folder good.pm
[ "$(cat out)" = $'folder/first.pm: no errors\nfolder/inner/good.pm: no errors\ngood.pm: no errors' ] || { failed=1; echo 'FAIL pm check FOLDER'; cat out; }
expect 1 "$pm" fmt --check folder
[ "$(cat out)" = folder/first.pm ] || { failed=1; echo 'FAIL pm fmt --check FOLDER'; cat out; }
expect 0 "$pm" fmt folder
expect 0 "$pm" fmt --check folder
cp bad.pm folder/inner/bad.pm
expect 1 "$pm" check folder
grep -q '^folder/inner/good.pm: no errors$' out && grep -q 'PM0101' out || { failed=1; echo 'FAIL pm check FOLDER with an error'; cat out; }
expect 1 "$pm" check folder/none
expect 0 "$pm" --version
expect 0 "$pm" run --help
expect 1 "$pm" run --memory=64KB good.pm
grep -q 'PM0512.*memory limit of 65536 bytes' out || { failed=1; echo 'FAIL --memory=64KB'; cat out; }
# If a file imports itself, the position is shown once.
expect 1 "$pm" run self.pm
[ "$(grep -c 'self.pm:1:8' out)" = 1 ] || { failed=1; echo 'FAIL self.pm'; cat out; }
# Ctrl-C also stops a program that waits forever. Without --foreground timeout sends two signals.
mkfifo nobody
echo 'print(read_text("nobody"))' >waits.pm
expect 130 timeout --foreground --preserve-status -s INT 1 "$pm" run waits.pm
grep -q 'PM0510' out && grep -q ' --> waits.pm:1:7$' out || { failed=1; echo 'FAIL waits.pm'; cat out; }
expect 130 timeout --preserve-status -s INT 1 "$pm" run waits.pm
grep -q 'PM0510' out || { failed=1; echo 'FAIL waits.pm: two signals'; cat out; }
expect 130 timeout --preserve-status -s INT 1 "$pm" check nobody
grep -q 'PM0510' out || { failed=1; echo 'FAIL pm check'; cat out; }
# Writes to /dev/stdout are in order with the printed text, also in a file.
echo 'print("a"); write_text("/dev/stdout", "b\n"); print("c")' >between.pm
echo before >between
expect 0 bash -c '"$1" run between.pm >>between' bash "$pm"
[ "$(tr '\n' ' ' <between)" = 'before a b c ' ] || { failed=1; echo 'FAIL between.pm'; cat between; }
# So are writes to another descriptor of the same file.
echo 'print("a"); write_text("/dev/fd/3", "b\n"); print("c")' >between.pm
expect 0 bash -c '"$1" run between.pm 3>&1 | cat >between' bash "$pm"
[ "$(tr '\n' ' ' <between)" = 'a b c ' ] || { failed=1; echo 'FAIL between.pm, number 3'; cat between; }
# Writes to a file that another process has open are appended at its end.
echo 'write_text("/proc/{args[0]}/fd/1", "two\n")' >other.pm
expect 0 bash -c 'exec >other; echo 0123456789; "$1" run other.pm $$ 1<>other' bash "$pm"
[ "$(tr '\n' ' ' <other)" = '0123456789 two ' ] || { failed=1; echo 'FAIL other.pm'; cat other; }
# A program that is killed has written its output up to some tenths of a second before.
echo 'fn work(x) { mut x = x; while x < inf { x = x + 0.0 }; x }
print("begins")
print(work(1.0))' >killed.pm
expect 137 bash -c '"$1" run killed.pm >said & sleep 3; kill -9 $!; wait $!' bash "$pm"
[ "$(cat said)" = begins ] || { failed=1; echo 'FAIL killed.pm'; cat said; }
# A program that prints slowly ends at the first print after its reader has left.
echo 'fn work(x) { mut x = x; for i in 0..3000000 { x = cos(x) }; x }
for i in 0..200 { print(i, work(1.0)) }
write_text("done", "")' >slow.pm
expect 1 bash -c '"$1" run slow.pm 2>said | head -1; exit ${PIPESTATUS[0]}' bash "$pm"
{ [ ! -e done ] && grep -q 'PM0601.*Broken pipe' said; } || { failed=1; echo 'FAIL slow.pm'; cat said; }
# A reader that closes its pipe is an error, not a signal.
cat >leaves.pm <<'END'
write_text("/dev/fd/3", "x" * 1000000)
END
expect 1 bash -c '"$1" run leaves.pm 3> >(true)' bash "$pm"
grep -q 'PM0605.*Broken pipe' out || { failed=1; echo 'FAIL leaves.pm'; cat out; }
# Ctrl-C also stops an endless loop on a GPU.
for size in 3 20000; do
    echo "fn forever(x) { mut x = x; while sum(x) < 1.0 { x = x * 0.5 }; x }
print(forever(zeros($size)))" >forever.pm
    expect 130 timeout --foreground --preserve-status -s INT 1 "$pm" run --devices=gpu-emulated forever.pm
    grep -q 'PM0510' out || { failed=1; echo 'FAIL forever.pm'; cat out; }
done
# A program ends if its output cannot be written.
echo 'for i in 0..1000000000 { print("line", i) }' >prints.pm
cat >full.sh <<'END'
"$1" run prints.pm >/dev/full
END
expect 1 bash full.sh "$pm"
grep -q 'PM0601.*cannot write the output' out || { failed=1; echo 'FAIL prints.pm'; cat out; }
# The help that cannot be written is reported in the requested form too.
expect 1 bash -c '"$1" --help --errors=json >/dev/full' bash "$pm"
grep -q '^{"code":"PM0601"' out || { failed=1; echo 'FAIL help'; cat out; }
# Ctrl-C ends a session whose output nobody reads, while it is blocked on a full pipe.
echo 'for i in 0..1000000000 { print(i) }' >endless.pm
(code=0; timeout --foreground --preserve-status -s INT 1 "$pm" <endless.pm 2>said || code=$?; echo $code >code) | sleep 5
{ [ "$(cat code)" = 130 ] && grep -q PM0510 said; } || { failed=1; echo 'FAIL endless.pm'; cat code said; }
exit $failed
