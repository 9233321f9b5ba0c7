#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Nodes that differ: trainings get only those that can serve them, and rigid jobs
# take back only those that they can use.
#
# n1, n2: no GPU.  n3, n4: 2 of type a.  n5, n6: 4 of type b.

load helpers
load training

setup_file() {
  take_turn
  start_cluster --node-kind plain:2,cpus=2,memory=4000 \
    --node-kind small:2,cpus=4,memory=8000,gpu:a=2,feature=fast \
    --node-kind big:2,cpus=8,memory=32000,gpu:b=4,feature=fast,weight=2 \
    --slurm 'PartitionName=gpu Nodes=n[3-6] PriorityTier=10 PreemptMode=OFF' \
    --set arrival_hold_s=5
  make_training 400000 40 1 1
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  [[ -n ${BATS_TEST_SKIPPED:-} ]] || cancel_all
}

trains_on() { [[ $(training_nodes "$1") = "$2" ]]; }

@test "Slurm has the nodes that were asked for" {
  run slurm scontrol show node n5
  [[ $output = *CPUTot=8* && $output = *RealMemory=32000* ]]
  [[ $output = *Gres=gpu:b:4* && $output = *ActiveFeatures=big,fast* ]]
  [[ $output = *Weight=2* ]]
  run slurm srun -n1 --gres=gpu:a:2 -w n3 printenv CUDA_VISIBLE_DEVICES
  [[ $output = 0,1 ]]
}

@test "--gres=gpu:a:1 gets the nodes of that type" {
  job=$(submit_training 1-6 --gres=gpu:a:1)
  wait_until 25 "trains_on $job n3,n4"
}

@test "--gres=gpu:b:4 gets the nodes that have so many" {
  job=$(submit_training 1-6 --gres=gpu:b:4)
  wait_until 25 "trains_on $job n5,n6"
}

@test "--constraint and --mem choose among nodes too" {
  job=$(submit_training 1-6 --constraint='fast&small')
  wait_until 25 "trains_on $job n3,n4"
  cancel_all
  job=$(submit_training 1-6 --mem=16000)
  wait_until 25 "trains_on $job n5,n6"
}

@test "-p gets only nodes of that partition" {
  job=$(submit_training 1-6 -p gpu)
  wait_until 25 "trains_on $job n3,n4,n5,n6"
}

@test "trainings that need different nodes run side by side" {
  gpu=$(submit_training 1-6 --gres=gpu:b:4)
  wait_until 25 "trains_on $gpu n5,n6"
  cpu=$(submit_training 1-6)
  wait_until 25 "trains_on $cpu n1,n2,n3,n4"
  wait_for_steps "$gpu" 5
  wait_for_steps "$cpu" 5
}

@test "a training that no node can serve is refused, and told why" {
  job=$(submit_training 1-2 --gres=gpu:a:4)
  wait_until 25 "[[ \$(job_end $job) = FAILED ]]"
  run cat "$work/$job.out"
  [[ $output = *"no node of partition lease has gpu:a:4"* ]]
  [[ $output = *"nearest: n3 lacks gpu:a:4 (has gpu:a:2)"* ]]
}

@test "a rigid job takes back exactly a node that it can use" {
  job=$(submit_training 1-6 --gres=gpu:1)
  wait_until 25 "trains_on $job n3,n4,n5,n6"
  rigid=$(submitted -n1 --gres=gpu:a:1 --time=10 --wrap 'sleep 600')
  wait_until 8 "job_is $rigid RUNNING"
  node=$(nodes_of "$rigid")
  [[ $node = n3 || $node = n4 ]]
  wait_until 5 "size_is $job 3"
  [[ $(training_nodes "$job") = *n5,n6 ]]
  # Another fits beside it, and takes nothing back.
  second=$(submitted -n1 --gres=gpu:a:1 --time=10 --wrap 'sleep 600')
  wait_until 8 "job_is $second RUNNING"
  [[ $(nodes_of "$second") = "$node" ]]
  sleep 2 # for a lease that would be taken back
  size_is "$job" 3
}
