#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What users may not do, and what they are told.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 2 --gpus 1
  make_training 400000 40 1 1
  [[ -n $(why_not) ]] || useradd --system --no-create-home gleaner-other 2>/dev/null || :
}
teardown_file() {
  stop_cluster
  userdel gleaner-other 2>/dev/null || :
}
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  cancel_all
}

refused() { # WORDS COMMAND...: as the user, and with these words
  local words=$1; shift
  run as_user timeout 20 "$@"
  echo "$* -> $status: $output"
  [[ $status != 0 && $output = *"$words"* ]]
}

lease_request=(--partition=lease --reservation=gleaner --nodes=1 --ntasks=1
  --exclusive --mem=0 --time=1 --immediate=1)

@test "a wrong --malleable is refused with the value and a way out" {
  for range in 0-2 3-2 two 1-2-3 -1-2 1- 1-10001 ''; do
    refused malleable sbatch --malleable="$range" --wrap true
    [[ $output = *"'$range'"* ]]
  done
}

@test "a wrong --malleable-weight or -deadline is refused likewise" {
  for weight in 0 0.09 11 -1 two nan ''; do
    refused malleable-weight sbatch --malleable=1-2 --malleable-weight="$weight" --wrap true
    [[ $output = *"'$weight'"*'from 0.1 to 10'* ]]
  done
  for deadline in soon 25:00 2026-02-30 now-1hour ''; do
    refused malleable-deadline sbatch --malleable=1-2 --malleable-deadline="$deadline" --wrap true
    [[ $output = *"'$deadline' is no time"* ]]
  done
  refused malleable-deadline sbatch --malleable=1-2 --malleable-deadline=2020-01-01 --wrap true
  [[ $output = *'is past'* ]]
}

@test "what makes no sense for a malleable job is refused, naming the option" {
  refused gpus sbatch --malleable=1-2 --gpus=4 --wrap true
  refused nodelist sbatch --malleable=1-2 --nodelist=n1 --wrap true
  refused nodes sbatch --malleable=1-2 -N5 --wrap true
  refused malleable srun --malleable=1-2 true
  refused malleable-weight srun --malleable-weight=2 true
  refused malleable-weight sbatch --malleable-weight=2 --wrap true
  refused malleable-deadline sbatch --malleable-deadline=now+1hour --wrap true
  for option in --ntasks=8 --gpu-bind=closest \
    --ntasks-per-socket=1 --distribution=cyclic --contiguous --switches=1 \
    --oversubscribe --overcommit --core-spec=1 --exclusive=user; do
    refused "${option%%=*}" sbatch --malleable=1-2 "$option" --wrap true
    [[ $output = *'gleaner: --malleable with'* ]]
  done
  # Some releases of sbatch refuse these themselves, in words of their own.
  refused gpus-per-task sbatch --malleable=1-2 --gpus-per-task=1 --wrap true
  refused cpus sbatch --malleable=1-2 --cpus-per-gpu=2 --wrap true
}

@test "what sbatch was asked of nodes is kept for each lease" {
  while IFS='|' read -r asked kept; do
    # shellcheck disable=SC2086
    job=$(submitted --hold --malleable=1-2 $asked --wrap true)
    run slurm scontrol show job "$job"
    echo "$asked -> $(grep AdminComment <<<"$output")"
    [[ $(sed -n 's/ *$//; s/.*AdminComment=//p' <<<"$output") = \
      "gleaner:trainer nodes=1-2 lease=$kept" ]]
  done <<'END'
|
-p main|--partition=main
-p head|
-c 2|--cpus-per-task=2
--ntasks-per-node=2 -c 2|--cpus-per-task=4
-N2 --ntasks-per-node=2|--cpus-per-task=2
--mincpus=3|--cpus-per-task=3
--gpus-per-node=1 --cpus-per-gpu=3|--gres=gpu:1 --cpus-per-task=3
--gres=gpu:1 --mem-per-gpu=2G|--gres=gpu:1 --mem=2048M
-c 2 --mem-per-cpu=512|--mem=1024M --cpus-per-task=2
--mem=3G --exclude=n1 --constraint=x&y|--constraint=x&y --exclude=n1 --mem=3072M
--exclusive --time=5 --nice|
END
}

@test "root is told at once that it gets no leases" {
  run timeout 20 sbatch --malleable=1-2 --output=/dev/null --wrap true
  [[ $status != 0 && $output = *'root gets no leases'* ]]
}

@test "sbatch --help shows --malleable" {
  run sbatch --help
  [[ $output = *--malleable=* && $output = *--malleable-weight=* && $output = *--malleable-deadline=* ]]
}

@test "a malleable job waits in the head partition with one CPU" {
  job=$(submitted --malleable=1-2 -p main --gres=gpu:1 --ntasks-per-node=2 --mem=8000 --wrap 'sleep 60')
  wait_until 10 "job_is $job RUNNING"
  run slurm scontrol show job "$job"
  [[ $output = *Partition=head* && $output = *NumCPUs=1* && $output = *NumNodes=1* ]]
}

@test "the lease partition cannot be used, alone or in a list" {
  for partition in lease main,lease lease,main; do
    refused lease sbatch --partition=$partition --wrap true
    refused lease sbatch --partition=$partition --reservation=gleaner --wrap true
  done
  refused lease srun --partition=lease true
  refused lease salloc --partition=lease true
  refused lease srun "${lease_request[@]}" -w n1 true
  [[ $(lease_count) = 0 ]]
}

