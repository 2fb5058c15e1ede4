for place in add 'add<double>' 'ns::Vec<float, 3>::dot' 'Vec::dot' 'add<int>(int, int) if a == 1' 'k(int*, void*)' 'add<float>'; do hexec debug expressions.cu --block 4 --arg i32:4 --arg u8:4 --batch -e "break $place" -e 'info b' -e run -e where 2>&1; done
hexec debug expressions.cu --block 4 --arg i32:4 --arg u8:4 --batch -e 'break 9 if e[1] > 1' -e run -e 'print e' -e 'print e[2] * s' -e finish
