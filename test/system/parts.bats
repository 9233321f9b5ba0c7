#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Leases of parts of nodes: lent beside regular jobs, and given back part by part.
#
# n1, n2: 4 GPUs of type a, 8 CPUs.  n3: no GPU, lent whole.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --node-kind gpu:2,cpus=8,memory=32000,gpu:a=4 \
    --node-kind plain:1,cpus=2,memory=4000 \
    --slurm 'SchedulerParameters=bf_interval=2,bf_continue,bf_window=1440,bf_resolution=1,preempt_reorder_count=8' \
    --slurm SelectTypeParameters=CR_Core_Memory --slurm DefMemPerCPU=1000 \
    --set lease=parts --set arrival_hold_s=5
  make_training 400000 40 1 1
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  [[ -n ${BATS_TEST_SKIPPED:-} ]] || cancel_all
}

# gpu_job COUNT [sbatch option...]: a regular job that stays until cancelled.
gpu_job() {
  submitted -n1 -c2 --gres="gpu:a:$1" --time=10 "${@:2}" --wrap 'sleep 600'
}
trains_on() { [[ $(training_nodes "$1") = "$2" ]]; }
# Running leases of a node, by job id: "JOB ..."
leases_of_node() { leases | awk -v node="$1" '$2 == node {print $1}' | sort -n | paste -sd' '; }

@test "what a job leaves of a node is lent, one GPU with its share a lease" {
  rigid=$(gpu_job 1 -w n1)
  wait_until 8 "job_is $rigid RUNNING"
  job=$(submit_training 1-3 --gres=gpu:1 --exclude=n2)
  wait_until 25 "size_is $job 3"
  trains_on "$job" "n1+0,n1+1,n1+2"
  for lease in $(leases_of_node n1); do
    run slurm scontrol show job "$lease"
    [[ $output = *"NumCPUs=2"* && $output = *"gres:gpu:a:1"* || $output = *"gres/gpu:a:1"* ]]
    [[ $output = *"MinMemoryNode=8000M"* && $output = *"part="* ]]
  done
  job_is "$rigid" RUNNING
  wait_for_steps "$job" 5
}

@test "each member has the GPU of its own lease" {
  job=$(submit_training 4-4 --gres=gpu:1 --exclude=n2)
  wait_until 25 "size_is $job 4"
  seen=$(sed -n 's/^CUDA_VISIBLE_DEVICES=//p' "$work/run-$job"/member-* | sort -u | paste -sd' ')
  [[ $seen = "0 1 2 3" ]]
  jobs=$(sed -n 's/^SLURM_JOB_ID=//p' "$work/run-$job"/member-* | sort -n | paste -sd' ')
  [[ $jobs = "$(leases_of_node n1)" ]]
}

@test "jobs of 1, 2 and 4 GPUs come and go beside a training" {
  job=$(submit_training 1-8 --gres=gpu:1)
  wait_until 30 "size_is $job 8"
  one=$(gpu_job 1 -w n1)
  wait_until 8 "job_is $one RUNNING"
  wait_until 5 "size_is $job 7"
  two=$(gpu_job 2 -w n1)
  wait_until 8 "job_is $two RUNNING"
  wait_until 5 "size_is $job 5"
  four=$(gpu_job 4 -w n2)
  wait_until 8 "job_is $four RUNNING"
  wait_until 5 "size_is $job 1"
  wait_for_steps "$job" 5
  [[ -z $(events_of "$job" rollback) ]]
  scancel "$two"
  wait_until 20 "size_is $job 3"
  scancel "$one" "$four"
  wait_until 25 "size_is $job 8"
}

@test "a job that needs one part gets exactly that, and no other lease ends" {
  job=$(submit_training 1-8 --gres=gpu:1)
  wait_until 30 "size_is $job 8"
  before=$(leases | awk '{print $1}' | sort)
  rigid=$(gpu_job 1)
  wait_until 8 "job_is $rigid RUNNING"
  wait_until 5 "size_is $job 7"
  after=$(leases | awk '{print $1}' | sort)
  [[ $(comm -23 <(echo "$before") <(echo "$after") | wc -l) = 1 ]]
  # A second one fits on no free GPU either: one more, and no other.
  second=$(gpu_job 1)
  wait_until 8 "job_is $second RUNNING"
  wait_until 5 "size_is $job 6"
}

@test "a job that fits beside the leases takes nothing back" {
  job=$(submit_training 1-3 --gres=gpu:1 --exclude=n2)
  wait_until 25 "size_is $job 3"
  before=$(leases_of_node n1)
  rigid=$(gpu_job 1 -w n1)
  wait_until 8 "job_is $rigid RUNNING"
  wait_for_steps "$job" 20
  [[ $(leases_of_node n1) = "$before" ]]
  [[ -z $(slurm gleaner status | grep returning) ]]
}

@test "a job that wants its node whole gets all parts of it" {
  job=$(submit_training 1-8 --gres=gpu:1)
  wait_until 30 "size_is $job 8"
  rigid=$(rigid 1 -w n1)
  wait_until 8 "job_is $rigid RUNNING"
  wait_until 5 "size_is $job 4"
  trains_on "$job" "n2+0,n2+1,n2+2,n2+3"
}

