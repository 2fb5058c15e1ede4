hexec test no_such_folder
