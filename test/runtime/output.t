#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What members print: who printed it, and where it goes.
. "${top_srcdir:-.}/test/runtime/training.sh"
plan 11

# A program that says its number on both outputs, and then trains.
trainer=$dir/says
cat >"$trainer" <<END
#!/bin/sh
echo "member \$GLEANER_MEMBER prints"
echo "member \$GLEANER_MEMBER complains" >&2
env | grep '^GLEANER_\(OUTPUT\|ERROR\|LABEL\)='
exec $build/test/runtime/trainer "\$@"
END
chmod +x "$trainer"
begin() { rm -f "$dir"/events.jsonl "$dir"/out "$dir"/err; start_training "$@"; }
labelled() { grep -cE '^[12]: ' "$dir/out"; }
prints() { grep -cE '^([12]): member \1 prints$' "$dir/out"; }
complains() { grep -cE '^([12]): member \1 complains$' "$dir/err"; }
said() { grep -c "member $2 $3" "$dir/files/$1"; }
told() { cat "$dir"/files/* "$dir/out" | grep -c '^GLEANER_'; }
unwritten() { grep -c 'cannot write .*files/l1/' "$dir/err"; }

begin --local=2 --label -- --samples 400
end_training
ok 'with --label a training ends as usual' "echo $status == 0"
ok 'each line that a member prints has its number' \
  "labelled == $(wc -l <"$dir/out")"
ok 'which is that of the member that printed it' 'prints == 2'
ok 'errors too, where they belong' 'complains == 2'

mkdir "$dir/files"
begin --local=2 "--output=$dir/files/%j-%N-%t.txt" -- --samples 400
end_training
ok 'with --output a training ends as usual' "echo $status == 0"
first=$(ls "$dir/files" | head -n 1)
ok 'each member has a file, named after it and its node' \
  "said $first $(echo "$first" | sed 's/^local-l[12]-\([12]\).txt$/\1/') prints == 1"
ok 'with its errors' \
  "said $first $(echo "$first" | sed 's/^local-l[12]-\([12]\).txt$/\1/') complains == 1"
ok 'and the program knows nothing of it' 'told == 0'

begin --local=1 "--output=$dir/files/all" "--error=$dir/files/wrong" -- --samples 40
end_training
ok 'errors can have a file of their own' 'said wrong 1 complains == 1'

begin --local=1 "--output=$dir/files/%N/%t" -- --samples 40
end_training
ok 'a file that cannot be written ends it' "echo $status == 127"
ok 'and is named' 'unwritten >= 1'
