sed '/@p0 exit/d' programs/saxpy.yaml > wrong.yaml; sed 's/setp.ge.u32/setp.gt.u32/' programs/saxpy.yaml > few.yaml
hexec debug wrong.yaml --batch -e run > fault.txt; echo $?
hexec debug wrong.yaml --batch -e run -e continue > fault.txt; echo $?
hexec debug wrong.yaml --batch -e run -e 'last-write y[40]' -e 'goto 3'; echo $?
hexec debug few.yaml --check memory --batch -e run > finding.txt; echo $?
echo run | hexec debug few.yaml --check memory > finding.txt; echo $?
hexec debug programs/saxpy.yaml --check memory --batch -e run > nothing.txt; echo $?
