// The child side of the benchmark's IPC. Plain JavaScript, because the measured programs run without a transpiler.

/** Answers each request of the parent with the result of the handler of that name. Exits when the parent disconnects. */
export const handleRequests = (handlers) => {
  process.on('message', async ({ id, method, params }) => {
    try {
      process.send({ id, value: (await handlers[method](params)) ?? null })
    } catch (error) {
      process.send({ id, error: String(error?.stack ?? error) })
    }
  })
  process.on('disconnect', () => process.exit())
}
