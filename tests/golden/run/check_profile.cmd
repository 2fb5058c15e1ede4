sed 's/setp.ge.u32/setp.gt.u32/' programs/saxpy.yaml > wrong.yaml
hexec profile wrong.yaml --check memory --quiet --report page.html; grep -c 'id="findings-document"' page.html
hexec run programs/saxpy.yaml --check memory --profile --quiet --report page.html > /dev/null; grep -o '"findings":\[\]' page.html
