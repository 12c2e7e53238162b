// Measures how long the client takes to handle a text of 1 MiB, relative to JSON.parse.
import { createClient, decodeDepth, decodePriceText } from '../node_modules/.build/index.js'
import { handleRequests } from '../process/handle-requests.mjs'

const size = 1_048_576
const address = (index) => `0x${index.toString(16).padStart(40, '0')}`

/** A list of items, as long as fits into the size. */
const listOf = (head, item, tail, separator = ',') => {
  const items = []
  let length = head.length + tail.length
  for (let index = 0; ; index += 1) {
    const next = item(index)
    length += next.length + separator.length
    if (length > size) return head + items.join(separator) + tail
    items.push(next)
  }
}

const subscriptions = (item) => listOf('{"subscriptions":[', item, ']}')
const filled = (head, unit, tail) =>
  head + unit.repeat(Math.floor((size - head.length - tail.length) / unit.length)) + tail
const side = '{"total_quantity":1,"total_quantity_usd":1}'
const depthHead = `{"price":1,"timestamp":0,"buy":${side},"sell":${side},"x":`

/** Each returns a text. Made on request, because together they are large. */
const frames = {
  'confirmation, numbers': () => subscriptions(() => '1'),
  'confirmation, null': () => subscriptions(() => 'null'),
  'confirmation, objects': () => subscriptions(() => '{}'),
  'confirmation, nested arrays': () =>
    `{"subscriptions":[${'['.repeat(size / 2 - 12)}${']'.repeat(size / 2 - 12)}]}`,
  'confirmation, one long text': () => filled('{"subscriptions":["', 'x', '"]}'),
  'confirmation, unknown topics': () => subscriptions((index) => `"svc-${address(index)}"`),
  'confirmation, one topic repeated': () => subscriptions(() => `"svc-${address(7)}"`),
  'confirmation, foreign topics': () => subscriptions(() => '"x"'),
  'price, white space': () => filled('{', ' ', '"topic":"svc-0xaa","price":1}'),
  'price, many digits': () => filled('{"topic":"svc-0xaa","price":', '1', '}'),
  'object of 100,000 fields': () => listOf('{', (index) => `"${index}":1`, '}'),
  'error text, letters': () => 'x'.repeat(size),
  'error text, addresses': () => listOf('', (index) => `0x${index.toString(16)}`, '', ' '),
  'error text, `0x` repeated': () => '0x'.repeat(size / 2),
}
const depths = {
  'depth, price of many digits': () =>
    filled('{"price":', '1', `,"timestamp":0,"buy":${side},"sell":${side}}`),
  'depth, long text': () => filled(`${depthHead}"`, 'x', '"}'),
  'depth, escapes': () => filled(`${depthHead}"`, '\\u0041', '"}'),
  'depth, array of numbers': () => listOf(`${depthHead}[`, () => '1', ']}'),
  'depth, fields': () => listOf('{', (index) => `"${index}":1`, '}'),
  'depth, white space': () => filled('{', ' ', '}'),
  'depth, exponent of many digits': () =>
    filled(
      '{"price":1,"timestamp":0,"buy":{"total_quantity":1e',
      '1',
      `,"total_quantity_usd":1},"sell":${side}}`,
    ),
  'depth, quantity of many digits': () =>
    filled(
      '{"price":1,"timestamp":0,"buy":{"total_quantity":',
      '1',
      `,"total_quantity_usd":1},"sell":${side}}`,
    ),
}
const prices = {
  'price text, digits': () => '1'.repeat(size),
  'price text, zeros': () => `${'0'.repeat(size - 1)}1`,
  'price text, white space': () => ' '.repeat(size),
}

const microsecondsOf = (work) => {
  const cpu = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(cpu)
  return user + system
}

/** A client whose service sends nothing but the given frames. */
const openClient = async () => {
  let listener
  const webSocket = {
    dial: (_url, _options, dialListener) => {
      listener = dialListener
      setImmediate(() => dialListener.opened())
      return { send() {}, ping() {}, close() {}, terminate() {} }
    },
    close: async () => {},
  }
  const client = createClient({ environment: 'testnet', priceBaseUrl: 'http://127.0.0.1:1', webSocket })
  let errors = 0
  client.errors$.subscribe(() => (errors += 1))
  for (const topic of ['svc-0xaa', 'svc-0xbb']) client.price$(topic).subscribe(() => (errors += 1))
  await new Promise((resolve) => setTimeout(resolve, 10))
  return { client, receive: (text) => listener.text(text) }
}

/** The CPU of one frame, in µs. Each frame has a new client, which has received other frames before. */
const frameCpu = async (text) => {
  const { client, receive } = await openClient()
  const topics = JSON.stringify({
    subscriptions: Array.from({ length: 100 }, (_, index) => `svc-${address(index)}`),
  })
  for (let index = 0; index < 100; index += 1) receive(topics)
  const cpu = microsecondsOf(() => receive(text))
  await client.close()
  return cpu
}

const parseOf = (text) => () => {
  try {
    JSON.parse(text)
  } catch {
    // The time to find the fault.
  }
}

const repetitions = 5
const medianOf = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

handleRequests({
  names: () => [...Object.keys(frames), ...Object.keys(depths), ...Object.keys(prices)],
  /** CPU to handle the text, and to parse it with JSON.parse, or a text in quotes of its length if that takes longer, in µs. */
  run: async ({ name }) => {
    const text = { ...frames, ...depths, ...prices }[name]()
    const quoted = JSON.stringify('x'.repeat(text.length - 2))
    const handling = []
    const parsing = []
    for (let index = 0; index < repetitions; index += 1) {
      if (name in frames) handling.push(await frameCpu(text))
      else if (name in depths) handling.push(microsecondsOf(() => decodeDepth(text)))
      else handling.push(microsecondsOf(() => decodePriceText(text)))
      parsing.push(Math.max(microsecondsOf(parseOf(text)), microsecondsOf(parseOf(quoted))))
    }
    return { handling: medianOf(handling), parsing: medianOf(parsing) }
  },
})