@test "with the notice that sbatch has nothing is lost for jobs that take parts" {
  # Seconds enough for a slow machine; on a quick one nobody waits for them.
  sed -i '/^arrival_notice_s:/d' "$GLEANER_CONF"
  echo 'arrival_notice_s: 4' >>"$GLEANER_CONF"
  kill -HUP "$(pid_of gleanerd)"
  job=$(submit_training 1-8 --gres=gpu:1)
  wait_until 30 "size_is $job 8"
  for gpus in 1 2 4 3 1 4; do
    rigid=$(gpu_job "$gpus")
    wait_until 15 "job_is $rigid RUNNING"
    echo "--gres=gpu:a:$gpus started $waited_s s after sbatch had ended"
    slurm scancel "$rigid"
    wait_until 40 "size_is $job 8"
  done
  [[ -z $(events_of "$job" member_lost) ]]
}

@test "srun starts over the part it needs as if it was not there" {
  job=$(submit_training 1-8 --gres=gpu:1)
  wait_until 30 "size_is $job 8"
  as_user timeout 10 srun --immediate=5 -n1 -c2 --gres=gpu:a:1 true
  wait_for_steps "$job" 5
  wait_until 25 "size_is $job 8"
}

@test "a training that asks for more gets larger parts" {
  job=$(submit_training 1-4 --gres=gpu:2 --exclude=n2)
  wait_until 25 "size_is $job 2"
  trains_on "$job" "n1+0,n1+1"
  [[ $(slurm scontrol show job "$(lease_on n1 | head -n 1)") = *"NumCPUs=4"* ]]
}

@test "nodes without GPUs are lent whole" {
  job=$(submit_training 1-1 --exclude='n[1-2]')
  wait_until 25 "trains_on $job n3"
}

@test "a restarted gleanerd adopts the parts, and gives them back" {
  job=$(submit_training 1-8 --gres=gpu:1)
  wait_until 30 "size_is $job 8"
  before=$(leases | sort)
  "$minicluster" restart "$cluster/slurm" gleanerd
  wait_until 15 "slurm gleaner status | grep -q running"
  wait_for_steps "$job" 20
  [[ $(leases | sort) = "$before" ]]
  rigid=$(gpu_job 2)
  wait_until 8 "job_is $rigid RUNNING"
  wait_until 5 "size_is $job 6"
  [[ -z $(events_of "$job" rollback) ]]
}

@test "the end of a training ends its agents and leases" {
  job=$(submit_training 1-8 --gres=gpu:1)
  wait_until 30 "size_is $job 8"
  scancel "$job"
  wait_until 10 no_leases
  wait_until 5 '! pids -u "$test_user" -f gleaner-agent'
}

# ticket_for_part GRES CPUS MB: of n1, as gleanerd would write it.
ticket_for_part() {
  local now text
  now=$(date +%s)
  text=gleaner2:$(id -u "$test_user"):n1+0:$trainer:1:$now:$((now + 30))
  text+=:$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n'):${1//:/=}:$2:$3
  echo "$text:$(perl -MDigest::SHA=hmac_sha256_hex -e \
    'open my $f, "<", $ARGV[0]; local $/; my $k = <$f>; $k =~ s/\n$//; print hmac_sha256_hex($ARGV[1], $k)' \
    "$cluster/slurm/state/gleaner/ticket.key" "$text")"
}
part_lease() { # TICKET [srun option...]
  as_user timeout 20 srun --partition=lease --reservation=gleaner --nodes=1 \
    --ntasks=1 --time=1 --immediate=1 --quiet -w n1 --comment="$1" "${@:2}" \
    printenv SLURM_CPUS_ON_NODE
}

@test "a ticket for a part buys nothing else" {
  trainer=$(submitted --malleable=1-2 --wrap 'sleep 600')
  wait_until 10 "job_is $trainer RUNNING"
  run part_lease "$(ticket_for_part gpu:a:1 2 8000)" --gres=gpu:a:1 -c2 --mem=8000
  [[ $status = 0 && $output = 2 ]]
  for options in '--gres=gpu:a:2 -c2 --mem=8000' '--gres=gpu:a:1 -c4 --mem=8000' \
    '--gres=gpu:a:1 -c2 --mem=9000' '--exclusive --mem=0' \
    '--gres=gpu:a:1 -c2 --mem=8000 --mincpus=4'; do
    # shellcheck disable=SC2086
    run part_lease "$(ticket_for_part gpu:a:1 2 8000)" $options
    echo "$options -> $status: $output"
    [[ $status != 0 && $output = *'the lease ticket is for'* ]]
  done
}

@test "through all of it every sample is trained on exactly once" {
  make_training 40000 40 2 1
  job=$(submit_training 1-8 --gres=gpu:1)
  wait_until 30 "size_is $job 8"
  one=$(gpu_job 1)
  two=$(gpu_job 2)
  wait_until 8 "job_is $one RUNNING && job_is $two RUNNING"
  wait_until 5 "size_is $job 5"
  scancel "$one" "$two"
  finished_exactly "$job"
  no_leases
}
