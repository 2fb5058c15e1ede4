hexec profile --explain list
