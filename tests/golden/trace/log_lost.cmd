# A full disk, a limit on files, and a standard error that takes nothing: the run goes on, and its exit code is 5.
export HEXEC_LOG=debug
lost() { sed 's/lacks [0-9]* lines/lacks <n> lines/' >&2; }
hexec run programs/saxpy.yaml --quiet --print y:0:2 --log-file /dev/full 2> errors
echo "exit code $?"
lost < errors
(ulimit -f 1; hexec run programs/saxpy.yaml --repeat 100 --quiet --print y:0:2 --log-file log) > out 2> errors
echo "exit code $?"
lost < errors
hexec run programs/saxpy.yaml --quiet --print y:0:2 2> /dev/full
echo "exit code $?"
mkfifo nobody
hexec run programs/saxpy.yaml --quiet --log-file nobody --timeout 0.1
echo "exit code $?"
