hexec programs/saxpy.yaml --replay 682db8db-9588d025-ed8252d2-1+12x
