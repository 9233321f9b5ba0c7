# SPDX-License-Identifier: Apache-2.0
# Nodes with a network of their own: --links RATE[,DELAY], as in 1gbit,0.5ms
#
# Each compute node is a network namespace with one link to a switch, which is a
# bridge; the daemons and the head node are at the switch itself.  A link passes
# RATE in each direction and takes DELAY each way.  Without --links all nodes are
# at 127.0.0.1.

links='' link_rate='' link_delay=''
links_nodes_max=250  # host numbers of a /24, without the switch's own

parse_links() { # RATE[,DELAY]
  [[ $1 =~ ^([0-9]+[kmg]bit)(,([0-9]+(\.[0-9]+)?(us|ms)))?$ ]] ||
    fail "--links '$1': want RATE[,DELAY], as in 100mbit,1ms or 1gbit"
  links=$1 link_rate=${BASH_REMATCH[1]} link_delay=${BASH_REMATCH[3]:-}
}

check_links() {
  [[ -n $links ]] || return 0
  local program
  for program in ip tc nsenter; do
    command -v "$program" >/dev/null ||
      fail "--links needs $program [install iproute2 and util-linux]"
  done
  ((nodes <= links_nodes_max)) ||
    fail "--links: $nodes nodes are more than $links_nodes_max"
}

# Of this cluster alone, since its ports are.  198.18.0.0/15 is set aside for
# measuring networks (RFC 2544), so no site routes it.
network_name() { echo "gm$port"; }
network_prefix() { echo "198.$((18 + port / 256 % 2)).$((port % 256))"; }
namespace_of() { echo "$(network_name)-$1"; }

# Where the daemons and the head node are reached.
own_address() {
  if [[ -n $links ]]; then echo "$(network_prefix).1"; else echo 127.0.0.1; fi
}

# addresses_of FIRST LAST: of compute nodes, as NodeAddr takes them.
addresses_of() {
  if [[ -n $links ]]; then
    echo "$(network_prefix).[$(($1 + 1))-$(($2 + 1))]"
  else
    echo 127.0.0.1
  fi
}

make_links() {
  [[ -n $links ]] || return 0
  local switch prefix i
  switch=$(network_name) prefix=$(network_prefix)
  # What a cluster at these ports left that was not stopped.
  remove_links
  [[ $(ip -o -4 address show) != *" $prefix."* ]] ||
    fail "--links: $prefix.0/24 is in use here [choose another --port]"
  ip link add "$switch" type bridge &&
    ip address add "$prefix.1/24" dev "$switch" &&
    ip link set "$switch" up ||
    fail "--links: cannot make a bridge (a container needs CAP_NET_ADMIN)"
  for ((i = 1; i <= nodes; i++)); do
    make_link "n$i" "$switch" "$prefix.$((i + 1))" ||
      { remove_links; fail "--links: cannot make the link of n$i (tc: a DELAY" \
          "needs the kernel's sch_netem, a RATE sch_tbf)"; }
  done
}

# A node reaches the others and the head, nothing else: without a route a name
# server is unreachable at once, and slurmd (24.11), which asks for the name of each
# peer, does not wait ten seconds for it.
make_link() { # NODE SWITCH ADDRESS
  local space end=$2-${1#n}
  space=$(namespace_of "$1")
  ip netns add "$space" &&
    ip link add "$end" type veth peer name eth0 netns "$space" &&
    ip link set "$end" master "$2" up &&
    ip -n "$space" address add "$3/24" dev eth0 &&
    ip -n "$space" link set lo up &&
    ip -n "$space" link set eth0 up &&
    tc qdisc add dev "$end" root $(link_shape) &&
    tc -n "$space" qdisc add dev eth0 root $(link_shape)
}

# A queue of up to 0.4 s, as switches with deep buffers have.  A burst, what passes
# at once after a pause, is what the link passes in half a millisecond: more would
# let small gradients through as if there were no link.  Not every kernel has
# netem, which only a delay needs.
link_shape() {
  if [[ -n $link_delay ]]; then
    echo "netem rate $link_rate delay $link_delay limit 10000"
  else
    echo "tbf rate $link_rate burst $(burst_bytes) latency 400ms"
  fi
}

burst_bytes() {
  local number=${link_rate%?bit} unit=${link_rate#"${link_rate%?bit}"} kbit
  case $unit in
    kbit) kbit=$number ;;
    mbit) kbit=$((number * 1000)) ;;
    gbit) kbit=$((number * 1000000)) ;;
  esac
  # 1 kbit/s passes 0.0625 bytes in half a millisecond; two packets at least.
  echo $((kbit / 16 > 3100 ? kbit / 16 : 3100))
}

# What to put before a command so that it runs in the network of a node: nothing
# for the head node and without links.  Not `ip netns exec`, which mounts a /sys
# without cgroups.
into_network_of() {
  [[ -z $links || $1 = head ]] || echo "nsenter --net=/run/netns/$(namespace_of "$1")"
}

remove_links() {
  [[ -n $links ]] || return 0
  local name space i
  name=$(network_name)
  for ((i = 1; i <= nodes; i++)); do
    space=$(namespace_of "n$i")
    [[ ! -e /run/netns/$space ]] || ip netns del "$space" ||
      note "cannot remove the network of n$i ($space)"
  done
  for ((i = 1; i <= nodes; i++)); do
    ip link del "$name-$i" 2>/dev/null || :
  done
  ip link del "$name" 2>/dev/null || :
}
