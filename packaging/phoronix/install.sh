#!/bin/sh
# Phoronix Test Suite installs the profile with this. HOME is the folder of the test.
command -v bakeoff
echo $? > ~/install-exit-status

# The directory is the first word; without one the folder of the test is measured. The figures of
# `--format prometheus` become a line each: `randread 1234.5` (1/s), `seqread 43000000` (bytes/s).
cat > ~/bakeoff-quick <<'END'
#!/bin/sh
directory=${1:-.}
bakeoff quick "$directory" --quiet --store "$HOME/bakeoff.db" --format prometheus \
    > "$HOME/quick.prom"
code=$?
sed -n \
    -e 's/^bakeoff_operations_per_second{.*workload="\(rand[a-z]*\)"} /\1 /p' \
    -e 's/^bakeoff_throughput_bytes_per_second{.*workload="\(seq[a-z]*\)"} /\1 /p' \
    "$HOME/quick.prom" > "$LOG_FILE"
# 1 is an answer as well: a finding forbids a verdict, and the figures are there.
[ "$code" -ne 1 ] || code=0
echo "$code" > ~/test-exit-status
END
chmod +x ~/bakeoff-quick
