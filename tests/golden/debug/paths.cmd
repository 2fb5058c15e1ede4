folder='dé "q"\b'; mkdir "$folder" && cp places.cl "$folder"; hexec debug "$folder/places.cl" --block 1 --arg i32:4 --batch -e 'break 3' -e run -e list -e where -e 'info source'
folder='d\é"q'; mkdir "$folder" && cp places.cl "$folder"; hexec debug "$folder/places.cl" --block 1 --arg i32:4 --batch -e "break $PWD/$folder/places.cl:9" -e run
