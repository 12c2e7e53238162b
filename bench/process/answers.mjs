// The child's end of the benchmark's questions: each is a message with a name, and gets exactly one answer.
// Plain JavaScript, because what is measured must run as it stands here.

/** Answers the parent's questions by the handlers' names, and ends when the parent does. */
export const answers = (handlers) => {
  process.on('message', async ({ id, question, data }) => {
    try {
      process.send({ id, value: (await handlers[question](data)) ?? null })
    } catch (error) {
      process.send({ id, error: String(error?.stack ?? error) })
    }
  })
  process.on('disconnect', () => process.exit())
}
