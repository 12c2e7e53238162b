/** Heap and external memory in bytes after garbage collection. Requires `--expose-gc`. */
export const heapBytes = async () => {
  // Several passes, because finalizers free more memory after a collection.
  for (let pass = 0; pass < 3; pass += 1) {
    globalThis.gc()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
