## System tests: bats on the minicluster.
