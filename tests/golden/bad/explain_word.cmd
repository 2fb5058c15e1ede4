hexec explain barrier
