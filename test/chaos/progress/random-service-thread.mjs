import { parentPort, workerData } from 'node:worker_threads'
import { WebSocketServer } from 'ws'

// The thread of random-service.ts. While it is unreliable, it answers subscribe frames at random.

/** Topics that a tick sends a price of. */
const pricesPerTick = 8

const { randomNumbers, confirmTimeout } = workerData
const log = []
const connections = new Map()
let isReliable = false
let randomIndex = 0
let connectionCount = 0
let price = 0
let delayed = 0

const random = () => randomNumbers[randomIndex++ % randomNumbers.length]
const pick = (from) => from[Math.floor(random() * from.length)]
const now = () => performance.timeOrigin + performance.now()
const later = (act) => {
  delayed++
  setTimeout(
    () => {
      delayed--
      act()
    },
    random() * 3 * confirmTimeout,
  )
}

const baseOf = (topic) => topic.split('-')[1].toLowerCase()
const spell = (base) =>
  `svc-${pick([base, base.toUpperCase().replace('X', 'x')])}${pick(['', '', '-0xffff'])}`
const textFor = (base) =>
  pick([`Invalid token ${base}`, `Invalid pair (${base}, 0xffff)`, 'Error: internal', 'Invalid request: no'])

class Connection {
  id = ++connectionCount
  subscribed = new Set()
  sentAt = new Map()

  constructor(socket) {
    this.socket = socket
    this.record('opened')
  }

  record(kind, base) {
    log.push({ kind, at: now(), connection: this.id, base })
  }

  send(frame) {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(frame)
  }

  confirm(bases) {
    for (const base of bases) this.recordAnswer(base)
    this.send(JSON.stringify({ subscriptions: bases.map(spell) }))
  }

  sendPrice(base) {
    this.recordAnswer(base)
    this.send(JSON.stringify({ topic: spell(base), price: ++price }))
  }

  recordAnswer(base) {
    this.sentAt.set(base, now())
    this.record('answered', base)
  }

  accept(base, listsAll) {
    this.subscribed.add(base)
    this.confirm(listsAll ? [...this.subscribed] : [base])
  }

  onMessage({ method, topic }) {
    const base = baseOf(topic)
    this.record(method, base)
    if (method === 'unsubscribe') {
      this.subscribed.delete(base)
      if (random() < 0.5) this.confirm([...this.subscribed])
    } else if (isReliable) {
      this.accept(base, random() < 0.5)
    } else if (now() - (this.sentAt.get(base) ?? 0) < 3 * confirmTimeout) {
      // A client that was blocked reads the last answer after this subscribe: a rejection would contradict it.
      this.subscribed.add(base)
    } else {
      pick(answers)(this, base)
    }
  }

  sendUnrelatedFrame() {
    pick([
      () => this.send('Error: internal server error'),
      () => this.send('Error: no such topic 0xdead'),
      () => this.send(Buffer.of(1, 2, 3)),
      () => this.send('{"topic":"svc-0xabc'),
      () => this.send('{"topic":"other-0xabc","price":1}'),
      () => this.send('{"topic":"svc-0xdead","price":1}'),
      () => this.confirm([...this.subscribed]),
    ])()
  }
}

const accepts = [
  (connection, base) => connection.accept(base, true),
  (connection, base) => connection.accept(base, false),
  (connection, base) => later(() => connection.accept(base, random() < 0.5)),
  (connection, base) => connection.subscribed.add(base),
]
const rejects = [
  (connection, base) => connection.send(textFor(base)),
  (connection, base) => later(() => connection.send(textFor(base))),
]
const ignores = [() => undefined]
/** A subscription that the client does not expect after a rejection, or after its unsubscribe. */
const surprises = [
  (connection, base) => {
    connection.send(textFor(base))
    later(() => connection.accept(base, random() < 0.5))
  },
  (connection, base) => later(() => connection.subscribed.add(base)),
]

/** What the service does with subscribe frames for a while. A repeated entry is more likely. */
const moods = [
  [...accepts, ...rejects, ...ignores, ...surprises],
  [...ignores, ...ignores, ...ignores, ...ignores, ...rejects],
  ignores,
  [...ignores, ...surprises],
]
let answers = moods[0]

const tick = () => {
  for (const connection of connections.values()) {
    const bases = [...connection.subscribed]
    const count = isReliable ? bases.length : Math.min(pricesPerTick, bases.length)
    // In turns: the client cannot know of a subscription without an answer.
    for (let index = 0; index < count; index++) {
      connection.next = ((connection.next ?? 0) + 1) % bases.length
      connection.sendPrice(bases[connection.next])
    }
    if (!isReliable && random() < 0.15) connection.sendUnrelatedFrame()
  }
}

const commands = {
  report: () => undefined,
  becomeReliable: () => (isReliable = true),
  drop: () => connections.forEach((_connection, socket) => socket.terminate()),
}

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () =>
  parentPort.postMessage(server.address().port),
)
server.on('connection', (socket) => {
  const connection = new Connection(socket)
  connections.set(socket, connection)
  socket.on('error', () => socket.terminate())
  socket.on('message', (data) => connection.onMessage(JSON.parse(data)))
  socket.on('close', () => {
    connections.delete(socket)
    connection.record('closed')
  })
})
parentPort.on('message', (name) => {
  commands[name]()
  const subscribed = [...connections.values()].flatMap((connection) => [...connection.subscribed])
  parentPort.postMessage({ log, subscribed, delayed })
})
setInterval(tick, confirmTimeout / 20)
setInterval(() => (answers = pick(moods)), 3 * confirmTimeout)
