#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# gleaner doctor on a real slurmctld: a sound one, and each setting broken.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 2 --gpus 0
  make_training 400000 40 1 1
  [[ -n $(why_not) ]] || cp "$cluster/slurm/etc/slurm.conf" "$cluster/sound.conf"
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() { show_logs_on_failure; }

# with 'SED SCRIPT' STATUS 'TEXT'...: doctor, when slurm.conf is changed so.
with() {
  local script=$1 want=$2 text
  shift 2
  sed "$script" "$cluster/sound.conf" >"$cluster/slurm/etc/slurm.conf"
  "$minicluster" restart "$cluster/slurm" slurmctld
  run timeout 20 gleaner doctor
  echo "$output"
  [[ $status = "$want" ]] || return 1
  for text in "$@"; do [[ $output = *"$text"* ]] || return 1; done
}

@test "a sound Slurm: every check is ok, also for an ordinary user" {
  with '' 0 'nodes can be lent here'
  [[ $output != *refuse* && $output != *warn* ]]
  run as_user timeout 20 gleaner doctor
  echo "$output"
  [[ $status = 0 && $output = *'nodes can be lent here'* ]]
  [[ $(gleaner doctor --quiet) = 'nodes can be lent here' ]]
  [[ $(gleaner doctor --json | jq -r '[.findings[].severity] | unique[]') = ok ]]
}

@test "what refuses is named, with the line to write, and gleanerd lends nothing" {
  with 's/^JobSubmitPlugins=.*//' 1 'refuse  JobSubmitPlugins=' '-> JobSubmitPlugins=gleaner'
  wait_until 20 "grep -q 'setup_checked .*lending=impossible' $cluster/slurm/log/gleanerd.log"
  with 's/^Licenses=.*//' 1 "lacks 'gleaner'" '-> Licenses=gleaner:1'
  with 's/^PreemptType=.*/PreemptType=preempt\/none/; s/^PreemptMode=.*/PreemptMode=OFF/; s/ PreemptMode=CANCEL/ /' \
    1 "jobs that want a leased node could not take it" '-> PreemptType=preempt/partition_prio'
  with 's/^SchedulerParameters=.*/&,defer/' 1 'SchedulerParameters has defer'
  with 's/GraceTime=0/GraceTime=5/' 1 'has GraceTime=5' 'PartitionName=lease … GraceTime=0'
  with 's/^PartitionName=main .*PriorityTier=10/PartitionName=main Nodes=n[1-2] Default=YES PriorityTier=1/' \
    1 "partition 'main' has PriorityTier=1" '-> PartitionName=main … PriorityTier=2'
  with 's/^PreemptMode=.*/&\nPreemptExemptTime=00:01:00/' 1 'PreemptExemptTime=60'
  with 's/ReqResv=YES/& OverSubscribe=FORCE:2/' 1 'OverSubscribe=FORCE'
  with 's/ReqResv=YES/& MaxTime=5/' 1 'MaxTime=5 min'
  with 's/ReqResv=YES/& ExclusiveUser=YES/' 1 'Slurm preempts no lease for the jobs of other users' '-> PartitionName=lease … ExclusiveUser=NO'
}

@test "what is slow or wants an eye is a warning, and exits 0" {
  with 's/^KillWait=.*/KillWait=300/; s/^SchedulerParameters=.*/SchedulerParameters=bf_interval=60,preempt_youngest_first/' 0 \
    'KillWait=300' 'youngest_first' '60 s, and arrival_hold_s follows it'
  with "s|^KillWait=.*|&\nEpilog=/bin/true\nCompleteWait=10\nOverTimeLimit=UNLIMITED\nSlurmctldParameters=rl_enable|" 0 \
    'Epilog=/bin/true' 'CompleteWait=10' 'OverTimeLimit=UNLIMITED' 'rl_enable lets a user send 30 requests'
  with 's/^PartitionName=main .*/& ExclusiveUser=YES/' 0 "partition 'main' has ExclusiveUser=YES"
  with 's/ReqResv=YES//; s/,prep\/gleaner//' 0 'lacks ReqResv=YES' 'lacks prep/gleaner'
}

# A job takes both nodes from a training, and is gone again.
takes_both_nodes() {
  local job
  wait_until 20 "size_is $training 2"
  job=$("${@:-as_user}" timeout 20 sbatch --parsable -N2 --exclusive --time=1 --output=/dev/null --wrap true)
  wait_until 20 "[[ \$(job_end $job) = COMPLETED ]]"
}

@test "how long an Epilog takes is measured where leases end" {
  local epilog=$cluster/epilog
  printf '#!/bin/sh\nsleep 1.5\n' >"$epilog"
  chmod 755 "$epilog"
  with "s|^KillWait=.*|&\nEpilog=$epilog|" 0 "Epilog=$epilog" 'not known: no lease has ended'
  slurm scontrol reconfigure
  training=$(submit_training 1-2)
  takes_both_nodes
  takes_both_nodes
  scancel "$training"
  wait_until 20 no_jobs
  run timeout 20 gleaner doctor
  echo "$output"
  [[ $output =~ 'a leased node is free '([0-9.]+)' s after its lease has ended' ]]
  awk -v s="${BASH_REMATCH[1]}" 'BEGIN {exit !(s >= 1.2 && s < 4)}'
  [[ $output = *'SLURM_JOB_PARTITION is lease'* ]]
}

@test "jobs of a partition with ExclusiveUser=YES get leased nodes of others" {
  with 's/^PartitionName=main .*/& ExclusiveUser=YES/' 0 "partition 'main' has ExclusiveUser=YES"
  slurm scontrol reconfigure
  training=$(submit_training 1-2)
  takes_both_nodes env
  scancel "$training"
  wait_until 20 no_jobs
}

@test "a slurmctld that does not answer is an error of its own" {
  with '' 0
  sed -i 's/^SlurmctldPort=.*/SlurmctldPort=9/; s/^KillWait=.*/&\nMessageTimeout=2/' "$cluster/slurm/etc/slurm.conf"
  run timeout 60 gleaner doctor
  cp "$cluster/sound.conf" "$cluster/slurm/etc/slurm.conf"
  echo "$output"
  [[ $status = 2 && $output = *'cannot load the configuration of slurmctld'* ]]
}
