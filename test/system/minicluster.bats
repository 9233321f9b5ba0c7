#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What minicluster promises.

load helpers

# Each test has its own directory; what it starts is ended whatever happens.
setup_file() { take_turn; }
setup() {
  skip_if_impossible
  dir=$(mktemp -d /tmp/gleaner-system-XXXXXX)
  chmod 755 "$dir"
}

teardown() {
  [[ -n ${dir:-} ]] || return 0
  local one
  for one in "$dir"/*/etc/minicluster.settings; do
    [[ ! -e $one ]] || "$minicluster" stop "${one%/etc/*}"
  done
  rm -rf "$dir"
}

start_plain() { "$minicluster" start "$1" --without-gleaner "${@:2}"; }
conf() { export SLURM_CONF=$1/etc/slurm.conf; }
processes_of() { grep -lzxF "MINICLUSTER_DIR=$1" /proc/[0-9]*/environ 2>/dev/null; }

# What jobs of these tests do, told apart from those of anybody else.
nap="sleep 600.$$"
naps() { pgrep -f "$nap"; }

@test "a cluster runs jobs on the nodes and GPUs it was asked for" {
  start_plain "$dir/a" --nodes 3 --gpus 2
  eval "$("$minicluster" env "$dir/a")"
  [[ $(slurm srun -N3 hostname | wc -l) = 3 ]]
  run slurm srun -w n2 --gres=gpu:2 bash -c 'echo $SLURM_NODELIST $CUDA_VISIBLE_DEVICES'
  [[ $output = "n2 0,1" ]]
}

@test "batch jobs run in the head partition" {
  start_plain "$dir/a" --nodes 1
  conf "$dir/a"
  job=$(slurm sbatch --parsable -p head -o /dev/null --wrap true)
  wait_until 15 '[[ $(job_end $job) = COMPLETED ]]'
}

@test "two clusters live side by side, also when started together" {
  start_plain "$dir/a" --nodes 2 &
  start_plain "$dir/b" --nodes 3
  wait $!
  conf "$dir/a"; [[ $(slurm srun -N2 true && slurm sinfo -h -p main -o %D) = 2 ]]
  conf "$dir/b"; [[ $(slurm srun -N3 true && slurm sinfo -h -p main -o %D) = 3 ]]
}

@test "stop ends all processes, also of jobs that ignore SIGTERM" {
  start_plain "$dir/a" --nodes 2
  conf "$dir/a"
  slurm sbatch -N2 -o /dev/null \
    --wrap "trap '' TERM; srun bash -c 'trap : TERM; $nap'"
  wait_until 15 'naps'
  "$minicluster" stop "$dir/a"
  run processes_of "$dir/a"
  [[ -z $output ]]
  run naps
  [[ -z $output ]]
}

@test "stop also ends what is left after slurmctld was killed" {
  start_plain "$dir/a" --nodes 2
  conf "$dir/a"
  slurm sbatch -N2 -o /dev/null --wrap "srun $nap"
  wait_until 15 'naps'
  kill -KILL "$(cat "$dir/a/run/slurmctld.pid")"
  "$minicluster" stop "$dir/a"
  run processes_of "$dir/a"
  [[ -z $output ]]
  run naps
  [[ -z $output ]]
}

@test "stop also ends clients that wait for a dead slurmctld" {
  start_plain "$dir/a" --nodes 1
  conf "$dir/a"
  # As gleaner-coordinator starts it: nothing of a job in its environment.
  env -i PATH="$PATH" SLURM_CONF="$SLURM_CONF" srun --quiet $nap </dev/null &
  wait_until 15 'naps'
  kill -KILL "$(cat "$dir/a/run/slurmctld.pid")"
  "$minicluster" stop "$dir/a"
  run naps
  [[ -z $output ]]
  run pgrep -f "srun --quiet $nap"
  [[ -z $output ]]
}

@test "a stopped cluster can be started again, a running one cannot" {
  start_plain "$dir/a" --nodes 1
  run start_plain "$dir/a"
  [[ $status = 1 && $output = *"a cluster runs in '$dir/a' already"* ]]
  "$minicluster" stop "$dir/a"
  start_plain "$dir/a" --nodes 2
}

@test "a directory that holds something else is left alone" {
  mkdir "$dir/a"
  touch "$dir/a/thesis.tex"
  run start_plain "$dir/a"
  [[ $status = 1 && $output = *"holds no cluster"* ]]
  [[ $(ls "$dir/a") = thesis.tex ]]
}

@test "a failed start leaves no process" {
  run start_plain "$dir/a" --slurm "NoSuchKey=1"
  [[ $status = 1 && $output = *"slurmctld did not start"* ]]
  run processes_of "$dir/a"
  [[ -z $output ]]
}

@test "wrong use is refused with the value quoted" {
  while read -r options; do
    run start_plain "$dir/a" $options
    echo "$options -> $status $output"
    [[ $status = 1 && $output = *"'"*"'"* ]]
  done <<'END'
--nodes 0
--nodes four
--sched fifo
--set policy
--colour red
END
  [[ ! -e $dir/a/etc ]]
}

@test "daemons can be killed and restarted" {
  start_plain "$dir/a" --nodes 1
  conf "$dir/a"
  kill -KILL "$(cat "$dir/a/run/slurmctld.pid")" "$(cat "$dir/a/run/n1.pid")"
  "$minicluster" restart "$dir/a" slurmctld n1
  wait_until 30 'slurm srun -w n1 --immediate=2 true'
}

@test "with accounting a user needs an association, and limits are enforced" {
  start_with_accounting "$dir/a" start_plain "$dir/a" --nodes 2 --accounting
  conf "$dir/a"
  cluster=$dir work=$dir
  make_user
  run as_user timeout 20 srun true
  [[ $status != 0 ]]
  "$minicluster" adduser "$dir/a" "$test_user"
  wait_until 10 'as_user timeout 20 srun true'
  slurm sacctmgr -i modify user "$test_user" where account=users set MaxSubmitJobs=0
  wait_until 10 '! as_user timeout 20 srun true'
  remove_user
}
