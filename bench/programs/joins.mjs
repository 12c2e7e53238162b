// Measures how long subscribers take to join and to leave a stream.
import { createClient } from '../node_modules/.build/index.js'
import { handleRequests } from '../process/handle-requests.mjs'

/** A WebSocket that opens and receives nothing. */
const silentSocket = {
  dial: (_url, _options, listener) => {
    setImmediate(() => listener.opened())
    return { send() {}, ping() {}, close() {}, terminate() {} }
  },
  close: async () => {},
}

/** A request without a response. */
const silentHttp = { get: () => () => {}, close: async () => {} }

/** The streams that subscribers join. Each returns the stream of the subscriber with the given index. */
const streams = {
  'one topic': (client) => () => client.price$('svc-0xaa'),
  'a topic each': (client) => (index) => client.price$(`svc-0x${index.toString(16)}`),
  'one poll': (client) => () => client.depth$('0xaa', 60_000),
  status$: (client) => () => client.status$,
}

/** The order in which the subscribers leave. */
const orders = {
  first: (subscriptions) => subscriptions,
  last: (subscriptions) => subscriptions.toReversed(),
  random: (subscriptions) => {
    const shuffled = [...subscriptions]
    let state = 1
    for (let index = shuffled.length - 1; index > 0; index -= 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      const other = state % (index + 1)
      ;[shuffled[index], shuffled[other]] = [shuffled[other], shuffled[index]]
    }
    return shuffled
  },
}

const microsecondsOf = (work) => {
  const cpu = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(cpu)
  return user + system
}

/** CPU per subscriber, in µs. `count` subscribers join and leave, as often as makes `total` subscribers. */
const measure = ({ stream, order, count, total }) => {
  const client = createClient({
    environment: 'mainnet',
    baseUrl: 'http://127.0.0.1:1',
    priceBaseUrl: 'http://127.0.0.1:1',
    authKey: Buffer.alloc(32, 7).toString('base64'),
    allowInsecure: true,
    webSocket: silentSocket,
    http: silentHttp,
    linger: 0,
  })
  const streamOf = streams[stream](client)
  const keeper = client.price$('svc-0xffffffff').subscribe()
  let joining = 0
  let leaving = 0
  for (let done = 0; done < total; done += count) {
    const subscriptions = []
    joining += microsecondsOf(() => {
      for (let index = 0; index < count; index += 1) subscriptions.push(streamOf(index).subscribe())
    })
    const ordered = orders[order](subscriptions)
    leaving += microsecondsOf(() => {
      for (const subscription of ordered) subscription.unsubscribe()
    })
  }
  keeper.unsubscribe()
  void client.close()
  return { joining: joining / total, leaving: leaving / total }
}

handleRequests({
  run: ({ stream, order, count, total }) => {
    measure({ stream, order, count: 1000, total: 100_000 }) // warms up
    return measure({ stream, order, count, total })
  },
})
