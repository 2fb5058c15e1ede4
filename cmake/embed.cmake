# cmake -DINPUT=FILE[;FILE...] -DOUTPUT=FILE.c -DNAME=symbol -P embed.cmake: the bytes of files, one behind the other and a
# zero behind the last, as a symbol. The assembler reads the files: a compiler takes 40 seconds for the device library as an array.
set(files "")
set(count 0)
foreach(file ${INPUT})
  file(SIZE ${file} bytes)
  math(EXPR count "${count} + ${bytes}")
  string(REGEX REPLACE "([\"\\\\])" "\\\\\\\\\\\\\\1" path "${file}") # within a string of C in which there is one of the assembler's
  string(APPEND files "    \"    .incbin \\\"${path}\\\"\\n\"\n")
endforeach()
file(WRITE ${OUTPUT} "#include <stddef.h>\nextern const size_t ${NAME}_bytes;\nconst size_t ${NAME}_bytes = ${count};\n"
  "__asm__(\"    .pushsection .rodata\\n\"\n    \"    .balign 16\\n\"\n    \"    .globl ${NAME}\\n\"\n    \"    .hidden ${NAME}\\n\"\n"
  "    \"    .type ${NAME}, %object\\n\"\n    \"${NAME}:\\n\"\n${files}    \"    .byte 0\\n\"\n    \"    .size ${NAME}, . - ${NAME}\\n\"\n    \"    .popsection\\n\");\n")
