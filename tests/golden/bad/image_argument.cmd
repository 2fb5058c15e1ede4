for image in f3:8 f32x3:8 f32:8x0 f32:8x2x3x4 f32:8,linea f32:8,layers f32:8:nothing; do
    hexec image_argument.ptx --arg "image:$image"
done
