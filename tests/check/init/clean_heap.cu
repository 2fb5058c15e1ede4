/* What malloc gives is written before it is read; what nobody reads may stay unwritten. */
// run --grid 2 --block 4 --arg i32:4
struct node {
    char tag;
    node *next;
    int value;
};
__global__ void list(int *y)
{
    node *first = nullptr;
    for (int i = 0; i < 3; i++) {
        node *n = (node *)malloc(sizeof(node));
        n->tag = 1;
        n->next = first;
        n->value = i;
        node *copy = new node;
        *copy = *n;
        first = n;
        delete copy;
    }
    int sum = 0;
    while (first) {
        node *next = first->next;
        sum += first->value;
        free(first);
        first = next;
    }
    int *zeros = new int[4]();
    if (!zeros[3])
        y[threadIdx.x] = sum;
    delete[] zeros;
}
