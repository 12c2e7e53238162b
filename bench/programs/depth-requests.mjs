// Requests depths concurrently, and measures the CPU time of the process.
import { handleRequests } from '../process/handle-requests.mjs'
import { depthClients } from './depth-clients.mjs'

const concurrency = 16

let fetchPrice

const request = async (count) => {
  let cents = 0
  let remaining = count
  const worker = async (_, index) => {
    const mint = `0x${index.toString(16).padStart(40, '0')}`
    while (remaining > 0) {
      remaining -= 1
      const price = await fetchPrice(mint)
      cents += Math.round(price * 100)
    }
  }
  const cpu = process.cpuUsage()
  await Promise.all(Array.from({ length: concurrency }, worker))
  const { user, system } = process.cpuUsage(cpu)
  return { cents, cpuMicroseconds: user + system }
}

handleRequests({
  open: ({ client, origin }) => {
    fetchPrice = depthClients[client](origin)
  },
  request: ({ count }) => request(count),
})
