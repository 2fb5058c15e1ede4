#define return_if(condition)                                                                                 \
    if (condition)                                                                                           \
    return
