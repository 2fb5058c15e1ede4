hexec profile programs/histogram.yaml --runs 1 --device t4 --by kernel | sed -n "/^on a/,\$p"
