# cmake -DINPUT=FILE[;FILE...] -DOUTPUT=FILE.c -DNAME=symbol -P embed.cmake: the bytes of files as one C array.
set(bytes "")
foreach(file ${INPUT})
  file(READ ${file} more HEX)
  string(APPEND bytes ${more})
endforeach()
string(LENGTH "${bytes}" digits)
math(EXPR count "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,){20})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "#include <stddef.h>\nextern const char ${NAME}[];\nextern const size_t ${NAME}_bytes;\n"
  "const char ${NAME}[] = {\n${bytes}0x00};\nconst size_t ${NAME}_bytes = ${count};\n")
