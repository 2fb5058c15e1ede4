printf 'this is no array' > x.npy
hexec run npy_bad_magic.yaml
