// Measures the CPU time in which a recording of prices is replayed, or read by other means.
import { createReadStream } from 'node:fs'
import { isLeft } from 'fp-ts/lib/Either.js'
import { merge } from 'rxjs'
import { candles, combineFresh, conflate, freshWithin } from '../node_modules/.build/operators/index.js'
import { replay } from '../node_modules/.build/recording/index.js'
import { handleRequests } from '../process/handle-requests.mjs'

/** Keeps the last price of each topic, and the last midpoint of each mint, and counts the prices. All ways of reading must have the same result. */
const createPrices = () => {
  const prices = new Map()
  let count = 0
  const add = ({ topic, mint, price }) => {
    count += 1
    prices.set(topic ?? mint, price)
  }
  return {
    /** A row as `JSON.parse` returns it. */
    addRow: (row) => {
      if ((row._tag === 'Price' || row._tag === 'Depth') && row.event._tag === 'Right') add(row.event.right)
    },
    /** An event of `price$`. */
    addEvent: (event) => {
      if (event._tag === 'Right') add(event.right)
    },
    text: () => JSON.stringify([count, ...[...prices].toSorted()]),
  }
}

const readByHand = async (path) => {
  const prices = createPrices()
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) prices.addRow(JSON.parse(line))
  }
  if (rest !== '') prices.addRow(JSON.parse(rest))
  return prices.text()
}

const readBySplit2 = async (path) => {
  const { default: split2 } = await import('split2')
  const prices = createPrices()
  for await (const row of createReadStream(path).pipe(split2(JSON.parse))) prices.addRow(row)
  return prices.text()
}

const readByStreamJson = async (path) => {
  const { parser } = await import('stream-json/jsonl/parser.js')
  return new Promise((resolve, reject) => {
    const prices = createPrices()
    createReadStream(path)
      .pipe(parser.asStream())
      .on('data', ({ value }) => prices.addRow(value))
      .on('error', reject)
      .on('end', () => resolve(prices.text()))
  })
}

/** Plays the recording with a strategy, and calls back with each event that it emits. */
const play = async (path, strategy$, onEvent) => {
  const client = replay(path, { speed: Infinity })
  await new Promise((complete, error) => client.run$(strategy$).subscribe({ next: onEvent, complete, error }))
  const finished = await client.finished
  if (isLeft(finished)) throw new Error(finished.left.message)
}

const replayPrices = async (path, topics) => {
  const prices = createPrices()
  await play(path, (client) => merge(...topics.map((topic) => client.price$(topic))), prices.addEvent)
  return prices.text()
}

const replayPricesAndDepths = async (path, topics) => {
  const prices = createPrices()
  const streams = (client) => [
    ...topics.map((topic) => client.price$(topic)),
    ...topics.map((topic) => client.depth$(topic.slice(topic.indexOf('-') + 1), 1000)),
  ]
  await play(path, (client) => merge(...streams(client)), prices.addEvent)
  return prices.text()
}

/** Plays the recording with an operator in the strategy. Returns the number of events. */
const replayWith = (strategy$) => async (path, topics) => {
  let events = 0
  await play(
    path,
    (client) => strategy$(client, topics),
    () => (events += 1),
  )
  return `${events} events`
}

const replayWithOperator = (operator) =>
  replayWith((client, topics) => merge(...topics.map((topic) => client.price$(topic).pipe(operator))))

const operations = {
  'by hand': readByHand,
  split2: readBySplit2,
  'stream-json': readByStreamJson,
  replay: replayPrices,
  depths: replayPricesAndDepths,
  combineFresh: replayWith((client, [a, b]) =>
    combineFresh({ a: client.price$(a), b: client.price$(b) }, { maxSkew: 2000 }),
  ),
  freshWithin: replayWithOperator(freshWithin(2000)),
  conflate: replayWithOperator(conflate(250)),
  candles: replayWithOperator(candles(60_000)),
}

/** `maxRSS` is in kB. */
const peakMegabytes = () => process.resourceUsage().maxRSS / 1024

handleRequests({
  once: async ({ operation, path, topics }) => {
    const began = performance.now()
    const result = await operations[operation](path, topics)
    const seconds = (performance.now() - began) / 1000
    return { seconds, megabytes: peakMegabytes(), result }
  },
  /** `times`: how often the recording is read to warm up, and then again. The CPU time is that of one reading. */
  run: async ({ operation, path, topics, times }) => {
    const readAll = async () => {
      let result
      for (let read = 0; read < times; read += 1) result = await operations[operation](path, topics)
      return result
    }
    await readAll() // warms up
    const cpu = process.cpuUsage()
    const result = await readAll()
    const { user, system } = process.cpuUsage(cpu)
    return { microseconds: (user + system) / times, megabytes: peakMegabytes(), result }
  },
})
