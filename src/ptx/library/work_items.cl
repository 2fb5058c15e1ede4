/* Work-items of launches that have no offset; address spaces. */

size_t OVER get_global_offset(uint dimension)
{
    return 0;
}
/* The last dimension with more than one work-item */
uint OVER get_work_dim(void)
{
    if (special_ntid_z() > 1 || special_nctaid_z() > 1)
        return 3;
    return special_ntid_y() > 1 || special_nctaid_y() > 1 ? 2 : 1;
}
size_t OVER get_enqueued_local_size(uint dimension)
{
    return dimension == 0 ? special_ntid_x() : dimension == 1 ? special_ntid_y() : dimension == 2 ? special_ntid_z() : 1;
}
size_t OVER get_local_linear_id(void)
{
    return group_rank();
}
size_t OVER get_global_linear_id(void)
{
    const size_t x = (size_t)special_ctaid_x() * special_ntid_x() + special_tid_x();
    const size_t y = (size_t)special_ctaid_y() * special_ntid_y() + special_tid_y();
    const size_t z = (size_t)special_ctaid_z() * special_ntid_z() + special_tid_z();
    return (z * special_ntid_y() * special_nctaid_y() + y) * special_ntid_x() * special_nctaid_x() + x;
}
cl_mem_fence_flags OVER get_fence(void *at)
{
    return __nvvm_isspacep_shared(at) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
cl_mem_fence_flags OVER get_fence(const void *at)
{
    return __nvvm_isspacep_shared(at) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
/* What clang makes of to_global, to_local and to_private */
global void *__to_global(void *at)
{
    return __nvvm_isspacep_global(at) ? (global void *)at : 0;
}
local void *__to_local(void *at)
{
    return __nvvm_isspacep_shared(at) ? (local void *)at : 0;
}
private void *__to_private(void *at)
{
    return __nvvm_isspacep_local(at) ? (private void *)at : 0;
}
