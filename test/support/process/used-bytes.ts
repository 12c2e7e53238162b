/** The memory that this thread uses, in bytes: its heap, and the buffers outside of the heap. */
export const usedBytes = (): number => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
