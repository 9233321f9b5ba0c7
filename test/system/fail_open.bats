#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Without gleanerd, or with a broken one, Slurm behaves as if we were not there.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 2 --gpus 1 --without-gleanerd
  make_training 4000 40 1 1
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  cancel_all
}

gleaner_dir() { echo "$cluster/slurm/run/gleaner"; }

slurm_works() {
  as_user timeout 10 srun --immediate=5 -N2 --exclusive true
  job=$(submitted -N2 --wrap true)
  wait_until 15 "[[ \$(job_end $job) = COMPLETED ]]"
  first=$(submitted -N2 --exclusive --time=1 --wrap 'sleep 1')
  next=$(submitted -N2 --exclusive --time=1 --wrap true)
  wait_until 20 "[[ \$(job_end $next) = COMPLETED ]]"
}

@test "no daemon has ever run" {
  slurm_works
}

@test "a training waits for a daemon, and starts when there is one" {
  job=$(submit_training 1-2)
  wait_until 10 "job_is $job RUNNING"
  [[ $(lease_count) = 0 ]]
  rm -rf "$(gleaner_dir)"/*
  "$minicluster" restart "$cluster/slurm" gleanerd
  finished_exactly "$job"
  kill -KILL "$(pid_of gleanerd)"
}

@test "the daemon stopped in the middle, its sockets still there" {
  "$minicluster" restart "$cluster/slurm" gleanerd
  kill -STOP "$(pid_of gleanerd)"
  slurm_works
  kill -KILL "$(pid_of gleanerd)"
}

@test "something else listens in its place" {
  rm -f "$(gleaner_dir)"/*.sock
  perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Type => SOCK_STREAM, Local => $ARGV[0], Listen => 5) or die;
    while (my $c = $s->accept) { syswrite $c, "\xff" x 100; close $c }' \
    "$(gleaner_dir)/gleanerd.sock" 3>&- &
  other=$!
  slurm_works
  kill "$other"
}

@test "the socket directory is gone" {
  rm -rf "$(gleaner_dir)"
  slurm_works
}
