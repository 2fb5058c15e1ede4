hexec run interrupted.yaml --quiet & pid=$!
sleep 1; kill -TERM $pid; wait $pid
