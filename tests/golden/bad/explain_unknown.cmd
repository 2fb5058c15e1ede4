hexec explain HX0001
