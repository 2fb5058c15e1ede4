hexec programs/saxpy.yaml --replay 682db8db-577e6712-ed8252d2-1+12x
