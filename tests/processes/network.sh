#!/bin/bash
# network.sh PM: two hosts, which are network namespaces with a cable between them. Programs run on both; when the cable is out, both
# sides end with PM0515 when the patience is over, and no process is left.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
cd "$work" || exit 1
export OMPI_MCA_plm_rsh_agent=$work/agent OMPI_MCA_btl_tcp_if_include=10.9.0.0/24 OMPI_MCA_oob_tcp_if_include=10.9.0.0/24
a=pm_a_$$ b=pm_b_$$
unshare -n true 2>/dev/null && ip netns add $a 2>/dev/null || { echo "no network namespaces here"; exit 77; }
trap 'ip netns del $a; ip netns del $b; rm -rf "$work"' EXIT
ip netns add $b
ip link add cable netns $a type veth peer name cable netns $b
ip -n $a address add 10.9.0.1/24 dev cable
ip -n $b address add 10.9.0.2/24 dev cable
for host in $a $b; do
    ip -n $host link set lo up
    ip -n $host link set cable up
done
# In place of ssh: HOST COMMAND.
cat >agent <<END
#!/bin/bash
shift
exec ip netns exec $b unshare -u bash -c "hostname host-b; \$*"
END
chmod +x agent
# on_a COMMAND: runs it on the first host.
on_a() { ip netns exec $a unshare -u bash -c 'hostname host-a; exec "$@"' - "$@"; }
hosts=--hosts=10.9.0.1,10.9.0.2

# ---- the output of two hosts is that of one
cat >p.pm <<'END'
print(pmap(fn(x) = psum(x * x, "i") + x, axis_name="i")(arange(4.0)))
print(process_count())
END
# works NAME: a job of two hosts.
works() {
    checked=$((checked + 1))
    on_a timeout 60 "$pm" run $hosts --devices=cpu:2 "$work/p.pm" >out 2>err || fail "$1" "exit code $?"
    [ "$(cat out)" = "[14, 15, 16, 17]
2" ] || fail "$1" "output $(cat out)"
    none_left "$1"
}
works "two hosts"

# ---- the cable is pulled while the hosts exchange values
cat >loop.pm <<'END'
mut x = ones((2, 1000))
print(pmap(fn(x) = psum(sum(x), "i"), axis_name="i")(x))
for i in range(100000000) { x = pmap(fn(x) = psum(x, "i") / 2.0, axis_name="i")(x) }
END
checked=$((checked + 1))
on_a timeout 60 "$pm" run $hosts --patience=2 "$work/loop.pm" >out 2>err &
job=$!
wait_for_output out
sleep 0.5
ip -n $a link set cable down
begin=$(date +%s%N)
wait $job
code=$? took=$((($(date +%s%N) - begin) / 1000000))
{ [ $code = 1 ] || [ $code = 75 ]; } || fail "the cable" "exit code $code"
[ $took -le 9000 ] || fail "the cable" "took $took ms"
tr '\n' ' ' <err | grep -qE 'PM0515.*process 1 \(host host-b.*loop.pm' || fail "the cable" "no PM0515"
none_left "the cable"
ip -n $a link set cable up
works "the cable is in again"

finish
