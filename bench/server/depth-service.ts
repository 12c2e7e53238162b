import { createServer, type AddressInfo, type Socket } from 'node:net'
import { handleRequests } from '../process/handle-requests.mjs'
import { centsOf, createDepthBodies } from './depth-bodies.js'

// The depth endpoint of the service, in its own process, at minimal cost: it parses only the path of a request, and sends
// prepared responses. It records the arrival times of the requests for each mint.

const bodies = createDepthBodies(1000).map((body) => ({
  cents: centsOf(body),
  response: Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ),
}))

let responses = 0
let cents = 0
let arrivals = new Map<string, number[]>()

const respond = (socket: Socket, head: string): void => {
  const mint = /^GET \S*\/(0x[0-9a-f]+) /i.exec(head)?.[1]
  const body = bodies[responses % bodies.length]
  if (mint === undefined || body === undefined) throw new Error(`not a depth request: ${head}`)
  responses += 1
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
    for (const head of heads) respond(socket, head)
  })
})

handleRequests({
  listen: () =>
    new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', 2048, () => resolve((server.address() as AddressInfo).port))
    }),
  reset: () => {
    responses = 0
    cents = 0
    arrivals = new Map()
  },
  totals: () => ({ responses, cents }),
  arrivals: () => [...arrivals.values()],
})
