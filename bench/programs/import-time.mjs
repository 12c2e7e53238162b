// How long an import takes in a fresh process: the only one that it makes.
import { answers } from '../process/answers.mjs'

answers({
  import: async ({ module }) => {
    const began = performance.now()
    await import(new URL(`../node_modules/.build/${module}`, import.meta.url))
    return performance.now() - began
  },
})
