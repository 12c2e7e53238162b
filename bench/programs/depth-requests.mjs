// Requests depths, so many at a time, and takes the process's CPU time over them.
import { answers } from '../process/answers.mjs'
import { depthClients } from './depth-clients.mjs'

const atOnce = 16

let depthOf

const request = async (count) => {
  let cents = 0
  let left = count
  const worker = async (_, index) => {
    const mint = `0x${index.toString(16).padStart(40, '0')}`
    while (left > 0) {
      left -= 1
      const price = await depthOf(mint)
      cents += Math.round(price * 100)
    }
  }
  const cpu = process.cpuUsage()
  await Promise.all(Array.from({ length: atOnce }, worker))
  const { user, system } = process.cpuUsage(cpu)
  return { cents, cpuMicroseconds: user + system }
}

answers({
  open: ({ client, origin }) => {
    depthOf = depthClients[client](origin)
  },
  request: ({ count }) => request(count),
})
