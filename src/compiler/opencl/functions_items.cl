/* Which work-item it is. In dimensions that there are not sizes are 1; libclc's are 0. */
#define __hexec_item(length, name, of, beyond)                                                               \
    __hexec_define(size_t, __hexec_m_##name, "_Z" #length #name "j", (uint dimension),                       \
                   dimension == 0   ? __nvvm_read_ptx_sreg_##of##_x()                                        \
                   : dimension == 1 ? __nvvm_read_ptx_sreg_##of##_y()                                        \
                   : dimension == 2 ? __nvvm_read_ptx_sreg_##of##_z()                                        \
                                    : beyond)
__hexec_item(14, get_local_size, ntid, 1)
__hexec_item(14, get_num_groups, nctaid, 1)
__hexec_item(23, get_enqueued_local_size, ntid, 1)
__hexec_define(size_t, __hexec_m_get_global_size, "_Z15get_global_sizej", (uint dimension),
               __hexec_m_get_num_groups(dimension) * __hexec_m_get_local_size(dimension))
/* libclc's are right, and shorter in a program that is not optimized. */
#ifdef __OPTIMIZE__
__hexec_item(12, get_local_id, tid, 0)
__hexec_item(12, get_group_id, ctaid, 0)
__hexec_define(size_t, __hexec_m_get_global_id, "_Z13get_global_idj", (uint dimension),
               __hexec_m_get_group_id(dimension) * __hexec_m_get_local_size(dimension) +
                   __hexec_m_get_local_id(dimension))
#endif
#undef __hexec_item
