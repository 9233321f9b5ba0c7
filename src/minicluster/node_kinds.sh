# SPDX-License-Identifier: Apache-2.0
# Nodes that differ:
# --node-kind NAME:COUNT,cpus=8,memory=16000,gpu:a=2,feature=F,weight=10
#
# kind_count[i] nodes of kind i follow each other in n1 .. nN; kind_spec[i] is
# the rest of their line in slurm.conf; kind_gpus[i] is "a=2 b=1", a dash for
# GPUs without a type.

kind_count=() kind_spec=() kind_gpus=()

add_node_kind() { # NAME:COUNT,KEY=VALUE...
  local head=${1%%,*} rest='' item key value
  [[ $1 != *,* ]] || rest=${1#*,}
  [[ $head =~ ^[A-Za-z][A-Za-z0-9_]*:[0-9]+$ ]] ||
    fail "--node-kind '$1': want NAME:COUNT first, as in big:2,cpus=8"
  local count cpus=4 memory=16000 features=${head%%:*} gpus='' gres=''
  count=$(number "--node-kind $head" "${head##*:}" 1 1000)
  for item in ${rest//,/ }; do
    key=${item%%=*} value=${item#*=}
    case $item in
      cpus=*) cpus=$(number "--node-kind cpus" "$value" 1 1024) ;;
      memory=*) memory=$(number "--node-kind memory" "$value" 1 999999) ;;
      feature=*) features+=,$value ;;
      weight=*) weight=$(number "--node-kind weight" "$value" 1 999999) ;;
      gpu=* | gpu:*=*)
        value=$(number "--node-kind $key" "$value" 1 64)
        gres+=",$key:$value"
        [[ $key != gpu ]] || key=gpu:-
        gpus+=" ${key#gpu:}=$value" ;;
      *) fail "--node-kind '$item': want cpus=, memory=, gpu=, gpu:TYPE=," \
        "feature= or weight=" ;;
    esac
  done
  [[ $features$gpus =~ ^[A-Za-z0-9_,.=\ -]+$ ]] ||
    fail "--node-kind '$1': only letters, digits and _ . are possible in names"
  [[ $gpus != *" -="* || $gres != *:*:* ]] ||
    fail "--node-kind '$1': gpu= and gpu:TYPE= together (Slurm has either)"
  kind_count+=("$count") kind_gpus+=("$gpus")
  kind_spec+=("CPUs=$cpus RealMemory=$memory Feature=$features${gres:+ Gres=${gres#,}}${weight:+ Weight=$weight}")
}

# Without --node-kind all nodes are alike, as --nodes, --cpus and --gpus say.
settle_node_kinds() {
  local count
  if ((${#kind_count[@]} == 0)); then
    kind_count=("$nodes") kind_gpus=(" -=$gpus")
    kind_spec=("CPUs=$cpus RealMemory=16000")
    if ((gpus > 0)); then kind_spec[0]+=" Gres=gpu:$gpus"; else kind_gpus=(''); fi
    return
  fi
  nodes=0
  for count in "${kind_count[@]}"; do nodes=$((nodes + count)); done
  ((nodes <= 1000)) || fail "--node-kind: $nodes nodes are more than 1000"
}

# each_kind FUNCTION: calls FUNCTION with the kind's number, its first node and
# its last.
each_kind() {
  local i first=1
  for i in "${!kind_count[@]}"; do
    "$1" "$i" "$first" $((first + kind_count[i] - 1))
    first=$((first + kind_count[i]))
  done
}

# slurmd takes any character device as a GPU; a count without files leaves
# the node INVAL.
gres_conf_of_kind() {
  local item device=0 count type g
  for item in ${kind_gpus[$1]}; do
    type=${item%=*} count=${item#*=}
    for ((g = device; g < device + count; g++)); do
      ln -sfn /dev/null "$dir/dev/gpu$g"
    done
    [[ $type != - ]] && type=" Type=$type" || type=''
    echo "NodeName=n[$2-$3] Name=gpu$type" \
      "File=$dir/dev/gpu[$device-$((device + count - 1))]"
    device=$((device + count))
  done
}

slurm_conf_of_kind() {
  echo "NodeName=n[$2-$3] $here NodeAddr=$(addresses_of "$2" "$3")" \
    "Port=[$((port + 10 + $2))-$((port + 10 + $3))] ${kind_spec[$1]}"
}
