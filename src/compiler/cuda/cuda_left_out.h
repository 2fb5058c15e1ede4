/* What stands for host code that does not compile and was left out. All of it is the host's alone: a thread
 * that would reach it is an error. */
#pragma once

/* For variables. It is incomplete, so that whatever needs one is left out, too. */
struct __hexec_gone;
__attribute__((noreturn)) __hexec_gone &__hexec_left_out(void);
/* For values of known types. */
struct __hexec_value {
    template <typename __T> operator __T() const;
};
