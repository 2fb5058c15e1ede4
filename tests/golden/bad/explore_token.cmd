hexec programs/saxpy.yaml --replay 682db8db-07bc482b-ed8252d2-1+12x
