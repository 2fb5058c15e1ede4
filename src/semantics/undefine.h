/* Takes the meaning off the shapes' names, behind a reading of rows, so that the next reading can give them
 * another. Included as often as it is needed. */
#undef UNARY
#undef BINARY
#undef TERNARY
#undef QUATERNARY
#undef SHIFT
#undef FUNNEL
#undef FIELD
#undef COUNT
#undef COMPARE
#undef TEST
#undef SELECT
#undef CARRY
#undef WIDE
#undef WIDE_ADD
#undef PAIR
#undef HALF
#undef CONVERT
#undef ADDRESS
#undef LOAD
#undef STORE
#undef ATOMIC
#undef CAS
#undef SPECIAL
#undef FLOW
