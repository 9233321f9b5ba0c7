#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A site's job_submit.lua works beside ours, in either order (doc/admin.md).

load helpers
load training

setup_file() {
  take_turn
  start_cluster --nodes 2 --gpus 0
  make_training 400000 40 1 1
}
teardown_file() { stop_cluster; }
setup() { use_cluster; }
teardown() {
  show_logs_on_failure
  cancel_all
}

skip_without_lua() {
  [[ -n $(find /usr/lib* /usr/local/lib* -name job_submit_lua.so 2>/dev/null) ]] ||
    skip "needs Slurm's job_submit_lua.so [install slurm-wlm-basic-plugins]"
}

# site_script ORDER: what standard input says becomes the site's job_submit.lua.
site_script() {
  local etc=$cluster/slurm/etc
  {
    cat
    echo 'function slurm_job_modify(job, record, partitions, uid)'
    echo '  return slurm.SUCCESS'
    echo 'end'
    echo 'return slurm.SUCCESS'
  } >"$etc/job_submit.lua"
  sed -i "s/^JobSubmitPlugins=.*/JobSubmitPlugins=$1/" "$etc/slurm.conf"
  "$minicluster" restart "$cluster/slurm" slurmctld
  wait_until 30 'slurm scontrol ping | grep -q UP'
  wait_until 30 '[[ $(slurm sinfo -h -p main -t idle -o %D) = 2 ]]'
}

needs_account() {
  site_script "$1" <<'END'
function slurm_job_submit(job, partitions, uid)
  if job.account == nil then
    slurm.log_user("site: say who pays with -A")
    return slurm.ERROR
  end
  return slurm.SUCCESS
end
END
}

default_partition() {
  site_script "$1" <<'END'
function slurm_job_submit(job, partitions, uid)
  if job.partition == nil then
    job.partition = "main"
  end
  return slurm.SUCCESS
end
END
}

a_training_gets_nodes() { # sbatch options...
  job=$(submit_training 2-2 "$@")
  wait_until 60 "size_is $job 2"
}

what_users_may_not_do_is_refused() {
  run as_user timeout 20 sbatch -A physics -p lease --wrap true
  [[ $status != 0 && $output = *'for Gleaner'* ]]
  run as_user timeout 20 sbatch -A physics --malleable=2-1 --wrap true
  [[ $status != 0 && $output = *malleable* ]]
}

@test "a script that requires -A lets leases pass: gleaner,lua" {
  skip_without_lua
  needs_account gleaner,lua
  run as_user timeout 20 sbatch --wrap true
  [[ $status != 0 && $output = *'site: say who pays'* ]]
  what_users_may_not_do_is_refused
  a_training_gets_nodes -A physics
  [[ $(slurm squeue -h -a -p lease -o %a | sort -u) = physics ]]
}

@test "a script that requires -A lets leases pass: lua,gleaner" {
  skip_without_lua
  needs_account lua,gleaner
  run as_user timeout 20 sbatch --wrap true
  [[ $status != 0 && $output = *'site: say who pays'* ]]
  what_users_may_not_do_is_refused
  a_training_gets_nodes -A physics
  [[ $(slurm squeue -h -a -p lease -o %a | sort -u) = physics ]]
}

@test "a script that sets a default partition: gleaner,lua" {
  skip_without_lua
  default_partition gleaner,lua
  what_users_may_not_do_is_refused
  a_training_gets_nodes
  [[ $(slurm squeue -h -j "$job" -o %P) = head ]]
}

@test "a script that sets a default partition: lua,gleaner" {
  skip_without_lua
  default_partition lua,gleaner
  what_users_may_not_do_is_refused
  a_training_gets_nodes
  # It counts as if the user had written -p.
  [[ $(slurm squeue -h -j "$job" -o %P) = head ]]
  run slurm scontrol show job "$job"
  [[ $output = *'AdminComment=gleaner:trainer'*'--partition=main'* ]]
}
