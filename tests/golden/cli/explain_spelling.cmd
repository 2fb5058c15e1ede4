hexec explain hx1203 1203
