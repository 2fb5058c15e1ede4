hexec programs/saxpy.yaml --replay 682db8db-90133877-ed8252d2-1+12x
