hexec programs/saxpy.yaml --replay 682db8db-b25b72bf-ed8252d2-1+12x
