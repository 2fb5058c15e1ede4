hexec programs/saxpy.yaml --replay 682db8db-d00aa132-ed8252d2-1+12x
