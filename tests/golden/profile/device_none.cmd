hexec profile programs/copy_one.yaml --runs 1 --device none --by kernel | grep -e model -e "^on a"
