// Measures one import in a new process.
import { handleRequests } from '../process/handle-requests.mjs'

handleRequests({
  import: async ({ module }) => {
    const start = performance.now()
    await import(new URL(`../node_modules/.build/${module}`, import.meta.url))
    return performance.now() - start
  },
})
