hexec explain HX1203
