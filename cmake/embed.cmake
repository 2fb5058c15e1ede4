# cmake -DINPUT=FILE -DOUTPUT=FILE.c -DNAME=symbol -P embed.cmake: the bytes of a file as a C array.
file(READ ${INPUT} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR count "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,){20})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "#include <stddef.h>\nextern const char ${NAME}[];\nextern const size_t ${NAME}_bytes;\n"
  "const char ${NAME}[] = {\n${bytes}0x00};\nconst size_t ${NAME}_bytes = ${count};\n")
