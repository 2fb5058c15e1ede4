hexec debug programs/scan_block.yaml --batch -x session.txt