@test "the reservation and the licence cannot be used, alone or in a list" {
  refused gleaner sbatch --reservation=gleaner --wrap true
  refused gleaner sbatch --reservation=gleaner,other --wrap true
  refused gleaner sbatch --reservation=other,gleaner --wrap true
  refused gleaner srun --reservation=gleaner true
  refused gleaner salloc --reservation=gleaner true
  refused gleaner sbatch --licenses=gleaner:1 --wrap true
  refused gleaner sbatch --licenses=other,gleaner --wrap true
}

@test "a job cannot be moved there by an update" {
  job=$(submitted --hold --wrap true)
  for change in Partition=lease Partition=main,lease Reservation=gleaner \
    Reservation=gleaner,other Licenses=gleaner:1; do
    refused 'permission denied' scontrol update JobId="$job" "$change"
    run slurm scontrol show job "$job"
    [[ ! $output =~ Partition=[^[:space:]]*lease ]]
    [[ ! $output =~ (Reservation|Licenses)=[^[:space:]]*gleaner ]]
  done
}

@test "a user cannot pass for a training or a lease" {
  # sbatch has no option for what gleanerd goes by, and users may not update it.
  refused "unrecognized option '--admin-comment" \
    sbatch --admin-comment='gleaner:trainer nodes=1-2 lease=' --wrap true
  job=$(submitted --hold --wrap true)
  refused 'permission denied' scontrol update JobId="$job" \
    AdminComment='gleaner:trainer nodes=1-2 lease='
  run slurm scontrol show job "$job"
  [[ $output != *AdminComment=gleaner* ]]
}

# --- tickets ----------------------------------------------------------------

# sign UID NODE SECONDS_FROM NOW_TO: a ticket as gleanerd would write it.
sign() { # uid node issued expires [nonce]
  local text=gleaner1:$1:$2:$trainer:1:$3:$4:${5:-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')}
  echo "$text:$(perl -MDigest::SHA=hmac_sha256_hex -e \
    'open my $f, "<", $ARGV[0]; local $/; my $k = <$f>; $k =~ s/\n$//; print hmac_sha256_hex($ARGV[1], $k)' \
    "$cluster/slurm/state/gleaner/ticket.key" "$text")"
}
lease_with() { # ticket node [command]
  as_user timeout 20 srun "${lease_request[@]}" --comment="$1" -w "$2" --quiet "${@:3}"
}
start_trainer() {
  trainer=$(submitted --malleable=1-2 --wrap 'sleep 600')
  wait_until 10 "job_is $trainer RUNNING"
  uid=$(id -u "$test_user")
  now=$(date +%s)
}

@test "a ticket admits one lease, on its node, for its user" {
  start_trainer
  ticket=$(sign "$uid" n1 "$now" $((now + 30)))
  run lease_with "$ticket" n1 bash -c 'echo on $SLURM_NODELIST'
  [[ $status = 0 && $output = "on n1" ]]
}

@test "a ticket cannot be used twice" {
  start_trainer
  ticket=$(sign "$uid" n1 "$now" $((now + 30)))
  lease_with "$ticket" n1 true
  refused ticket srun "${lease_request[@]}" --comment="$ticket" -w n1 true
}

@test "a ticket cannot be used late, on another node, by another user, or changed" {
  start_trainer
  refused ticket srun "${lease_request[@]}" --comment="$(sign "$uid" n1 $((now - 60)) $((now - 30)))" -w n1 true
  refused ticket srun "${lease_request[@]}" --comment="$(sign "$uid" n1 "$now" $((now + 30)))" -w n2 true
  refused ticket srun "${lease_request[@]}" --comment="$(sign 0 n1 "$now" $((now + 30)))" -w n1 true
  ticket=$(sign "$uid" n1 "$now" $((now + 30)))
  refused ticket srun "${lease_request[@]}" --comment="${ticket/:n1:/:n2:}" -w n2 true
  test_user=gleaner-other
  refused ticket srun "${lease_request[@]}" --comment="$ticket" -w n1 true
}

@test "a ticket admits nothing but a lease: one node, interactive, no list" {
  start_trainer
  refused 'a lease is one srun' sbatch --partition=lease --reservation=gleaner -w n1 \
    --comment="$(sign "$uid" n1 "$now" $((now + 30)))" --wrap true
  refused 'does not cover' srun --partition=lease --reservation=gleaner --immediate=1 -N2 -w n1,n2 \
    --comment="$(sign "$uid" n1 "$now" $((now + 30)))" true
  refused 'and no other' srun --partition=main,lease --reservation=gleaner --immediate=1 -N1 -w n1 \
    --comment="$(sign "$uid" n1 "$now" $((now + 30)))" true
  [[ $(lease_count) = 0 ]]
}

@test "the ticket key and gleanerd's directories are closed to users" {
  refused 'Permission denied' cat "$cluster/slurm/state/gleaner/ticket.key"
  refused 'Permission denied' ls "$cluster/slurm/state/gleaner"
  refused 'Permission denied' "$top/test/system/speak" unix "$cluster/slurm/run/gleaner/gleanerd.sock" '{}'
}
