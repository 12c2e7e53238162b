import { createServer, type AddressInfo, type Socket } from 'node:net'
import { answers } from '../process/answers.mjs'
import { centsOf, createDepthBodies } from './depth-bodies.js'

// The service's depth endpoint, in a process of its own, as cheap as can be: it reads no more of a request than its
// path, and its answers are made before. It notes when it heard of each mint.

const bodies = createDepthBodies(1000).map((body) => ({
  cents: centsOf(body),
  response: Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ),
}))

let answered = 0
let cents = 0
let arrivals = new Map<string, number[]>()

const answer = (socket: Socket, head: string): void => {
  const mint = /^GET \S*\/(0x[0-9a-f]+) /i.exec(head)?.[1]
  const body = bodies[answered % bodies.length]
  if (mint === undefined || body === undefined) throw new Error(`not a depth request: ${head}`)
  answered += 1
  cents += body.cents
  const times = arrivals.get(mint)
  if (times === undefined) arrivals.set(mint, [performance.now()])
  else times.push(performance.now())
  socket.write(body.response)
}

const server = createServer((socket) => {
  let unread = ''
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (bytes) => {
    const heads = (unread + bytes.toString('latin1')).split('\r\n\r\n')
    unread = heads.pop() ?? ''
    for (const head of heads) answer(socket, head)
  })
})

answers({
  listen: () =>
    new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', 2048, () => resolve((server.address() as AddressInfo).port))
    }),
  reset: () => {
    answered = 0
    cents = 0
    arrivals = new Map()
  },
  answered: () => ({ answered, cents }),
  arrivals: () => [...arrivals.values()],
})
