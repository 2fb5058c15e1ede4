hexec --version
